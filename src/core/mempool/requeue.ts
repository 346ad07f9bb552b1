/** Updates the mempool after the tip was replaced: retracted transactions wait again, stale ones are dropped. */

import { TransactionRejectedError } from '../../base/errors.ts'
import type { DropReason } from '../../base/eventTypes.ts'
import type { Hash } from '../../base/types.ts'
import { InsufficientFundsError, NonceTooLowError } from '../../ethereum/errors.ts'
import { type Transaction, unitsOf } from '../../ethereum/transaction.ts'
import { checkChainId } from '../../ethereum/validity.ts'
import { ReplacementUnderpricedError } from './errors.ts'
import type { Dropped, Mempool } from './mempool.ts'

/**
 * Adds the transactions of withdrawn blocks in their order, ahead of all waiting ones. The mempool's limits do not
 * apply: waiting transactions are evicted instead. Call this after the tip was swapped.
 *
 * @param included - the hashes of the retracted and waiting transactions that the new tip contains.
 * @returns the dropped transactions: stale, refused or evicted.
 */
export function requeue(
  mempool: Mempool,
  retracted: readonly Transaction[],
  included: ReadonlySet<Hash>,
): Dropped[] {
  mempool.sealed(retracted)
  const drops = mempool.prune(included)
  let place = mempool.reserveFront(retracted.length)
  for (const unit of unitsOf(retracted)) {
    // A transaction already waits if it was sent again after a cheat lowered its sender's nonce.
    const excluded = unit.filter(({ hash }) => !included.has(hash) && mempool.get(hash) === undefined)
    if (excluded.length === 0) continue
    try {
      // A partly included bundle cannot wait again.
      if (excluded.length < unit.length) throw new NonceTooLowError()
      drops.push(...addTogether(mempool, unit, place))
      place += unit.length
    } catch (error) {
      if (!(error instanceof TransactionRejectedError)) throw error
      const { message } = error
      const reason = toDropReason(error)
      for (const transaction of excluded) {
        mempool.lost(transaction, reason)
        drops.push({ transaction, reason, message })
      }
    }
  }
  return [...drops, ...mempool.trim()]
}

/** Drops waiting transactions signed for a different chain id (EIP-155). */
export function dropOtherChain(mempool: Mempool, chainId: bigint): Dropped[] {
  const drops: Dropped[] = []
  for (const transaction of mempool.transactions()) {
    const error = checkChainId(transaction, chainId)
    if (error === undefined) continue
    const reason = toDropReason(error)
    mempool.drop(transaction.hash, reason)
    drops.push({ transaction, reason, message: error.message })
  }
  return drops
}

/** Returns the reason to drop a transaction that was refused with this error. */
export function toDropReason(error: TransactionRejectedError): DropReason {
  if (error instanceof NonceTooLowError) return 'nonce'
  if (error instanceof ReplacementUnderpricedError) return 'replaced'
  return error instanceof InsufficientFundsError ? 'funds' : 'invalid'
}

/**
 * Adds all transactions, or none if one is refused; see `Mempool.add`.
 *
 * @param arrival - the position in the order of arrival that they share.
 * @returns the replaced or evicted transactions.
 */
export function addTogether(
  mempool: Mempool,
  transactions: readonly Transaction[],
  arrival: number,
): Dropped[] {
  // A refused transaction changes nothing, so there is nothing to restore.
  if (transactions.length === 1) return mempool.add(transactions[0]!, arrival)
  const restore = mempool.capture()
  try {
    return transactions.flatMap((transaction) => mempool.add(transaction, arrival))
  } catch (error) {
    restore()
    throw error
  }
}
