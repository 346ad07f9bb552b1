/** What a mempool answers with. */
import type { Transaction } from '../transaction.ts'
import type { Address } from '../types.ts'

/** Waiting transactions per sender, nonces rising. */
export interface MempoolContent {
  /** What could execute in the next block, one after the other. */
  readonly pending: Map<Address, Transaction[]>
  /** What waits for a nonce, or for a lower base fee or blob base fee. */
  readonly queued: Map<Address, Transaction[]>
}
