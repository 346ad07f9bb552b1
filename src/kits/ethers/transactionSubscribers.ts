/**
 * Subscribers that wait for transactions.
 *
 * Owns: the subscriptions that they share, which are active while at least one of them waits.
 */
import { type Listener, type SocketProvider, SocketSubscriber, type Subscriber } from 'ethers'
import { toMissingReceipt } from './transactions.ts'

/** See the file's header. */
export class TransactionSubscribers {
  readonly #provider: SocketProvider
  readonly #preconf: boolean
  readonly #waiting = new Map<string, TransactionSubscriber>()
  #subscribers: readonly SocketSubscriber[] = []

  /** @param preconf - whether to fetch a receipt as soon as its transaction is pre-confirmed. */
  constructor(provider: SocketProvider, preconf: boolean) {
    this.#provider = provider
    this.#preconf = preconf
  }

  /** The subscriber of a transaction: ethers starts it with the first listener, and stops it after the last. */
  subscriberOf(hash: string): Subscriber {
    const subscriber = new TransactionSubscriber(this.#provider, hash, (listening) => {
      if (listening) this.#waiting.set(hash, subscriber)
      else this.#waiting.delete(hash)
      this.#update()
    })
    return subscriber
  }

  /** Rejects all waits; their listeners must not be removed yet. */
  async end(): Promise<void> {
    for (const hash of [...this.#waiting.keys()]) {
      for (const listener of await this.#provider.listeners(hash)) rejectWaiting(listener)
    }
  }

  #update(): void {
    const needed = this.#waiting.size > 0
    if (needed === this.#subscribers.length > 0) return
    if (needed) {
      // Each block is one more confirmation, as in ethers' polling subscriber.
      const heads = new KindSubscriber(this.#provider, 'newHeads', () => {
        for (const subscriber of this.#waiting.values()) void subscriber.poll()
      })
      const included = new KindSubscriber(this.#provider, 'newPreconfTransactions', (hash) => {
        void this.#waiting.get(hash as string)?.poll()
      })
      this.#subscribers = this.#preconf ? [included, heads] : [heads]
      for (const subscriber of this.#subscribers) subscriber.start()
    } else {
      for (const subscriber of this.#subscribers) subscriber.stop()
      this.#subscribers = []
    }
  }
}

/** Rejects the wait for a transaction that `listener` belongs to. */
export function rejectWaiting(listener: Listener): void {
  // A listener that belongs to no `wait` may fail on this receipt: that error is ignored.
  void (async () => listener(toMissingReceipt()))().catch(() => {})
}

/** Emits a transaction's receipt: as soon as there is one, and at every block after that. */
class TransactionSubscriber implements Subscriber {
  readonly #provider: SocketProvider
  readonly #hash: string
  readonly #onListening: (listening: boolean) => void
  #listening = false

  constructor(provider: SocketProvider, hash: string, onListening: (listening: boolean) => void) {
    this.#provider = provider
    this.#hash = hash
    this.#onListening = onListening
  }

  start(): void {
    this.#listening = true
    this.#onListening(true)
    // The receipt may already exist.
    void this.poll()
  }

  stop(): void {
    this.#listening = false
    this.#onListening(false)
  }

  pause(): void {
    this.stop()
  }

  resume(): void {
    this.start()
  }

  async poll(): Promise<void> {
    const receipt = await this.#provider.getTransactionReceipt(this.#hash)
    if (receipt !== null && this.#listening) await this.#provider.emit(this.#hash, receipt)
  }
}

/** A subscription of one kind. */
class KindSubscriber extends SocketSubscriber {
  readonly #onMessage: (message: unknown) => void

  constructor(provider: SocketProvider, kind: string, onMessage: (message: unknown) => void) {
    super(provider, [kind])
    this.#onMessage = onMessage
  }

  override async _emit(_provider: SocketProvider, message: unknown): Promise<void> {
    this.#onMessage(message)
  }
}
