import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { stateFile } from '../params/dev.ts'

/** Writes accounts in anvil's form to the head's state. @throws InvalidStateFileError */
export const anvil_loadState = method(
  [stateFile],
  async ({ control }, file) => {
    const { loadState } = await import('../../cheats/stateFile.ts')
    await loadState(control.cheats, file)
    return true
  },
  { aliases: devNames('loadState') },
)
