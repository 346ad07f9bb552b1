/** How a method states what answers it on a fork. */
import type { AnswerName } from './shapes.ts'

/** The names of readers, for methods that ask the forked node for more than the same request (`READERS` of `forwarding.ts`). */
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
 * What answers a method about blocks at or before the fork: the chain here (`local`), a reader, or the forked node, which gets the same
 * request. `reads` says what its parameters name: a block, the state after one, or a transaction by its hash.
 */
export type OnFork =
  | 'local'
  | ReaderName
  | { readonly reads: 'block' | 'state' | 'transaction'; readonly answer: AnswerName }
