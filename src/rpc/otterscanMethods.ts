/** The methods of Otterscan by name. */
import { erigon_getHeaderByNumber } from './methods/erigon_getHeaderByNumber.ts'
import { ots_getApiLevel } from './methods/ots_getApiLevel.ts'
import { ots_getBlockDetails } from './methods/ots_getBlockDetails.ts'
import { ots_getBlockDetailsByHash } from './methods/ots_getBlockDetailsByHash.ts'
import { ots_getBlockTransactions } from './methods/ots_getBlockTransactions.ts'
import { ots_getContractCreator } from './methods/ots_getContractCreator.ts'
import { ots_getInternalOperations } from './methods/ots_getInternalOperations.ts'
import { ots_getTransactionBySenderAndNonce } from './methods/ots_getTransactionBySenderAndNonce.ts'
import { ots_getTransactionError } from './methods/ots_getTransactionError.ts'
import { ots_hasCode } from './methods/ots_hasCode.ts'
import { ots_searchTransactionsAfter } from './methods/ots_searchTransactionsAfter.ts'
import { ots_searchTransactionsBefore } from './methods/ots_searchTransactionsBefore.ts'
import { ots_traceTransaction } from './methods/ots_traceTransaction.ts'

/** A part of the table of methods. */
export const OTTERSCAN_METHODS = {
  erigon_getHeaderByNumber,
  ots_getApiLevel,
  ots_getBlockDetails,
  ots_getBlockDetailsByHash,
  ots_getBlockTransactions,
  ots_getContractCreator,
  ots_getInternalOperations,
  ots_getTransactionBySenderAndNonce,
  ots_getTransactionError,
  ots_hasCode,
  ots_searchTransactionsAfter,
  ots_searchTransactionsBefore,
  ots_traceTransaction,
}
