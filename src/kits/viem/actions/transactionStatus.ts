import {
  type Chain,
  type Client,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
  type Transport,
  WaitForTransactionReceiptTimeoutError,
  withTimeout,
} from 'viem'
import { getBlockNumber, getTransaction, getTransactionCount, getTransactionReceipt } from 'viem/actions'
import type { RequestErrorType } from 'viem/utils'
import type { TransactionProgress, TransactionStatus } from '../../../base/eventTypes.ts'
import type { Address, Hash } from '../../../base/types.ts'
import { NonceGapError } from '../errors.ts'
import {
  callByName,
  isolate,
  isUnknownName,
  type Listener,
  listenToHeads,
  listenToTransaction,
  pushTransportOf,
  type TransactionMessage,
} from '../push.ts'

/** Parameters of {@link getTransactionStatus}. */
export interface GetTransactionStatusParameters {
  /** The hash of the transaction. */
  readonly hash: Hash
}

/** Whether the transaction is known, and its stage, which OP-Stack nodes do not report. */
export type GetTransactionStatusReturnType = TransactionStatus

/** Errors of {@link getTransactionStatus}. */
export type GetTransactionStatusErrorType = RequestErrorType

/**
 * Returns the stage of a transaction: queued, pending, preconfirmed, sealed, dropped or replaced.
 *
 * - JSON-RPC method: `chain_transactionStatus`, or `base_transactionStatus` of OP-Stack nodes
 *
 * @throws MethodNotFoundRpcError if the node supports neither method
 * @example
 * const { status, stage } = await getTransactionStatus(client, { hash })
 */
export function getTransactionStatus(
  client: Client<Transport, Chain | undefined>,
  { hash }: GetTransactionStatusParameters,
): Promise<GetTransactionStatusReturnType> {
  return callByName(client as Client, 'chain_transactionStatus', (method) =>
    client.request({ method, params: [hash] } as never),
  )
}

/** Parameters of {@link watchTransactionStatus}. */
export interface WatchTransactionStatusParameters {
  /** The hash of the transaction. */
  readonly hash: Hash
  /** Called with the current status, then with each new one. `previous` is undefined in the first call. */
  onStatus(status: TransactionProgress, previous: TransactionProgress | undefined): void
  /** Called if a subscription or a request fails, the connection ends, or `onStatus` throws. */
  onError?: ((error: Error) => void) | undefined
}

/** Stops watching. */
export type WatchTransactionStatusReturnType = () => void

/**
 * Watches the stage of a transaction: queued, pending, preconfirmed, sealed, dropped or replaced. When its
 * pre-confirmation or its block is withdrawn, an earlier stage follows, such as `pending` after `preconfirmed`.
 *
 * preseal's preconf view pushes every change, with the reason of a drop. On other views and nodes, the transaction is
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

/** Transports to nodes without a method for the status of a transaction. */
const withoutStatus = new WeakSet<object>()

/** Transports to nodes or views without pre-confirmations. */
const withoutPreconfirmations = new WeakSet<object>()

/** Calls `onData` with a transaction's progress and every change, until the returned function is called. */
export function followTransaction(
  client: Client,
  hash: Hash,
  { onData, onError }: Listener<TransactionProgress>,
): () => void {
  const { transport } = client
  const find = createFinder(client, hash)
  let active = true
  let last: TransactionProgress | undefined
  /** The number of heads and messages so far. If it changes during a poll, the poll's result is out of date. */
  let updates = 0
  let polling = false

  const report = (progress: TransactionProgress): void => {
    if (!active || (progress.status === last?.status && progress.stage === last.stage)) return
    // Nodes forget dropped transactions after some time: their last stage stays `dropped` or `replaced`.
    if (progress.stage === undefined && isDropped(last)) return
    last = progress
    onData(progress)
  }
  const fail = (error: Error): void => {
    if (active) onError(error)
  }
  const poll = async (): Promise<void> => {
    updates += 1
    if (polling) return
    polling = true
    try {
      for (let seen = 0; active && seen !== updates; ) {
        seen = updates
        const progress = await find()
        if (seen === updates) report(progress)
      }
    } catch (error) {
      fail(error as Error)
    } finally {
      polling = false
    }
  }

  const registrations = [listenToHeads(client, { onData: () => void poll(), onError: fail })]
  if (!withoutPreconfirmations.has(transport)) {
    const preconf = listenToTransaction(client, hash, {
      onData(sent) {
        updates += 1
        report(toProgress(sent))
      },
      // Reports no error: the subscription to heads reports the end of the connection.
      onError: (error) => void (isUnknownName(error) && withoutPreconfirmations.add(transport)),
    })
    registrations.push(preconf)
  }
  void Promise.all(registrations.map(({ ready }) => ready)).then(([started]) => {
    if (started) void poll()
  })
  return () => {
    active = false
    for (const registration of registrations) registration.remove()
  }
}

/** Returns the status of a transaction; undefined if the node has no method for it. */
export async function findStatus(client: Client, hash: Hash): Promise<TransactionStatus | undefined> {
  if (withoutStatus.has(client.transport)) return undefined
  try {
    return await getTransactionStatus(client, { hash })
  } catch (error) {
    if (!isUnknownName(error)) throw error
    withoutStatus.add(client.transport)
    return undefined
  }
}

/** Converts a message about a transaction to its progress. */
export function toProgress(sent: TransactionMessage): TransactionProgress {
  if (typeof sent === 'string' || !('stage' in sent)) return { status: 'Known', stage: 'preconfirmed' }
  const { hash: _, ...progress } = sent
  const isKnown = sent.stage === 'queued' || sent.stage === 'pending'
  return { status: isKnown ? 'Known' : 'Unknown', ...progress }
}

/** Returns whether a transaction has left the mempool without a block; false if nothing is known of it. */
export function isDropped(progress: TransactionProgress | undefined): progress is TransactionProgress {
  return progress?.stage === 'dropped' || progress?.stage === 'replaced'
}

/** Returns a function that finds the stage of a transaction; from its receipt and nonce if the node reports none. */
function createFinder(client: Client, hash: Hash): () => Promise<TransactionProgress> {
  /** The transaction, as the node returned it before it was included. */
  let waiting: { readonly from: Address; readonly nonce: number } | undefined
  const findIncluded = async (): Promise<TransactionProgress | undefined> => {
    const receipt = await ifFound(getTransactionReceipt(client, { hash }))
    if (receipt === undefined) return undefined
    const head = await getBlockNumber(client, { cacheTime: 0 })
    return { status: 'Known', stage: receipt.blockNumber <= head ? 'sealed' : 'preconfirmed' }
  }
  return async () => {
    const status = await findStatus(client, hash)
    if (status?.stage !== undefined) return status
    const included = await findIncluded()
    if (included !== undefined) return included
    const transaction = await ifFound(getTransaction(client, { hash }))
    if (transaction !== undefined) {
      waiting = transaction
      return { status: 'Known', stage: 'pending' }
    }
    if (waiting === undefined) return { status: 'Unknown' }
    const { from: address, nonce } = waiting
    const next = await getTransactionCount(client, { address, blockTag: 'latest' })
    if (next <= nonce) return { status: 'Unknown' }
    // Its nonce is used: the transaction was replaced, or included after the request for its receipt.
    return (await findIncluded()) ?? { status: 'Unknown', stage: 'replaced' }
  }
}

/** Resolves to the result of a request; undefined if the transaction or receipt was not found. */
export async function ifFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    const isNotFound =
      error instanceof TransactionReceiptNotFoundError || error instanceof TransactionNotFoundError
    if (isNotFound) return undefined
    throw error
  }
}

/**
 * Calls `begin`, waits until it calls `resolve` or `reject`, and calls the function that `begin` returned.
 *
 * @param timeout - the maximum time to wait, in ms of the chain's clock; 0 for no limit.
 * @throws WaitForTransactionReceiptTimeoutError, NonceGapError, PushUnsupportedError
 */
export function waitInTime<T>(
  client: Client,
  hash: Hash,
  timeout: number,
  begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  const late = new WaitForTransactionReceiptTimeoutError({ hash })
  let end = (): void => {}
  let inChainTime = false
  const waiting = new Promise<T>((resolve, reject) => {
    const { clock } = pushTransportOf(client)
    const stop = begin(resolve, reject)
    inChainTime = clock !== undefined
    const onLate = () => void explain(client, hash, late).then(reject)
    const timer = timeout > 0 ? clock?.setTimeout(onLate, timeout) : undefined
    end = () => {
      stop()
      if (timer !== undefined) clock?.clearTimeout(timer)
    }
  })
  // Returns `waiting` itself: a promise chained to it would resolve a turn later.
  waiting.then(end, end)
  if (inChainTime) return waiting
  return withTimeout(() => waiting, { errorInstance: late, timeout }).catch(async (error) => {
    end()
    throw error === late ? await explain(client, hash, late) : error
  })
}

/** Returns a NonceGapError if the transaction waits behind a gap in its sender's nonces, else `late`. */
async function explain(client: Client, hash: Hash, late: Error): Promise<Error> {
  try {
    const stage = (await findStatus(client, hash))?.stage
    if (stage !== undefined && stage !== 'queued') return late
    const { from, nonce } = await getTransaction(client, { hash })
    const next = await getTransactionCount(client, { address: from, blockTag: 'pending' })
    return nonce > next ? new NonceGapError(hash, nonce, next, late) : late
  } catch {
    return late
  }
}
