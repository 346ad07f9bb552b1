import {
  type Chain,
  type Client,
  type FormattedTransactionReceipt,
  type GetTransactionReceiptErrorType,
  type RpcTransactionReceipt,
  TransactionReceiptNotFoundError,
  type Transport,
  type WaitForTransactionReceiptTimeoutErrorType,
  withRetry,
} from 'viem'
import { getTransactionReceipt } from 'viem/actions'
import type { TransactionProgress } from '../../../base/eventTypes.ts'
import type { Hash } from '../../../base/types.ts'
import type { PreconfTransaction } from '../../../rpc/subscriptions/feed.ts'
import {
  type NonceGapError,
  type PushUnsupportedError,
  type StandardViewError,
  TransactionDroppedError,
} from '../errors.ts'
import { listenToTransaction } from '../push.ts'
import { formatReceipt } from './syncSends.ts'
import {
  findStatus,
  followTransaction,
  ifFound,
  isDropped,
  toProgress,
  waitInTime,
} from './transactionStatus.ts'

/** Parameters of {@link waitForPreconfirmation}. */
export interface WaitForPreconfirmationParameters {
  /** The hash of the transaction. */
  readonly hash: Hash
  /** The maximum time to wait, in ms of the chain's clock: by default 180,000; 0 for no limit. */
  readonly timeout?: number | undefined
}

/** The receipt, as viem formats it. */
export type WaitForPreconfirmationReturnType<chain extends Chain | undefined = Chain | undefined> =
  FormattedTransactionReceipt<chain>

/** Errors of {@link waitForPreconfirmation}. */
export type WaitForPreconfirmationErrorType =
  | PushUnsupportedError
  | StandardViewError
  | TransactionDroppedError
  | NonceGapError
  | WaitForTransactionReceiptTimeoutErrorType
  | GetTransactionReceiptErrorType

/**
 * Waits until a transaction is pre-confirmed or sealed, and returns its receipt. The node pushes the pre-confirmation,
 * so nothing is polled. Concurrent waits share one subscription, which ends with the last of them.
 *
 * With a manual clock, resolves before the `await clock.advance(…)` whose tick includes the transaction.
 *
 * - Subscription: `newPreconfTransactions`, or `newFlashblockTransactions` of OP-Stack nodes
 *
 * @param client - on the preconf view, with a transport that pushes
 * @throws TransactionDroppedError when the transaction is dropped or replaced, if the node reports it
 * @throws WaitForTransactionReceiptTimeoutError if it takes longer than `timeout`
 * @throws NonceGapError instead of the timeout if nonces before the transaction's are missing
 * @throws PushUnsupportedError if the transport has no subscriptions
 * @throws StandardViewError on the standard view, which shows only sealed transactions
 * @throws ProviderDisconnectedError if the chain is closed meanwhile
 * @example
 * const hash = await wallet.sendTransaction({ to, value })
 * const receipt = await waitForPreconfirmation(client, { hash })
 */
export function waitForPreconfirmation<chain extends Chain | undefined>(
  client: Client<Transport, chain>,
  { hash, timeout = 180_000 }: WaitForPreconfirmationParameters,
): Promise<WaitForPreconfirmationReturnType<chain>> {
  type Receipt = WaitForPreconfirmationReturnType<chain>
  return waitInTime<Receipt>(client as Client, hash, timeout, (resolve, reject) => {
    const readReceipt = async () => resolve(await getTransactionReceipt(client, { hash }))
    const rejectDropped = (progress: TransactionProgress | undefined) => {
      if (isDropped(progress)) reject(new TransactionDroppedError(hash, progress))
    }
    const registration = listenToTransaction(client as Client, hash, {
      onData(sent) {
        const progress = toProgress(sent)
        if (progress.stage !== 'preconfirmed') return rejectDropped(progress)
        const pushed = typeof sent === 'string' ? undefined : toReceipt(sent as PreconfTransaction)
        if (pushed !== undefined) resolve(formatReceipt(client, pushed))
        // A node may announce a transaction shortly before it has the receipt.
        else withRetry(readReceipt, BACKOFF).catch(reject)
      },
      onError: reject,
    })
    const checkOnce = async () => {
      if (!(await registration.ready)) return
      // The transaction may have been included or dropped before the subscription started.
      const receipt = await ifFound(getTransactionReceipt(client, { hash }))
      if (receipt !== undefined) resolve(receipt)
      else rejectDropped(await findStatus(client as Client, hash))
    }
    checkOnce().catch(reject)
    return registration.remove
  })
}

/** Retries after 50 ms, doubled each time, about 3 s in all. */
const BACKOFF: Parameters<typeof withRetry>[1] = {
  delay: ({ count }) => 50 << count,
  retryCount: 6,
  shouldRetry: ({ error }) => error instanceof TransactionReceiptNotFoundError,
}

/** Converts a pushed transaction to its receipt; undefined if it lacks fields that the receipt must have. */
function toReceipt(transaction: PreconfTransaction): RpcTransactionReceipt | undefined {
  const { hash, from, to, type, blockHash, blockNumber, transactionIndex, revertReason } = transaction
  const { contractAddress, cumulativeGasUsed, effectiveGasPrice, gasUsed, logs, logsBloom, status } =
    transaction
  // Pushed transactions lack the state root of receipts before Byzantium, and the blob price of blob transactions.
  if (blockHash === null || effectiveGasPrice === undefined || status === undefined || type === '0x3')
    return undefined
  return {
    transactionHash: hash,
    transactionIndex,
    blockHash,
    blockNumber,
    from,
    to,
    cumulativeGasUsed,
    gasUsed,
    contractAddress,
    logs,
    logsBloom,
    status,
    effectiveGasPrice,
    type,
    ...(revertReason !== undefined && { revertReason }),
  } as RpcTransactionReceipt
}

/** Parameters of {@link waitForSeal}. */
export interface WaitForSealParameters {
  /** The hash of the transaction. */
  readonly hash: Hash
  /** The maximum time to wait, in ms of the chain's clock: by default 180,000; 0 for no limit. */
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
 * Waits until a transaction is in a sealed block, and returns its receipt: on both views, and on any node with a
 * `newHeads` subscription. The node pushes stages or heads, so nothing is polled on a timer.
 *
 * With a manual clock, resolves before the `await clock.advance(…)` that seals the transaction.
 *
 * - Subscriptions: as for {@link watchTransactionStatus}
 *
 * @param client - with a transport that pushes
 * @throws TransactionDroppedError when the transaction is dropped or replaced, if the node reports it
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
      // If the block was withdrawn meanwhile, a further status follows.
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
