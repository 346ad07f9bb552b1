/** Adds waiting transactions to a block that is not the chain's. */
import { includeUnit } from '../payload/includeUnit.ts'
import type { PayloadDraft } from '../payload/payload.ts'
import { unitOf } from '../protocol/bundle.ts'
import type { Transaction } from '../protocol/transaction.ts'

/**
 * Adds the transactions that the draft has room for and that may be included; bundles as a whole.
 *
 * @param transactions - the best first.
 * @param skipped - gets the senders of those that are left out: what follows of theirs has a nonce gap before it.
 */
export async function includeWaiting(
  draft: PayloadDraft,
  transactions: Iterable<Transaction>,
  skipped = new Set<string>(),
): Promise<void> {
  for (const transaction of transactions) {
    const unit = unitOf(transaction)
    if (transaction !== unit[0] || skipped.has(transaction.from)) continue
    const refusal = draft.hasRoomFor(...unit) ? await includeUnit(draft, unit) : true
    if (refusal !== undefined) skipped.add(transaction.from)
    const wait = draft.pause()
    if (wait) await wait
  }
}
