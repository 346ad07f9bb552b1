/** Declares how a method is answered on a fork. */
import type { AnswerName } from './shapes.ts'

/** Names of `READERS` in `forwarding.ts`, for methods that need more than the same request to the forked node. */
export type ReaderName =
  | 'block'
  | 'blockDetails'
  | 'blockDetailsByHash'
  | 'blockTransactions'
  | 'encodedBlock'
  | 'feeHistory'
  | 'filterLogs'
  | 'frames'
  | 'hasCode'
  | 'hashByNonce'
  | 'header'
  | 'internalOperations'
  | 'logs'
  | 'proof'
  | 'receipt'
  | 'status'
  | 'storageAt'
  | 'storageValues'
  | 'tracedCall'
  | 'traces'
  | 'transaction'
  | 'transactionByNonce'
  | 'transactionError'

/**
 * Who answers a method up to the fork: the chain here (`local`), a reader, or the forked node with the same request.
 * `reads` tells what the parameters name: a block, the state after one, or a transaction by hash. `answer` names the
 * check of the node's answer.
 */
export type OnFork =
  | 'local'
  | ReaderName
  | { readonly reads: 'block' | 'state' | 'transaction'; readonly answer: AnswerName }
