import { optional } from '../../base/schema.ts'
import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { boolean } from '../params/params.ts'

/**
 * Returns the accounts at the head and the blocks as a state file in anvil's format: gzipped JSON, as hex; with `true` also
 * the states of earlier blocks.
 */
export const anvil_dumpState = method(
  [optional(boolean)],
  async ({ control }, withStates = false) => {
    const { dumpState } = await import('../../core/cheats/stateFile.ts')
    return dumpState(control.cheats, withStates)
  },
  { aliases: devNames('dumpState') },
)
