/** Where a transaction stands, pushed, by whatever its node tells. */
import { type Client, TransactionNotFoundError, TransactionReceiptNotFoundError } from 'viem'
import { getBlockNumber, getTransaction, getTransactionCount, getTransactionReceipt } from 'viem/actions'
import type { TransactionProgress, TransactionStatus } from '../primitives/eventTypes.ts'
import type { Address, Hash } from '../primitives/types.ts'
import { getTransactionStatus } from './actions/getTransactionStatus.ts'
import { isUnknownName, type Listener } from './push.ts'
import { listenToHeads, listenToTransaction, type TransactionMessage } from './sharedSubscription.ts'

/** Transports to nodes without a method for the status of a transaction. */
const withoutStatus = new WeakSet<object>()

/** Transports to nodes, or views, without pre-confirmations. */
const withoutPreconfirmations = new WeakSet<object>()

/**
 * Follows a transaction: calls back with where it stands, then with every change. preseal's preconf view pushes each of
 * them; elsewhere the transaction is looked for at every head, and pre-confirmations are pushed if the node has them.
 *
 * @returns what ends it.
 */
export function followTransaction(
  client: Client,
  hash: Hash,
  { onData, onError }: Listener<TransactionProgress>,
): () => void {
  const { transport } = client
  const finder = new Finder(client, hash)
  let active = true
  let last: TransactionProgress | undefined
  /** How often there was news: a look that was overtaken by some is out of date. */
  let news = 0
  let looking = false

  const tell = (progress: TransactionProgress): void => {
    if (!active || (progress.status === last?.status && progress.stage === last.stage)) return
    // A node forgets what was dropped, sooner or later.
    if (progress.stage === undefined && isDropped(last)) return
    last = progress
    onData(progress)
  }
  const fail = (error: Error): void => {
    if (active) onError(error)
  }
  const look = async (): Promise<void> => {
    news += 1
    if (looking) return
    looking = true
    try {
      for (let seen = 0; active && seen !== news; ) {
        seen = news
        const progress = await finder.find()
        if (seen === news) tell(progress)
      }
    } catch (error) {
      fail(error as Error)
    } finally {
      looking = false
    }
  }

  const heads = listenToHeads(client, { onData: () => void look(), onError: fail })
  const places = [heads]
  if (!withoutPreconfirmations.has(transport)) {
    const preconf = listenToTransaction(client, hash, {
      onData(sent) {
        news += 1
        tell(toProgress(sent))
      },
      // A connection that ends is told of by `heads`.
      onError: (error) => void (isUnknownName(error) && withoutPreconfirmations.add(transport)),
    })
    places.push(preconf)
  }
  void Promise.all(places.map(({ ready }) => ready)).then(([started]) => {
    if (started) void look()
  })
  return () => {
    active = false
    for (const place of places) place.leave()
  }
}

/** Where a transaction stands, if the node has a method for that. */
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

/** What a message about a transaction says of it. */
export function toProgress(sent: TransactionMessage): TransactionProgress {
  if (typeof sent === 'string' || !('stage' in sent)) return { status: 'Known', stage: 'preconfirmed' }
  const { hash: _, ...progress } = sent
  const isKnown = sent.stage === 'queued' || sent.stage === 'pending'
  return { status: isKnown ? 'Known' : 'Unknown', ...progress }
}

/** Whether a transaction was dropped or replaced. */
export function isDropped(progress: TransactionProgress | undefined): progress is TransactionProgress {
  return progress?.stage === 'dropped' || progress?.stage === 'replaced'
}

/** Finds where one transaction stands; by receipts if the node tells no stage. */
class Finder {
  readonly #client: Client
  readonly #hash: Hash
  /** As the node last knew it, while it waited. */
  #waiting: { readonly from: Address; readonly nonce: number } | undefined

  constructor(client: Client, hash: Hash) {
    this.#client = client
    this.#hash = hash
  }

  async find(): Promise<TransactionProgress> {
    const status = await findStatus(this.#client, this.#hash)
    if (status?.stage !== undefined) return status
    const included = await this.#findIncluded()
    if (included !== undefined) return included
    const transaction = await ifFound(getTransaction(this.#client, { hash: this.#hash }))
    if (transaction !== undefined) {
      this.#waiting = transaction
      return { status: 'Known', stage: 'pending' }
    }
    if (this.#waiting === undefined) return { status: 'Unknown' }
    const { from: address, nonce } = this.#waiting
    const next = await getTransactionCount(this.#client, { address, blockTag: 'latest' })
    if (next <= nonce) return { status: 'Unknown' }
    // Its nonce is used: by itself, if it was included since it was looked for.
    return (await this.#findIncluded()) ?? { status: 'Unknown', stage: 'replaced' }
  }

  async #findIncluded(): Promise<TransactionProgress | undefined> {
    const receipt = await ifFound(getTransactionReceipt(this.#client, { hash: this.#hash }))
    if (receipt === undefined) return undefined
    const head = await getBlockNumber(this.#client, { cacheTime: 0 })
    return { status: 'Known', stage: receipt.blockNumber <= head ? 'sealed' : 'preconfirmed' }
  }
}

/** What was asked for, or undefined if there is no such thing. */
export async function ifFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof TransactionReceiptNotFoundError || error instanceof TransactionNotFoundError
}
