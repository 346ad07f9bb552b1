/** The result types of a mempool. */

import type { Address } from '../../base/types.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { SenderQueue } from './senderQueue.ts'

/** Waiting transactions per sender, nonces rising. */
export interface MempoolContent {
  /** Those that can execute in the next block, one after the other. */
  readonly pending: Map<Address, Transaction[]>
  /** Those that wait for a missing nonce, or for a lower base fee or blob base fee. */
  readonly queued: Map<Address, Transaction[]>
}

/** Which of a sender's entries can execute in the next block: those from `start` up to, not including, `end`. */
export interface Executable {
  readonly start: number
  readonly end: number
}

/** The number of waiting transactions by stage. */
export interface MempoolStatus {
  readonly pending: number
  readonly queued: number
}

/** @param size - the number of all waiting transactions. */
export function toStatus(content: MempoolContent, size: number): MempoolStatus {
  let pending = 0
  for (const { length } of content.pending.values()) pending += length
  return { pending, queued: size - pending }
}

/** All waiting transactions of some queues, in new maps and arrays. */
export function toContent(
  queues: Iterable<SenderQueue>,
  executable: (queue: SenderQueue) => Executable,
): MempoolContent {
  const pending = new Map<Address, Transaction[]>()
  const queued = new Map<Address, Transaction[]>()
  for (const queue of queues) {
    const { start, end } = executable(queue)
    const all = queue.entries.map((entry) => entry.transaction)
    const ready = all.splice(start, end - start)
    if (ready.length > 0) pending.set(queue.sender, ready)
    if (all.length > 0) queued.set(queue.sender, all)
  }
  return { pending, queued }
}
