import type { Transaction } from '../../ethereum/transaction.ts'
import type { Dropped } from './dropMemory.ts'
import type { Mempool } from './mempool.ts'

/**
 * Adds all of the transactions, or none if one of them is refused; see `Mempool.add`.
 *
 * @param place - the first one's in the order of arrival, if they were included before; the others follow.
 * @param arrival - the place of others, which they share.
 * @returns the transactions that they replaced or evicted.
 */
export function addTogether(
  mempool: Mempool,
  transactions: readonly Transaction[],
  place?: number,
  arrival?: number,
): Dropped[] {
  const add = (transaction: Transaction, index: number) =>
    mempool.add(transaction, place === undefined ? undefined : place + index, arrival)
  // Nothing to restore: a refused transaction has changed nothing.
  if (transactions.length === 1) return add(transactions[0]!, 0)
  const restore = mempool.capture()
  try {
    return transactions.flatMap(add)
  } catch (error) {
    restore()
    throw error
  }
}
