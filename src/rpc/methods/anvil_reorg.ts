import { array, optional } from '../../base/schema.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { reorgRequest, replacement, toReplacements } from '../params/dev.ts'

/**
 * Replaces the last sealed blocks with new ones that contain the given raw transactions (spec.md 33h).
 *
 * @throws InvalidParamsError, StateUnavailableError, TransactionRejectedError
 */
export const anvil_reorg = changeMethod(
  [reorgRequest, optional(array(replacement))],
  async ({ control }, request, pairs = []) => {
    const { depth, replace } = toReplacements(request, pairs)
    await control.reorg(depth, replace)
    return null
  },
  { aliases: devNames('reorg') },
)
