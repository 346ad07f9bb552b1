import { otterscanMethod } from '../otterscan/load.ts'
import { hash32 } from '../params/params.ts'

/**
 * Returns the data with which a transaction reverted; `0x` if it succeeded or failed otherwise.
 *
 * @throws TransactionNotFoundError, TraceTooLargeError, StateUnavailableError
 */
export const ots_getTransactionError = otterscanMethod([hash32], ({ transactionError }) => transactionError)
