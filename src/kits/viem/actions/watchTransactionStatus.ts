import type { Chain, Client, Transport } from 'viem'
import type { TransactionProgress } from '../../../base/eventTypes.ts'
import type { Hash } from '../../../base/types.ts'
import { isolate } from '../push.ts'
import { followTransaction } from '../transactionProgress.ts'

/** Parameters of {@link watchTransactionStatus}. */
export interface WatchTransactionStatusParameters {
  /** The transaction. */
  readonly hash: Hash
  /** Called with the current status, then with every new one; `previous` is the status of the call before. */
  onStatus(status: TransactionProgress, previous: TransactionProgress | undefined): void
  /** Called if a subscription or a request failed, the connection ended, or the other callback threw. */
  onError?: ((error: Error) => void) | undefined
}

/** Stops watching. */
export type WatchTransactionStatusReturnType = () => void

/**
 * Watches the stage of a transaction: queued, pending, preconfirmed, sealed, dropped or replaced. If its
 * pre-confirmation or its block is withdrawn, an earlier stage follows, such as `pending` after `preconfirmed`.
 *
 * preseal's preconf view pushes every change, with the reason for a drop. On other views and nodes the transaction is
 * polled at every head, and pre-confirmations are pushed if the node has them. If the node has no method for the
 * status, the stage is derived from the transaction and its receipt, and is never `queued` or `dropped`.
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
