/**
 * The pre-confirmations of one node, for everyone who waits for one.
 *
 * Owns: one subscription per transport, on while somebody waits.
 */
import type { Client } from 'viem'
import type { PreconfTransaction } from '../rpc/feed.ts'
import type { Hash } from '../types.ts'
import { pushTransportOf, subscribe } from './push.ts'

/** Who waits for a transaction. */
export interface Waiter {
  /** It is pre-confirmed; with what is known of it, where that was sent along. */
  onPreconfirmed(transaction: PreconfTransaction | undefined): void
  /** The subscription did not start, or ended. */
  onError(error: Error): void
}

/** A place among those who wait. */
export interface Wait {
  /** Resolves once nothing pre-confirmed from then on is missed; to false where that failed, and `onError` was told. */
  readonly ready: Promise<boolean>
  /** Gives the place up. */
  leave(): void
}

const shared = new WeakMap<object, Preconfirmations>()

/** Waits for a transaction; see the file's header. */
export function awaitPreconfirmation(client: Client, hash: Hash, waiter: Waiter): Wait {
  const key = client.transport
  let preconfirmations = shared.get(key)
  if (preconfirmations === undefined) {
    preconfirmations = new Preconfirmations(client, () => shared.delete(key))
    shared.set(key, preconfirmations)
  }
  return preconfirmations.wait(hash, waiter)
}

class Preconfirmations {
  readonly #waiters = new Map<Hash, Set<Waiter>>()
  readonly #ready: Promise<boolean>
  readonly #onEnd: () => void
  #unsubscribe: (() => void) | undefined
  #ended = false

  constructor(client: Client, onEnd: () => void) {
    this.#onEnd = onEnd
    this.#ready = this.#start(client).then(
      () => true,
      (error) => {
        this.#fail(error)
        return false
      },
    )
  }

  wait(hash: Hash, waiter: Waiter): Wait {
    const waiters = this.#waiters.get(hash) ?? new Set()
    this.#waiters.set(hash, waiters.add(waiter))
    return {
      ready: this.#ready,
      leave: () => {
        waiters.delete(waiter)
        if (waiters.size === 0 && this.#waiters.get(hash) === waiters) this.#waiters.delete(hash)
        if (this.#waiters.size === 0) this.#end()
      },
    }
  }

  async #start(client: Client): Promise<void> {
    // Where nothing travels, a whole transaction saves asking for its receipt; elsewhere every one of them would be
    // sent.
    const option = pushTransportOf(client).inProcess === true ? true : undefined
    const unsubscribe = await subscribe<Hash | PreconfTransaction>(client, 'newPreconfTransactions', option, {
      onData: (sent) => {
        const transaction = typeof sent === 'string' ? undefined : sent
        const waiters = this.#waiters.get(transaction?.hash ?? (sent as Hash))
        for (const waiter of [...(waiters ?? [])]) waiter.onPreconfirmed(transaction)
      },
      onError: (error) => this.#fail(error),
    })
    if (this.#ended) unsubscribe()
    else this.#unsubscribe = unsubscribe
  }

  #fail(error: Error): void {
    const waiting = [...this.#waiters.values()].flatMap((waiters) => [...waiters])
    this.#end()
    for (const waiter of waiting) waiter.onError(error)
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#onEnd()
    this.#unsubscribe?.()
  }
}
