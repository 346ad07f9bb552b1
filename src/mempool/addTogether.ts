import type { Transaction } from '../transaction.ts'
import type { Dropped } from './dropMemory.ts'
import type { Mempool } from './mempool.ts'
import type { AddResult } from './results.ts'

/**
 * Lets transactions wait, or where one of them may not, none; see `Mempool.add`.
 *
 * @returns what they drove out.
 */
export function addTogether(mempool: Mempool, transactions: readonly Transaction[]): Dropped[] {
  // Nothing to put back: one that is refused has changed nothing.
  if (transactions.length === 1) return drivenOut(mempool.add(transactions[0]!))
  const restore = mempool.capture()
  try {
    return transactions.flatMap((transaction) => drivenOut(mempool.add(transaction)))
  } catch (error) {
    restore()
    throw error
  }
}

function drivenOut({ replaced, evicted }: AddResult): Dropped[] {
  const drops = evicted.map((transaction): Dropped => ({ transaction, reason: 'evicted' }))
  return replaced === undefined ? drops : [{ transaction: replaced, reason: 'replaced' }, ...drops]
}
