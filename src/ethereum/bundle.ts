/** Bundles: transactions of one sender that are included in a row and all succeed, or are not included at all. */

import type { Hash } from '../base/types.ts'
import type { Transaction } from './transaction.ts'

/**
 * The same transactions, each with the whole bundle.
 *
 * @param transactions - of one sender, nonces rising without a gap.
 */
export function bundle(transactions: readonly Transaction[]): readonly Transaction[] {
  const whole: Transaction[] = []
  for (const transaction of transactions) whole.push({ ...transaction, bundle: whole })
  return whole
}

/** The unit of inclusion of a transaction: its bundle, or only itself. */
export function unitOf(transaction: Transaction): readonly Transaction[] {
  return transaction.bundle ?? [transaction]
}

/** The units of inclusion of transactions; those of incomplete bundles are omitted. */
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

/** The hashes, and all hashes of their bundles. @param transactions - where the hashes are looked up. */
export function withBundles(
  hashes: ReadonlySet<Hash>,
  transactions: readonly Transaction[],
): ReadonlySet<Hash> {
  const units = transactions.filter(({ hash }) => hashes.has(hash)).flatMap(unitOf)
  return new Set([...hashes, ...units.map(({ hash }) => hash)])
}
