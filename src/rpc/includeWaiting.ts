/** Adds waiting transactions to a block that is not the chain's. */

import type { Address } from '../base/types.ts'
import { includeUnit } from '../core/block/inclusion.ts'
import type { PayloadDraft } from '../core/block/payload.ts'
import { type Transaction, unitOf } from '../ethereum/transaction.ts'

/**
 * Adds the transactions that the draft has room for and that may be included; bundles as a whole.
 *
 * @param transactions - in the order in which they are tried, each sender's by nonce.
 */
export async function includeWaiting(
  draft: PayloadDraft,
  transactions: Iterable<Transaction>,
): Promise<void> {
  const skipped = new Set<Address>()
  for (const transaction of transactions) {
    const unit = unitOf(transaction)
    if (transaction !== unit[0] || skipped.has(transaction.from)) continue
    const refusal = draft.hasRoomFor(...unit) ? await includeUnit(draft, unit) : true
    // Those of the sender that follow have a nonce gap before them.
    if (refusal !== undefined) skipped.add(transaction.from)
    const wait = draft.pause()
    if (wait) await wait
  }
}
