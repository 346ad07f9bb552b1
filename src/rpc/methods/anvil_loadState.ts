import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { stateFile } from '../params/dev.ts'

/**
 * Writes the accounts of a state file in anvil's format to the head's state; other accounts are unchanged.
 *
 * @throws InvalidStateFileError
 */
export const anvil_loadState = method(
  [stateFile],
  async ({ control }, file) => {
    const { loadState } = await import('../../cheats/stateFile.ts')
    await loadState(control.cheats, file)
    return true
  },
  { aliases: devNames('loadState') },
)
