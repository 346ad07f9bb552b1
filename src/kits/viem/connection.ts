/**
 * The subscriptions of one provider's connection, as viem's transports offer them.
 *
 * Owns: the handler of each subscription. Does not own: the connection, which belongs to the provider.
 */
import { ProviderDisconnectedError } from 'viem'
import type { Hex } from '../../base/types.ts'

/** An EIP-1193 provider that emits `message` events: a chain's, or any other. */
export interface PushProvider {
  request(args: { readonly method: string; readonly params?: unknown }): Promise<unknown>
  on(event: string, listener: (value: never) => void): unknown
  removeListener(event: string, listener: (value: never) => void): unknown
}

/** What viem's watchers pass to a transport's `subscribe`. */
export interface SubscribeParameters {
  /** The params of `eth_subscribe`: the kind, and its option if it has one. */
  readonly params: readonly unknown[]
  /** Called with every message of the subscription, from the first on, in order. */
  onData(data: SubscriptionData): void
  /** Called once if the connection ends. */
  onError?: ((error: Error) => void) | undefined
}

/** One message of a subscription. */
export interface SubscriptionData {
  readonly subscription: Hex
  // viem's own transports have the same type.
  // biome-ignore lint/suspicious/noExplicitAny: every kind sends something else
  readonly result: any
}

/** An active subscription. */
export interface SubscribeReturnType {
  readonly subscriptionId: Hex
  /** Ends it; resolves to whether it was active, and never rejects. */
  unsubscribe(): Promise<boolean>
}

interface Message {
  readonly type: string
  readonly data: SubscriptionData
}

type Request = (args: { method: string; params: readonly unknown[] }) => Promise<unknown>

/** See the file's header. */
export class Connection {
  readonly #provider: PushProvider
  readonly #handlers = new Map<Hex, (data: SubscriptionData) => void>()
  /** Messages that arrived while a subscription was starting, before its id was known. */
  #early: SubscriptionData[] = []
  #starting = 0

  constructor(provider: PushProvider) {
    this.#provider = provider
    provider.on('message', ({ type, data }: Message) => {
      if (type !== 'eth_subscription') return
      const handler = this.#handlers.get(data.subscription)
      if (handler !== undefined) handler(data)
      else if (this.#starting > 0) this.#early.push(data)
    })
  }

  /**
   * Starts a subscription.
   *
   * @param request - sends a request over the transport.
   * @throws what `request` throws, and what `onData` throws for early messages; no subscription is active then.
   */
  async subscribe(
    request: Request,
    { params, onData, onError }: SubscribeParameters,
  ): Promise<SubscribeReturnType> {
    let ended: Error | undefined
    let report = (): void => {}
    const disconnected = (error: Error): void => {
      ended = new ProviderDisconnectedError(error)
      report()
    }
    this.#provider.on('disconnect', disconnected)
    this.#starting += 1
    let subscriptionId: Hex
    try {
      subscriptionId = (await request({ method: 'eth_subscribe', params })) as Hex
      // The connection may have ended between the answer and this turn.
      if (ended !== undefined) throw ended
    } catch (error) {
      this.#provider.removeListener('disconnect', disconnected)
      this.#finishStart()
      throw error
    }
    const forget = (): void => {
      this.#handlers.delete(subscriptionId)
      this.#provider.removeListener('disconnect', disconnected)
    }
    report = () => {
      forget()
      onError?.(ended!)
    }
    this.#handlers.set(subscriptionId, onData)
    const early = this.#early.filter(({ subscription }) => subscription === subscriptionId)
    this.#finishStart()
    const unsubscribe = async (): Promise<boolean> => {
      forget()
      // If the connection has ended, so has the subscription; viem's watchers neither await nor catch this.
      return request({ method: 'eth_unsubscribe', params: [subscriptionId] }).then(Boolean, () => false)
    }
    try {
      for (const data of early) onData(data)
    } catch (error) {
      await unsubscribe()
      throw error
    }
    return { subscriptionId, unsubscribe }
  }

  #finishStart(): void {
    this.#starting -= 1
    if (this.#starting === 0) this.#early = []
  }
}
