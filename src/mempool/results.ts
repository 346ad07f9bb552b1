/** What a mempool answers with. */
import type { Transaction } from '../transaction.ts'
import type { Address } from '../types.ts'

/** What an added transaction drove out. */
export interface AddResult {
  /** The transaction with the same sender and nonce that it took the place of. */
  readonly replaced?: Transaction
  /** What was given up because the mempool was full, and what was in a bundle with what left. */
  readonly evicted: readonly Transaction[]
}

/** Waiting transactions per sender, nonces rising. */
export interface MempoolContent {
  /** What could execute in the next block, one after the other. */
  readonly pending: Map<Address, Transaction[]>
  /** What waits for a nonce, or for a lower base fee or blob base fee. */
  readonly queued: Map<Address, Transaction[]>
}
