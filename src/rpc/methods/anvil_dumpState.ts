import { devNames } from '../devChain.ts'
import { method } from '../method.ts'

/** Returns the accounts at the head as a state file in anvil's format: gzipped JSON, as hex. */
export const anvil_dumpState = method(
  [],
  async ({ control }) => {
    const { dumpState } = await import('../../cheats/stateFile.ts')
    return dumpState(control.cheats)
  },
  { aliases: devNames('dumpState') },
)
