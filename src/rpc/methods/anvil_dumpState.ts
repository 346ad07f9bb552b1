import { devNames } from '../devChain.ts'
import { method } from '../method.ts'

/** The accounts at the head, in anvil's form. */
export const anvil_dumpState = method(
  [],
  async ({ control }) => {
    const { dumpState } = await import('../../cheats/stateFile.ts')
    return dumpState(control.cheats)
  },
  { aliases: devNames('dumpState') },
)
