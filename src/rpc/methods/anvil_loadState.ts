import { defineCheat } from '../method.ts'
import { stateFile } from '../params/dev.ts'

/**
 * Loads a state file in anvil's format. The blocks in the file become the chain. If it has no blocks, its accounts are
 * written to the head's state, and all other accounts stay.
 *
 * @throws InvalidStateFileError, LoadBlocksError
 * @group Dev chain: snapshots, reorgs, state files
 * @example ["$stateFile"]
 */
export const anvil_loadState = defineCheat('loadState', {
  params: [stateFile],
  returns: true,
  handler: async ({ control }, file) => {
    const { loadState } = await import('../../core/cheats/stateFile.ts')
    await loadState(control.cheats, file, (chain) => control.resets.loadChain(chain))
  },
})
