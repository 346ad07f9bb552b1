/** What another tip makes of what waits: what was pre-confirmed waits again, what is bound elsewhere goes. */

import { TransactionRejectedError } from '../primitives/errors.ts'
import type { DropReason } from '../primitives/eventTypes.ts'
import type { Hash } from '../primitives/types.ts'
import { unitsOf } from '../protocol/bundle.ts'
import { InsufficientFundsError, NonceTooLowError } from '../protocol/errors.ts'
import type { Transaction } from '../protocol/transaction.ts'
import { checkChainId } from '../protocol/validity.ts'
import { addTogether } from './addTogether.ts'
import type { Dropped } from './dropMemory.ts'
import { ReplacementUnderpricedError } from './errors.ts'
import type { Mempool } from './mempool.ts'

/**
 * Lets the transactions of a payload that was given up wait again, in their order and before all others, whatever the
 * limits of the mempool: others give way to them. To be called after the tip was swapped.
 *
 * @param included - what the new tip includes of them and of what waits.
 * @returns what can wait no longer, and what gave way.
 */
export function requeue(
  mempool: Mempool,
  retracted: readonly Transaction[],
  included: ReadonlySet<Hash>,
): Dropped[] {
  mempool.sealed(retracted.map(({ hash }) => hash))
  const drops = mempool.prune(included)
  let place = mempool.reserveFront(retracted.length)
  for (const unit of unitsOf(retracted)) {
    // A transaction that was sent again, after a cheat had lowered its sender's nonce, waits already.
    const excluded = unit.filter(({ hash }) => !included.has(hash) && mempool.get(hash) === undefined)
    if (excluded.length === 0) continue
    try {
      // Of a bundle that was torn nothing is left to wait.
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

/** Drops what waits and is bound to another chain than this (EIP-155). @returns it. */
export function dropOtherChain(mempool: Mempool, chainId: bigint): Dropped[] {
  const drops: Dropped[] = []
  for (const transaction of mempool.transactions()) {
    const fault = checkChainId(transaction, chainId)
    if (fault === undefined) continue
    const reason = toDropReason(fault)
    mempool.drop(transaction.hash, reason)
    drops.push({ transaction, reason, message: fault.message })
  }
  return drops
}

/** Why a transaction leaves the mempool that may not be executed any more. */
export function toDropReason(error: TransactionRejectedError): DropReason {
  if (error instanceof NonceTooLowError) return 'nonce'
  if (error instanceof ReplacementUnderpricedError) return 'replaced'
  return error instanceof InsufficientFundsError ? 'funds' : 'invalid'
}
