import { otterscanMethod } from '../otterscan/load.ts'
import { hash32 } from '../params/params.ts'

/**
 * Returns what a transaction caused below its outermost frame, in order: transfers of ether, creations, and SELFDESTRUCTs, those in failed
 * frames included.
 *
 * @throws TransactionNotFoundError, TraceTooLargeError, StateUnavailableError
 */
export const ots_getInternalOperations = otterscanMethod(
  [hash32],
  ({ internalOperations }) => internalOperations,
)
