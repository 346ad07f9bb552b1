import { optional } from '../../base/schema.ts'
import { rollback } from '../../core/sequencer/reverts.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { integer } from '../params/dev.ts'

/**
 * Withdraws the last sealed blocks, by default one; their transactions return to the mempool.
 *
 * @throws InvalidParamsError, StateUnavailableError
 */
export const anvil_rollback = changeMethod(
  [optional(integer)],
  async ({ control }, depth = 1) => {
    await rollback(control.cheats, depth)
    return null
  },
  { aliases: devNames('rollback') },
)
