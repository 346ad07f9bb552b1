import type {
  Chain,
  Client,
  FormattedTransactionReceipt,
  GetTransactionReceiptErrorType,
  Transport,
  WaitForTransactionReceiptTimeoutErrorType,
} from 'viem'
import { getTransactionReceipt } from 'viem/actions'
import type { Hash } from '../../../base/types.ts'
import { type NonceGapError, type PushUnsupportedError, TransactionDroppedError } from '../errors.ts'
import { followTransaction, ifFound, isDropped, waitInTime } from '../transactionProgress.ts'

/** Parameters of {@link waitForSeal}. */
export interface WaitForSealParameters {
  /** The transaction. */
  readonly hash: Hash
  /** The longest time to wait, in ms of the chain's clock: by default 180,000; 0 for no limit. */
  readonly timeout?: number | undefined
}

/** The receipt, as viem formats it. */
export type WaitForSealReturnType<chain extends Chain | undefined = Chain | undefined> =
  FormattedTransactionReceipt<chain>

/** Errors of {@link waitForSeal}. */
export type WaitForSealErrorType =
  | PushUnsupportedError
  | TransactionDroppedError
  | NonceGapError
  | WaitForTransactionReceiptTimeoutErrorType
  | GetTransactionReceiptErrorType

/**
 * Waits until a transaction is in a sealed block and returns its receipt, on both views, and on any node with a
 * `newHeads` subscription. The node pushes its stages or the heads, so nothing is polled on a timer.
 *
 * With a manual clock, the promise of a transaction that a seal includes has resolved when `await clock.advance(…)`
 * returns.
 *
 * - Subscriptions: those of {@link watchTransactionStatus}
 *
 * @param client - with a transport that pushes
 * @throws TransactionDroppedError once the transaction is dropped or replaced, if the node reports that
 * @throws WaitForTransactionReceiptTimeoutError if it takes longer than `timeout`
 * @throws NonceGapError instead of the timeout if nonces before the transaction's are missing
 * @throws PushUnsupportedError if the transport has no subscriptions
 * @throws ProviderDisconnectedError if the chain is closed meanwhile
 * @example
 * const receipt = await waitForSeal(client, { hash })
 */
export function waitForSeal<chain extends Chain | undefined>(
  client: Client<Transport, chain>,
  { hash, timeout = 180_000 }: WaitForSealParameters,
): Promise<WaitForSealReturnType<chain>> {
  return waitInTime<WaitForSealReturnType<chain>>(client as Client, hash, timeout, (resolve, reject) => {
    const read = async (): Promise<void> => {
      const receipt = await ifFound(getTransactionReceipt(client, { hash }))
      // If the block has been withdrawn since, another status follows.
      if (receipt !== undefined) resolve(receipt)
    }
    return followTransaction(client as Client, hash, {
      onData(progress) {
        if (progress.stage === 'sealed') read().catch(reject)
        else if (isDropped(progress)) reject(new TransactionDroppedError(hash, progress))
      },
      onError: reject,
    })
  })
}
