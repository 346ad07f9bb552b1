/** The mempool's content in the shapes of the txpool namespace. */

import type { PresealRpcTransaction } from '../../base/rpcTypes.ts'
import type { Address } from '../../base/types.ts'
import type { MempoolContent } from '../../core/mempool/results.ts'
import { feeCapOf, type Transaction } from '../../ethereum/transaction.ts'
import { toRpcTransaction } from './format.ts'

type ByNonce<T> = Record<string, T>
type BySender<T> = Record<Address, ByNonce<T>>

/** Full transactions, by sender and decimal nonce. */
export function poolContent({ pending, queued }: MempoolContent): {
  pending: BySender<PresealRpcTransaction>
  queued: BySender<PresealRpcTransaction>
} {
  return { pending: bySender(pending, toRpcTransaction), queued: bySender(queued, toRpcTransaction) }
}

/** Full transactions in one list: executable ones, then queued ones, each sender's in nonce order. */
export function poolTransactions({ pending, queued }: MempoolContent): PresealRpcTransaction[] {
  return [...pending.values(), ...queued.values()].flat().map((tx) => toRpcTransaction(tx))
}

/** A line per transaction, in go-ethereum's format. */
export function poolSummary({ pending, queued }: MempoolContent): {
  pending: BySender<string>
  queued: BySender<string>
} {
  return { pending: bySender(pending, summarize), queued: bySender(queued, summarize) }
}

/** The full transactions of one sender, by decimal nonce. */
export function poolContentFrom(
  { pending, queued }: MempoolContent,
  sender: Address,
): { pending: ByNonce<PresealRpcTransaction>; queued: ByNonce<PresealRpcTransaction> } {
  return {
    pending: byNonce(pending.get(sender) ?? [], toRpcTransaction),
    queued: byNonce(queued.get(sender) ?? [], toRpcTransaction),
  }
}

function bySender<T>(
  transactions: ReadonlyMap<Address, readonly Transaction[]>,
  shape: (tx: Transaction) => T,
) {
  const senders: BySender<T> = {}
  for (const [sender, all] of transactions) senders[sender] = byNonce(all, shape)
  return senders
}

function byNonce<T>(transactions: readonly Transaction[], shape: (tx: Transaction) => T): ByNonce<T> {
  return Object.fromEntries(transactions.map((tx) => [tx.nonce.toString(), shape(tx)]))
}

function summarize(tx: Transaction): string {
  const to = tx.to ?? 'contract creation'
  return `${to}: ${tx.value} wei + ${tx.gasLimit} gas × ${feeCapOf(tx)} wei`
}
