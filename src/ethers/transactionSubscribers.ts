/**
 * The waits for transactions.
 *
 * Owns: the subscriptions that tell, on while there are waits, and one for all of them.
 */
import { type Listener, type SocketProvider, SocketSubscriber, type Subscriber } from 'ethers'
import { toMissingReceipt } from './transactions.ts'

/** See the file's header. */
export class TransactionSubscribers {
  readonly #provider: SocketProvider
  readonly #preconf: boolean
  readonly #waiting = new Map<string, TransactionSubscriber>()
  #subscribers: readonly SocketSubscriber[] = []

  /** @param preconf - whether a transaction is to be looked for as soon as it is pre-confirmed. */
  constructor(provider: SocketProvider, preconf: boolean) {
    this.#provider = provider
    this.#preconf = preconf
  }

  /** What ethers starts while a transaction has listeners, and stops after that. */
  subscriberOf(hash: string): Subscriber {
    const subscriber = new TransactionSubscriber(this.#provider, hash, (listening) => {
      if (listening) this.#waiting.set(hash, subscriber)
      else this.#waiting.delete(hash)
      this.#update()
    })
    return subscriber
  }

  /** Rejects the waits; listeners must not have been removed yet. */
  async end(): Promise<void> {
    for (const hash of [...this.#waiting.keys()]) {
      for (const listener of await this.#provider.listeners(hash)) rejectWaiting(listener)
    }
  }

  #update(): void {
    const wanted = this.#waiting.size > 0
    if (wanted === this.#subscribers.length > 0) return
    if (wanted) {
      // As ethers' own does that polls: each block is one more confirmation.
      const heads = new KindSubscriber(this.#provider, 'newHeads', () => {
        for (const subscriber of this.#waiting.values()) void subscriber.look()
      })
      const included = new KindSubscriber(this.#provider, 'newPreconfTransactions', (hash) => {
        void this.#waiting.get(hash as string)?.look()
      })
      this.#subscribers = this.#preconf ? [included, heads] : [heads]
      for (const subscriber of this.#subscribers) subscriber.start()
    } else {
      for (const subscriber of this.#subscribers) subscriber.stop()
      this.#subscribers = []
    }
  }
}

/** Rejects what waits for a transaction by `listener`. */
export function rejectWaiting(listener: Listener): void {
  // A listener that belongs to no `wait` cannot use what it is handed, and may fail: that is no error of its own.
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
    // It may have been there before.
    void this.look()
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

  async look(): Promise<void> {
    const receipt = await this.#provider.getTransactionReceipt(this.#hash)
    if (receipt !== null && this.#listening) await this.#provider.emit(this.#hash, receipt)
  }
}

/** One kind of subscription, shared by all that need it. */
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
