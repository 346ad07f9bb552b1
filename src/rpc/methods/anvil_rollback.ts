import { optional } from '../../base/schema.ts'
import { rollback } from '../../core/sequencer/reverts.ts'
import { defineCheat } from '../method.ts'
import { integer } from '../params/dev.ts'

/**
 * Withdraws the last sealed blocks (default 1) and returns their transactions to the mempool.
 *
 * @throws InvalidParamsError, StateUnavailableError
 * @group Dev chain: snapshots, reorgs, state files
 */
export const anvil_rollback = defineCheat('rollback', {
  params: [optional(integer)],
  returns: null,
  handler: ({ control }, depth = 1) => rollback(control.cheats, depth),
})
