/** Declares how a method is answered on a fork. */
import type { AnswerName } from './shapes.ts'

/** Readers for methods that the same request to the forked node cannot answer alone (`READERS` of `forwarding.ts`). */
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
 * `reads` names the subject of its parameters: a block, the state after one, or a transaction by hash.
 */
export type OnFork =
  | 'local'
  | ReaderName
  | { readonly reads: 'block' | 'state' | 'transaction'; readonly answer: AnswerName }
