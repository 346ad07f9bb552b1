/**
 * Subscriptions that all waits and watchers of one transport share.
 *
 * Owns: one subscription per transport and kind, active while it has listeners.
 */
import type { Client } from 'viem'
import type { Hash } from '../../base/types.ts'
import type { PreconfTransaction, TransactionStage } from '../../rpc/subscriptions/feed.ts'
import { type AliasedName, isolate, type Listener, pushTransportOf, subscribe } from './push.ts'

/** A message about a transaction: a pre-confirmation (its hash, or the whole transaction), or another stage. */
export type TransactionMessage = Hash | PreconfTransaction | TransactionStage

/** A listener's registration with a subscription. */
export interface Registration {
  /** Resolves to true once the subscription has started; to false if that failed, and `onError` was called. */
  readonly ready: Promise<boolean>
  /** Removes the listener. */
  remove(): void
}

const shared = new WeakMap<object, Map<AliasedName, SharedSubscription<never>>>()

/** Listens to the stages of a transaction on the preconf view; nodes other than preseal only send pre-confirmations. */
export function listenToTransaction(
  client: Client,
  hash: Hash,
  listener: Listener<TransactionMessage>,
): Registration {
  return share<TransactionMessage>(client, 'newPreconfTransactions', (onEnd) => {
    const start = async (all: Listener<TransactionMessage>) => {
      // Whole transactions save the requests for receipts, but over a network every one of them would be transferred.
      const whole = pushTransportOf(client).isLocal === true ? true : undefined
      const option = { stages: true, transactions: whole }
      return subscribe(client, 'newPreconfTransactions', option, all, whole)
    }
    return new SharedSubscription(start, (sent) => (typeof sent === 'string' ? sent : sent.hash), onEnd)
  }).listen(hash, listener)
}

/** Listens to the heads of the sealed chain. */
export function listenToHeads(client: Client, listener: Listener<unknown>): Registration {
  const all = 'newHeads'
  return share(client, 'newHeads', (onEnd) => {
    const start = (listeners: Listener<unknown>) => subscribe(client, 'newHeads', undefined, listeners)
    return new SharedSubscription(start, () => all, onEnd)
  }).listen(all, listener)
}

function share<T>(
  { transport }: Client,
  kind: AliasedName,
  make: (onEnd: () => void) => SharedSubscription<T>,
): SharedSubscription<T> {
  const kinds = shared.get(transport) ?? new Map<AliasedName, SharedSubscription<never>>()
  shared.set(transport, kinds)
  let subscription = kinds.get(kind) as SharedSubscription<T> | undefined
  if (subscription === undefined) {
    subscription = make(() => kinds.delete(kind))
    kinds.set(kind, subscription as SharedSubscription<never>)
  }
  return subscription
}

class SharedSubscription<T> {
  readonly #listeners = new Map<string, Set<Listener<T>>>()
  readonly #ready: Promise<boolean>
  readonly #onEnd: () => void
  #unsubscribe: (() => void) | undefined
  #ended = false

  /** @param keyOf - the key of the listeners that a message is for. */
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
