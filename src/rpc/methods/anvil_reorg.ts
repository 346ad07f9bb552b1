import { array, optional } from '../../base/schema.ts'
import { defineCheat } from '../method.ts'
import { reorgRequest, replacement, toReplacements } from '../params/dev.ts'

/**
 * Replaces the last sealed blocks with new ones that contain the given raw transactions (spec.md 33h).
 *
 * @throws InvalidParamsError, StateUnavailableError, TransactionRejectedError
 * @group Dev chain: snapshots, reorgs, state files
 * @example [1]
 */
export const anvil_reorg = defineCheat('reorg', {
  params: [reorgRequest, optional(array(replacement))],
  returns: null,
  handler: ({ control }, request, pairs = []) => {
    const { depth, replace } = toReplacements(request, pairs)
    return control.cheats.reorg(depth, replace)
  },
})
