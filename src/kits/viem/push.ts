/**
 * Subscribes and calls by the name that a node supports: preseal's or the OP-Stack's.
 *
 * Owns: which transports use the names of the OP-Stack, and the shared subscriptions.
 */

import { type Client, RpcRequestError, zeroHash } from 'viem'
import { getOrInsert } from '../../base/collections.ts'
import type { Hash } from '../../base/types.ts'
import type { PreconfTransaction, TransactionStage } from '../../rpc/subscriptions/feed.ts'
import type { ChainTransportAttributes } from './chainTransport.ts'
import { PushUnsupportedError, StandardViewError } from './errors.ts'

/** preseal's names, each with its name on OP-Stack nodes if it differs. */
const ALIASES = {
  chain_transactionStatus: 'base_transactionStatus',
  newHeads: undefined,
  newPreconfBlocks: 'newFlashblocks',
  newPreconfTransactions: 'newFlashblockTransactions',
  pendingLogs: undefined,
} as const

type AliasedName = keyof typeof ALIASES

/** A transport that can subscribe: this package's, or viem's `webSocket`, which lacks the further fields. */
export type PushTransport = Pick<ChainTransportAttributes, 'subscribe'> & Partial<ChainTransportAttributes>

/** The callbacks of a subscription: `onError` is called when it fails or its connection ends. */
interface PushListener<T> {
  onData(result: T): void
  onError?: ((error: Error) => void) | undefined
}

/** The callbacks of a shared subscription, whose errors need a receiver. */
export interface Listener<T> extends PushListener<T> {
  onError(error: Error): void
}

/** The names whose alias a transport uses. Keyed by transport, which all clients extended from a client share. */
const aliasesInUse = new WeakMap<object, Set<AliasedName>>()

/** Returns the transport or, for a `fallback`, its first one that pushes, as viem does. @throws PushUnsupportedError */
export function pushTransportOf(client: Client): PushTransport {
  const { transport } = client
  const candidates = [transport, ...(transport.type === 'fallback' ? transport['transports'] : [])]
  for (const candidate of candidates) {
    const value = candidate.value ?? candidate
    if (typeof value.subscribe === 'function') return value
  }
  throw new PushUnsupportedError(transport.name)
}

/**
 * Starts a subscription by the name that the node supports. An error of `onData` goes to `onError`.
 *
 * @param aliasOption - the parameter after the kind's name on OP-Stack nodes; by default `option`.
 * @returns a function that ends the subscription.
 * @throws PushUnsupportedError, StandardViewError, and the errors of the transport
 */
async function subscribe<T>(
  client: Client,
  kind: AliasedName,
  option: unknown,
  listener: PushListener<T>,
  aliasOption = option,
): Promise<() => void> {
  const { onError } = listener
  const onData = isolate(listener)
  const transport = pushTransportOf(client)
  const { unsubscribe } = await callByName(client, kind, async (name) => {
    const own = name === kind ? option : aliasOption
    const params = own === undefined ? [name] : [name, own]
    // viem's transports report a failed start twice: by `onError`, and by rejecting.
    let early: Error | undefined
    let report = (error: Error): void => {
      early = error
    }
    const subscription = await transport
      .subscribe({ params, onData: ({ result }) => onData(result), onError: (error) => report(error) })
      .catch((error) => {
        // viem's transports reject with the error object of the response.
        const request = { body: { method: 'eth_subscribe', params }, error, url: 'eth_subscribe' }
        throw error instanceof Error ? error : new RpcRequestError(request)
      })
    report = (error) => onError?.(error)
    if (early !== undefined) report(early)
    return subscription
  }).catch(async (error) => {
    throw await explainRefusal(client, error)
  })
  return () => void unsubscribe().catch(() => {})
}

/** Starts a subscription without waiting for it. After a call of the returned function, the listener is not called. */
export function watch<T>(
  client: Client,
  kind: AliasedName,
  option: unknown,
  { onData, onError }: PushListener<T>,
): () => void {
  let active = true
  const fail = (error: Error): void => {
    if (active) onError?.(error)
  }
  const starting = subscribe<T>(client, kind, option, {
    onData: (result) => {
      if (active) onData(result)
    },
    onError: onError && fail,
  })
  starting.catch(fail)
  return () => {
    active = false
    starting.then((unsubscribe) => unsubscribe()).catch(() => {})
  }
}

/** Calls a method by preseal's name or, if the node does not support it, from then on by the OP-Stack's. */
export async function callByName<T>(
  client: Client,
  name: AliasedName,
  call: (name: string) => Promise<T>,
): Promise<T> {
  const alias = ALIASES[name]
  if (alias === undefined) return call(name)
  const known = aliasesInUse.get(client.transport)
  if (known?.has(name)) return call(alias)
  try {
    return await call(name)
  } catch (error) {
    if (!isUnknownName(error)) throw error
    const result = await call(alias)
    aliasesInUse.set(client.transport, new Set(known).add(name))
    return result
  }
}

/** Returns an `onData` that never throws, since an error would end all listeners of a socket. */
export function isolate<T>({ onData, onError }: PushListener<T>): (result: T) => void {
  return (result) => {
    try {
      onData(result)
    } catch (error) {
      if (onError !== undefined) onError(error as Error)
      else void Promise.reject(error)
    }
  }
}

/** Returns a StandardViewError if a preseal node does not support a kind of subscription, else `error`. */
export async function explainRefusal(client: Client, error: unknown): Promise<unknown> {
  if (!isUnknownName(error)) return error
  const status = { method: 'chain_transactionStatus', params: [zeroHash] }
  const isPreseal = await client.request(status as never).then(Boolean, () => false)
  return isPreseal ? new StandardViewError(error as Error) : error
}

/**
 * Whether the node does not support a method or subscription. For an unknown kind of subscription, go-ethereum returns
 * -32601, and reth -32602, as it parses the kind as a parameter. Wallets may return 4200 (EIP-1193).
 */
export function isUnknownName(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null)?.code
  return code === -32_601 || code === -32_602 || code === 4200
}

/** A message about a transaction: its hash or the whole transaction when it is pre-confirmed, or a different stage. */
export type TransactionMessage = Hash | PreconfTransaction | TransactionStage

interface Registration {
  /** Resolves to true when the subscription has started; to false if it failed and `onError` was called. */
  readonly ready: Promise<boolean>
  remove(): void
}

const shared = new WeakMap<object, Map<AliasedName, SharedSubscription<never>>>()

/** Listens to the stages of a transaction on the preconf view; nodes other than preseal send only pre-confirmations. */
export function listenToTransaction(
  client: Client,
  hash: Hash,
  listener: Listener<TransactionMessage>,
): Registration {
  const kind = 'newPreconfTransactions'
  const start = async (all: Listener<TransactionMessage>) => {
    // Whole transactions save requests for receipts. They arrive for all senders: too much data over a network.
    const whole = pushTransportOf(client).isLocal === true ? true : undefined
    return subscribe(client, kind, { stages: true, transactions: whole }, all, whole)
  }
  const keyOf = (sent: TransactionMessage) => (typeof sent === 'string' ? sent : sent.hash)
  return share(client, kind, start, keyOf).listen(hash, listener)
}

/** Listens to the heads of the sealed chain. */
export function listenToHeads(client: Client, listener: Listener<unknown>): Registration {
  const kind = 'newHeads'
  const start = (all: Listener<unknown>) => subscribe(client, kind, undefined, all)
  return share(client, kind, start, () => kind).listen(kind, listener)
}

function share<T>(
  { transport }: Client,
  kind: AliasedName,
  ...how: [start: (listener: Listener<T>) => Promise<() => void>, keyOf: (sent: T) => string]
): SharedSubscription<T> {
  const kinds = getOrInsert(shared, transport, () => new Map<AliasedName, SharedSubscription<never>>())
  const create = () => new SharedSubscription(...how, () => kinds.delete(kind))
  return getOrInsert(kinds as Map<AliasedName, SharedSubscription<T>>, kind, create)
}

/** A subscription that all waits and status watchers of a transport share, active while it has listeners. */
class SharedSubscription<T> {
  readonly #listeners = new Map<string, Set<Listener<T>>>()
  readonly #ready: Promise<boolean>
  readonly #onEnd: () => void
  #unsubscribe: (() => void) | undefined
  #ended = false

  /** @param keyOf - returns the key of the listeners to call with a message */
  constructor(
    start: (listener: Listener<T>) => Promise<() => void>,
    keyOf: (sent: T) => string,
    onEnd: () => void,
  ) {
    this.#onEnd = onEnd
    const started = start({
      onData: (sent) => {
        for (const listener of [...(this.#listeners.get(keyOf(sent)) ?? [])]) isolate(listener)(sent)
      },
      onError: (error) => this.#fail(error),
    })
    this.#ready = started.then(
      (unsubscribe) => {
        if (this.#ended) unsubscribe()
        else this.#unsubscribe = unsubscribe
        return true
      },
      (error) => {
        this.#fail(error)
        return false
      },
    )
  }

  listen(key: string, listener: Listener<T>): Registration {
    const listeners = this.#listeners.get(key) ?? new Set()
    this.#listeners.set(key, listeners.add(listener))
    return {
      ready: this.#ready,
      remove: () => {
        listeners.delete(listener)
        if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key)
        if (this.#listeners.size === 0) this.#end()
      },
    }
  }

  #fail(error: Error): void {
    const all = [...this.#listeners.values()].flatMap((listeners) => [...listeners])
    this.#end()
    for (const listener of all) listener.onError(error)
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#onEnd()
    this.#unsubscribe?.()
  }
}
