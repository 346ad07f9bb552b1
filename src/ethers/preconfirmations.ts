/**
 * Who waits for which transaction to be pre-confirmed.
 *
 * Owns: the subscriptions that tell, on while somebody waits.
 */
import { type SocketProvider, SocketSubscriber } from 'ethers'

/** See the file's header. */
export class Preconfirmations {
  readonly #isComing: (hash: string) => Promise<boolean>
  readonly #waiting = new Map<string, Waiting>()
  readonly #provider: SocketProvider
  #subscribers: readonly SocketSubscriber[] = []

  /** @param isComing - whether the next tick is to include a transaction. */
  constructor(provider: SocketProvider, isComing: (hash: string) => Promise<boolean>) {
    this.#provider = provider
    this.#isComing = isComing
  }

  /** Resolves once a transaction is pre-confirmed, or is not to be by the next tick. */
  async wait(hash: string): Promise<void> {
    let waiting = this.#waiting.get(hash)
    if (waiting === undefined) {
      waiting = createWaiting()
      this.#waiting.set(hash, waiting)
      if (this.#subscribers.length === 0) this.#subscribe()
    }
    await this.#look(hash)
    return waiting.promise
  }

  /** Lets everyone go. */
  end(): void {
    for (const hash of [...this.#waiting.keys()]) this.#resolve(hash)
  }

  #subscribe(): void {
    this.#subscribers = [
      new Subscriber(this.#provider, 'newPreconfTransactions', (hash) => this.#resolve(hash as string)),
      // What is dropped or replaced meanwhile is never announced.
      new Subscriber(this.#provider, 'newHeads', () => {
        for (const hash of this.#waiting.keys()) void this.#look(hash)
      }),
    ]
    for (const subscriber of this.#subscribers) subscriber.start()
  }

  async #look(hash: string): Promise<void> {
    // Where the chain is closed meanwhile, whoever waits is told by their next request.
    if (!(await this.#isComing(hash).catch(() => false))) this.#resolve(hash)
  }

  #resolve(hash: string): void {
    this.#waiting.get(hash)?.resolve()
    this.#waiting.delete(hash)
    if (this.#waiting.size > 0) return
    for (const subscriber of this.#subscribers) subscriber.stop()
    this.#subscribers = []
  }
}

interface Waiting {
  readonly promise: Promise<void>
  resolve(): void
}

function createWaiting(): Waiting {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

class Subscriber extends SocketSubscriber {
  readonly #onMessage: (message: unknown) => void

  constructor(provider: SocketProvider, kind: string, onMessage: (message: unknown) => void) {
    super(provider, [kind])
    this.#onMessage = onMessage
  }

  override async _emit(_provider: SocketProvider, message: unknown): Promise<void> {
    this.#onMessage(message)
  }
}
