import { otterscanMethod } from '../otterscan/load.ts'
import { hash32 } from '../params/params.ts'

/**
 * Returns the frames of a transaction, in order and with their depth, without those of precompiles.
 *
 * @throws TransactionNotFoundError, TraceTooLargeError, StateUnavailableError
 */
export const ots_traceTransaction = otterscanMethod([hash32], ({ traces }) => traces)
