/**
 * Who waits for which transaction, on the preconf view.
 *
 * Owns: the subscriptions that tell, on while somebody waits, and one for all of them.
 */
import { type SocketProvider, SocketSubscriber, type Subscriber } from 'ethers'
import { toMissingReceipt } from './preconfTransactions.ts'

/** See the file's header. */
export class Preconfirmations {
  readonly #provider: SocketProvider
  readonly #waiting = new Map<string, TransactionSubscriber>()
  #subscribers: readonly SocketSubscriber[] = []

  constructor(provider: SocketProvider) {
    this.#provider = provider
  }

  /** What ethers starts while anybody listens to a transaction, and stops after that. */
  subscriberOf(hash: string): Subscriber {
    const subscriber = new TransactionSubscriber(this.#provider, hash, (listening) => {
      if (listening) this.#waiting.set(hash, subscriber)
      else this.#waiting.delete(hash)
      this.#update()
    })
    return subscriber
  }

  /** Rejects whoever waits; what is emitted here must still find them. */
  async end(): Promise<void> {
    for (const hash of [...this.#waiting.keys()]) await this.#provider.emit(hash, toMissingReceipt())
  }

  #update(): void {
    const wanted = this.#waiting.size > 0
    if (wanted === this.#subscribers.length > 0) return
    if (wanted) {
      this.#subscribers = [
        new KindSubscriber(this.#provider, 'newPreconfTransactions', (hash) => {
          void this.#waiting.get(hash as string)?.look()
        }),
        // As ethers' own does that polls: each block is one more confirmation.
        new KindSubscriber(this.#provider, 'newHeads', () => {
          for (const subscriber of this.#waiting.values()) void subscriber.look()
        }),
      ]
      for (const subscriber of this.#subscribers) subscriber.start()
    } else {
      for (const subscriber of this.#subscribers) subscriber.stop()
      this.#subscribers = []
    }
  }
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
    // Where the chain is closed meanwhile, so is the provider.
    const receipt = await this.#provider.getTransactionReceipt(this.#hash).catch(() => null)
    if (receipt !== null && this.#listening) await this.#provider.emit(this.#hash, receipt)
  }
}

/** One kind of subscription, for whoever needs what it sends. */
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
