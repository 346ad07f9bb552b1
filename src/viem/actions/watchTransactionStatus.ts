import type { Chain, Client, Transport } from 'viem'
import type { TransactionProgress } from '../../primitives/eventTypes.ts'
import type { Hash } from '../../primitives/types.ts'
import { isolate } from '../push.ts'
import { followTransaction } from '../transactionProgress.ts'

/** What {@link watchTransactionStatus} takes. */
export interface WatchTransactionStatusParameters {
  /** The transaction. */
  readonly hash: Hash
  /** Called with where the transaction stands, then with every change, and what was told before. */
  onStatus(status: TransactionProgress, previous: TransactionProgress | undefined): void
  /** Called if a subscription or a request failed, the connection ended, or the other callback threw. */
  onError?: ((error: Error) => void) | undefined
}

/** Ends the watching. */
export type WatchTransactionStatusReturnType = () => void

/**
 * Watches where a transaction stands: queued, pending, preconfirmed, sealed, dropped or replaced. A pre-confirmation
 * that is withdrawn, or a block, shows as an earlier stage, `pending` after `preconfirmed` for instance.
 *
 * preseal's preconf view pushes every change, with the reason for a drop. Elsewhere the transaction is looked for at
 * every head, and pre-confirmations are pushed if the node has them; a node without `chain_transactionStatus` is asked
 * for the transaction and its receipt, and tells of no `queued` and no `dropped`.
 *
 * - Subscriptions: `newHeads`, and `newPreconfTransactions`, or `newFlashblockTransactions` of OP-Stack nodes
 *
 * @param client - with a transport that pushes; without one, `onError` gets a PushUnsupportedError
 * @example
 * const unwatch = watchTransactionStatus(client, {
 *   hash,
 *   onStatus({ stage, reason }, previous) {
 *     if (previous?.stage === 'preconfirmed' && stage !== 'sealed') console.log('withdrawn', reason)
 *   },
 * })
 */
export function watchTransactionStatus(
  client: Client<Transport, Chain | undefined>,
  { hash, onStatus, onError }: WatchTransactionStatusParameters,
): WatchTransactionStatusReturnType {
  let previous: TransactionProgress | undefined
  const onData = (status: TransactionProgress): void => {
    const before = previous
    previous = status
    onStatus(status, before)
  }
  return followTransaction(client as Client, hash, {
    onData: isolate({ onData, onError }),
    onError: (error) => onError?.(error),
  })
}
