import {
  type Chain,
  type Client,
  type FormattedTransactionReceipt,
  formatTransactionReceipt,
  type GetTransactionReceiptErrorType,
  type RpcTransactionReceipt,
  TransactionReceiptNotFoundError,
  type Transport,
  WaitForTransactionReceiptTimeoutError,
  type WaitForTransactionReceiptTimeoutErrorType,
  withRetry,
  withTimeout,
} from 'viem'
import { getTransactionReceipt } from 'viem/actions'
import type { Clock } from '../../clock.ts'
import type { PreconfTransaction } from '../../rpc/feed.ts'
import type { Hash } from '../../types.ts'
import type { PushUnsupportedError } from '../errors.ts'
import { awaitPreconfirmation } from '../preconfirmations.ts'
import { pushTransportOf } from '../push.ts'

/** What {@link waitForPreconfirmation} takes. */
export interface WaitForPreconfirmationParameters {
  /** The transaction. */
  readonly hash: Hash
  /** How long to wait at most, in ms of the chain's clock; 180,000. 0 waits for ever. */
  readonly timeout?: number | undefined
}

/** The receipt, as viem formats it. */
export type WaitForPreconfirmationReturnType<chain extends Chain | undefined = Chain | undefined> =
  FormattedTransactionReceipt<chain>

/** What {@link waitForPreconfirmation} rejects with. */
export type WaitForPreconfirmationErrorType =
  | PushUnsupportedError
  | WaitForTransactionReceiptTimeoutErrorType
  | GetTransactionReceiptErrorType

/**
 * Waits until a transaction is pre-confirmed, or sealed already, and returns its receipt. The node says when: nothing
 * is polled. Concurrent waits share one subscription, which ends with the last of them.
 *
 * Under the manual clock, a receipt that is there at the next tick has resolved when `await clock.advance(…)` returns.
 *
 * - Subscription: `newPreconfTransactions`, or `newFlashblockTransactions` of OP-Stack nodes
 *
 * @param client - on the preconf view, with a transport that pushes
 * @throws WaitForTransactionReceiptTimeoutError where it takes longer than `timeout`
 * @throws PushUnsupportedError where the transport has no subscriptions
 * @throws MethodNotFoundRpcError on the standard view, which shows nothing before it is sealed
 * @throws ProviderDisconnectedError where the chain is closed meanwhile
 * @example
 * const hash = await wallet.sendTransaction({ to, value })
 * const receipt = await waitForPreconfirmation(client, { hash })
 */
export function waitForPreconfirmation<chain extends Chain | undefined>(
  client: Client<Transport, chain>,
  { hash, timeout = 180_000 }: WaitForPreconfirmationParameters,
): Promise<WaitForPreconfirmationReturnType<chain>> {
  const late = new WaitForTransactionReceiptTimeoutError({ hash })
  let clock: Clock | undefined
  let end = () => {}
  const receipt = new Promise<WaitForPreconfirmationReturnType<chain>>((resolve, reject) => {
    clock = pushTransportOf(client as Client).clock
    const look = async () => resolve(await getTransactionReceipt(client, { hash }))
    const place = awaitPreconfirmation(client as Client, hash, {
      onPreconfirmed(transaction) {
        const pushed = transaction && toReceipt(transaction)
        if (pushed !== undefined) resolve(format(client, pushed))
        // A node may announce a transaction a moment before it has the receipt.
        else withRetry(look, { ...BACKOFF, shouldRetry: isNotFound }).catch(reject)
      },
      onError: reject,
    })
    const timer = timeout > 0 ? clock?.setTimeout(() => reject(late), timeout) : undefined
    end = () => {
      place.leave()
      if (timer !== undefined) clock?.clearTimeout(timer)
    }
    // It may have been there before.
    place.ready
      .then((started) => (started ? look() : undefined))
      .catch((error) => isNotFound({ error }) || reject(error))
  })
  // Beside what is returned: every promise in between would be one more turn to wait for.
  receipt.then(end, end)
  if (clock !== undefined) return receipt
  const inTime = withTimeout(() => receipt, { errorInstance: late, timeout })
  inTime.catch(end)
  return inTime
}

/** 50 ms, then twice as long each time: 3 s in all. */
const BACKOFF = { delay: ({ count }: { readonly count: number }) => 50 << count, retryCount: 6 } as const

function isNotFound({ error }: { readonly error: Error }): boolean {
  return error instanceof TransactionReceiptNotFoundError
}

function format<chain extends Chain | undefined>(
  client: Client<Transport, chain>,
  receipt: RpcTransactionReceipt,
): WaitForPreconfirmationReturnType<chain> {
  const own = client.chain?.formatters?.transactionReceipt?.format ?? formatTransactionReceipt
  return own(receipt, 'getTransactionReceipt') as WaitForPreconfirmationReturnType<chain>
}

/** The receipt within what was pushed; undefined where it is not all there. */
function toReceipt(transaction: PreconfTransaction): RpcTransactionReceipt | undefined {
  const { hash, from, to, type, blockHash, blockNumber, transactionIndex } = transaction
  const { contractAddress, cumulativeGasUsed, effectiveGasPrice, gasUsed, logs, logsBloom, status } =
    transaction
  // A blob transaction's receipt has the price of its blobs too.
  if (blockHash === null || effectiveGasPrice === undefined || type === '0x3') return undefined
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
  } as RpcTransactionReceipt
}
