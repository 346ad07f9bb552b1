/** Bundles: transactions of one sender that are included one right after the other and all succeed, or not at all. */

import type { Hash } from '../primitives/types.ts'
import type { Transaction } from './transaction.ts'

/**
 * The same transactions, each knowing all of them.
 *
 * @param transactions - of one sender, nonces rising without a gap.
 */
export function bundle(transactions: readonly Transaction[]): readonly Transaction[] {
  const whole: Transaction[] = []
  for (const transaction of transactions) whole.push({ ...transaction, bundle: whole })
  return whole
}

/** What a transaction is included with: its bundle, or it alone. */
export function unitOf(transaction: Transaction): readonly Transaction[] {
  return transaction.bundle ?? [transaction]
}

/** Transactions as what can be included: each by itself, a bundle as a whole; if one is not whole it is left out. */
export function unitsOf(transactions: readonly Transaction[]): (readonly Transaction[])[] {
  const units: (readonly Transaction[])[] = []
  for (let i = 0; i < transactions.length; ) {
    const unit = unitOf(transactions[i]!)
    const isWhole = unit.every(({ hash }, k) => transactions[i + k]?.hash === hash)
    if (isWhole) units.push(unit)
    i += isWhole ? unit.length : 1
  }
  return units
}

/** The hashes, and those of what is in a bundle with one of them. @param transactions - those that may be meant. */
export function withBundles(
  hashes: ReadonlySet<Hash>,
  transactions: readonly Transaction[],
): ReadonlySet<Hash> {
  const meant = transactions.filter(({ hash }) => hashes.has(hash)).flatMap(unitOf)
  return new Set([...hashes, ...meant.map(({ hash }) => hash)])
}
