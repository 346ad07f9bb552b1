import { otterscanMethod } from '../otterscan/load.ts'
import { address } from '../params/params.ts'

/**
 * Returns the transaction in which a contract was created, and the account that created it; null for an account without code, and for a
 * contract that no transaction created.
 *
 * @throws TraceTooLargeError, StateUnavailableError
 */
export const ots_getContractCreator = otterscanMethod([address], ({ contractCreator }) => contractCreator)
