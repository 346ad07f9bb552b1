import type { Transaction } from '../transaction.ts'
import type { Mempool } from './mempool.ts'
import type { AddResult } from './results.ts'

/** Lets transactions wait, or where one of them may not, none; see `Mempool.add`. */
export function addTogether(mempool: Mempool, transactions: readonly Transaction[]): AddResult[] {
  // Nothing to put back: one that is refused has changed nothing.
  if (transactions.length === 1) return [mempool.add(transactions[0]!)]
  const restore = mempool.capture()
  try {
    return transactions.map((transaction) => mempool.add(transaction))
  } catch (error) {
    restore()
    throw error
  }
}
