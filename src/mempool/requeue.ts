/** What was pre-confirmed and is not any more: it waits again. */
import { InsufficientFundsError, NonceTooLowError, TransactionRejectedError } from '../errors.ts'
import type { Transaction } from '../transaction.ts'
import type { DropReason, Hash } from '../types.ts'
import type { Dropped } from './dropMemory.ts'
import type { Mempool } from './mempool.ts'

/**
 * Lets the transactions of a payload that was given up wait again, in their order. To be called after the tip was
 * swapped.
 *
 * @param included - what the new tip includes of them and of what waits.
 * @returns what can wait no longer.
 */
export function requeue(
  mempool: Mempool,
  retracted: readonly Transaction[],
  included: ReadonlySet<Hash>,
): Dropped[] {
  mempool.sealed(retracted.map(({ hash }) => hash))
  const drops = mempool.prune(included)
  for (const transaction of retracted) {
    if (included.has(transaction.hash)) continue
    try {
      const { evicted } = mempool.add(transaction)
      for (const other of evicted) drops.push({ transaction: other, reason: 'evicted' })
    } catch (error) {
      if (!(error instanceof TransactionRejectedError)) throw error
      const reason = toDropReason(error)
      mempool.lost(transaction.hash, reason)
      drops.push({ transaction, reason, message: error.message })
    }
  }
  return drops
}

/** Why a transaction leaves the mempool that may not be executed any more. */
export function toDropReason(error: TransactionRejectedError): DropReason {
  if (error instanceof NonceTooLowError) return 'nonce'
  return error instanceof InsufficientFundsError ? 'funds' : 'invalid'
}
