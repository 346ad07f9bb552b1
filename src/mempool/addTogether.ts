import type { Transaction } from '../transaction.ts'
import type { Dropped } from './dropMemory.ts'
import type { Mempool } from './mempool.ts'

/**
 * Lets transactions wait, or where one of them may not, none; see `Mempool.add`.
 *
 * @returns what they drove out.
 */
export function addTogether(mempool: Mempool, transactions: readonly Transaction[]): Dropped[] {
  // Nothing to put back: one that is refused has changed nothing.
  if (transactions.length === 1) return mempool.add(transactions[0]!)
  const restore = mempool.capture()
  try {
    return transactions.flatMap((transaction) => mempool.add(transaction))
  } catch (error) {
    restore()
    throw error
  }
}
