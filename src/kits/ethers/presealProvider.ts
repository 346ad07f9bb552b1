/** An ethers provider on a chain in this process. */

import {
  type AbstractProvider,
  type BlockTag,
  isHexString,
  type JsonRpcApiProviderOptions,
  type JsonRpcError,
  type JsonRpcPayload,
  type JsonRpcResult,
  type Listener,
  makeError,
  Network,
  type Networkish,
  type ProviderEvent,
  SocketProvider,
  SocketSubscriber,
  type Subscriber,
  type Subscription,
  TransactionReceipt,
  TransactionResponse,
} from 'ethers'
import { systemClock } from '../../base/clock.ts'
import { findSolidityTrace, showSolidityTrace } from '../../base/solidityTrace.ts'
import type { ViewKind } from '../../base/types.ts'
import type { PresealChain } from '../../chain/handle.ts'
import type { Provider } from '../../rpc/provider.ts'

/** The options of a {@link PresealProvider}: ethers' options and a view. */
export interface PresealProviderOptions extends JsonRpcApiProviderOptions {
  /** The view to connect to; by default 'preconf'. */
  readonly view?: ViewKind | undefined
  /** The network; by default it is detected. */
  readonly network?: Networkish | undefined
}

/**
 * A provider for ethers v6 on a chain in this process. On both views, it subscribes to `block`, `pending` and logs,
 * where a `BrowserProvider` polls, and it caches no response.
 *
 * On `preconf`, a request without a block means `pending`, and logs are emitted as they are pre-confirmed. The
 * pre-confirmation is the first confirmation: `wait()`, `waitForDeployment()` and `waitForTransaction()` wait for it
 * without polling. The provider is destroyed when the chain is closed.
 *
 * @example
 * const provider = new PresealProvider(chain)
 * const sent = await new Wallet(chain.accounts[0].privateKey, provider).sendTransaction({ to, value })
 * const receipt = await sent.wait()
 */
export class PresealProvider extends SocketProvider {
  readonly #connection: Provider
  readonly #preconf: boolean
  /** This provider as its subscribers use it; see {@link untilDestroyed}. */
  readonly #subscribed: this
  readonly #transactions: TransactionSubscribers
  /** The new network once the chain id has changed, since ethers' socket providers detect the network only once. */
  #changed: Network | undefined
  #lastId = 0
  #ending = false

  constructor(
    chain: Pick<PresealChain, 'provider'>,
    { view = 'preconf', network, ...options }: PresealProviderOptions = {},
  ) {
    // By default, ethers caches responses for 250 ms, longer than a preconf block lasts.
    super(network, { cacheTimeout: -1, ...options })
    const preconf = view === 'preconf'
    this.#preconf = preconf
    this.#connection = chain.provider(view, preconf ? { defaultBlock: 'pending', pendingNonce: 'pool' } : {})
    this.#subscribed = untilDestroyed(this)
    this.#transactions = new TransactionSubscribers(this.#subscribed, preconf)
    this.#connection.on('message', ({ type: method, data: params }) => {
      void this._processMessage(JSON.stringify({ method, params }))
    })
    this.#connection.on('chainChanged', (chainId) => {
      this.#changed = Network.from(BigInt(chainId))
    })
    this.#connection.on('disconnect', () => this.destroy())
    this._start()
  }

  /** Sends a request without delay: there is no socket to wait for, and a batch would save nothing. */
  override async send(method: string, params: unknown[] | Record<string, unknown>): Promise<unknown> {
    if (this.destroyed) return super.send(method, params)
    this.#lastId += 1
    const payload: JsonRpcPayload = { id: this.#lastId, method, params, jsonrpc: '2.0' }
    const [answer] = await this._send(payload)
    if (answer === undefined || !('error' in answer)) return answer?.result
    // If the provider was destroyed meanwhile, lets ethers throw its error.
    if (this.destroyed) return super.send(method, params)
    throw this.getRpcError(payload, answer)
  }

  /** Returns ethers' error; its `stack` begins with the Solidity stack trace, if there is one. */
  override getRpcError(payload: JsonRpcPayload, answer: JsonRpcError): Error {
    return showSolidityTrace(super.getRpcError(payload, answer))
  }

  override get _network(): Network {
    return this.#changed?.clone() ?? super._network
  }

  override async getNetwork(): Promise<Network> {
    return this.#changed?.clone() ?? super.getNetwork()
  }

  override async _send(
    payload: JsonRpcPayload | JsonRpcPayload[],
  ): Promise<(JsonRpcResult | JsonRpcError)[]> {
    const answers = [payload].flat().map(async ({ id, method, params }) => {
      try {
        return { id, result: await this.#connection.request({ method, params }) }
      } catch (error) {
        const { code, message, data } = error as { code: number; message: string; data?: unknown }
        const solidity = findSolidityTrace(error)
        return { id, error: { code, message, data, ...(solidity && { solidity }) } }
      }
    })
    return Promise.all(answers)
  }

  /**
   * Returns the receipt when it has `confirms` confirmations, of which the pre-confirmation is the first. If `confirms`
   * is 0, returns the current receipt or null.
   */
  override async waitForTransaction(
    hash: string,
    confirms = 1,
    timeout?: number | null,
  ): Promise<null | TransactionReceipt> {
    if (confirms === 0) return this.getTransactionReceipt(hash)
    return new Promise((resolve, reject) => {
      const listener = async (receipt: TransactionReceipt): Promise<void> => {
        if ((await receipt.confirmations()) < confirms) return
        end()
        try {
          // Throws if the provider was destroyed; see rejectWaiting.
          void receipt.status
          resolve(receipt)
        } catch (error) {
          reject(error)
        }
      }
      const timer = timeout
        ? systemClock.setTimeout(() => {
            end()
            reject(makeError('timeout', 'TIMEOUT', { operation: 'waitForTransaction', reason: 'timeout' }))
          }, timeout)
        : undefined
      const end = (): void => {
        if (timer !== undefined) systemClock.clearTimeout(timer)
        void this.off(hash, listener)
      }
      this.on(hash, listener).catch((error) => {
        // The listener was not added, as `hash` is invalid.
        if (timer !== undefined) systemClock.clearTimeout(timer)
        reject(error)
      })
    })
  }

  override async on(event: ProviderEvent, listener: Listener): Promise<this> {
    await super.on(event, listener)
    // Rejects waits that began after `destroy`, which has rejected all earlier waits.
    if (this.#ending && isHexString(event, 32)) rejectWaiting(listener)
    return this
  }

  override _getSubscriber(subscription: Subscription): Subscriber {
    if (subscription.type === 'transaction') return this.#transactions.subscriberOf(subscription.hash)
    if (subscription.type === 'event' && this.#preconf) {
      const provider = this.#subscribed
      const { filter } = subscription
      // Emits pending logs as ethers' `SocketEventSubscriber` emits sealed logs.
      const onLog = (log: never) => provider.emit(filter, provider._wrapLog(log, provider._network))
      return stoppedOnce(new KindSubscriber(provider, ['pendingLogs', filter], onLog))
    }
    return stoppedOnce(super._getSubscriber.call(this.#subscribed, subscription))
  }

  override _wrapTransactionResponse(
    ...[transaction, network]: Parameters<SocketProvider['_wrapTransactionResponse']>
  ): TransactionResponse {
    const response = super._wrapTransactionResponse(transaction, network)
    return this.#preconf ? toPreconfTransaction(response) : response
  }

  override _wrapTransactionReceipt(
    ...[receipt, network]: Parameters<SocketProvider['_wrapTransactionReceipt']>
  ): TransactionReceipt {
    return Object.setPrototypeOf(super._wrapTransactionReceipt(receipt, network), ViewReceipt.prototype)
  }

  override _getBlockTag(blockTag?: BlockTag): string | Promise<string> {
    return blockTag == null && this.#preconf ? 'pending' : super._getBlockTag(blockTag)
  }

  override async _detectNetwork(): Promise<Network> {
    try {
      return await super._detectNetwork()
    } catch (error) {
      // The chain is closed. If the provider were not destroyed, ethers would retry every second.
      this.destroy()
      throw error
    }
  }

  /** Ends the connection, removes all listeners, and rejects all waits. */
  override destroy(): void {
    if (this.destroyed) return
    this.#ending = true
    super.destroy()
    this.#connection.close()
  }

  override async removeAllListeners(event?: ProviderEvent): Promise<this> {
    // `destroy` calls this. It rejects waits through their listeners, before the listeners are removed.
    if (this.#ending) await this.#transactions.end()
    return super.removeAllListeners(event)
  }
}

/** Ignores all calls of `stop` but the first: if two listeners are removed at once, ethers stops twice, and fails. */
function stoppedOnce(subscriber: Subscriber): Subscriber {
  const stop = subscriber.stop.bind(subscriber)
  let stopped = false
  subscriber.stop = () => {
    if (!stopped) stop()
    stopped = true
  }
  return subscriber
}

/** Subscribers that wait for transactions. Owns: the subscriptions that they share, active while at least one waits. */
class TransactionSubscribers {
  readonly #provider: SocketProvider
  readonly #preconf: boolean
  /** By hash: emits the transaction's receipt if there is one. */
  readonly #polls = new Map<string, () => Promise<void>>()
  #subscribers: readonly SocketSubscriber[] = []

  /** @param preconf - whether to fetch a receipt as soon as its transaction is pre-confirmed */
  constructor(provider: SocketProvider, preconf: boolean) {
    this.#provider = provider
    this.#preconf = preconf
  }

  /** Creates the subscriber of a transaction: ethers starts it with the first listener, and stops it after the last. */
  subscriberOf(hash: string): Subscriber {
    const poll = async (): Promise<void> => {
      const receipt = await this.#provider.getTransactionReceipt(hash)
      if (receipt !== null && this.#polls.get(hash) === poll) await this.#provider.emit(hash, receipt)
    }
    const start = (): void => {
      this.#polls.set(hash, poll)
      this.#update()
      // The receipt may already exist.
      void poll()
    }
    const stop = (): void => {
      this.#polls.delete(hash)
      this.#update()
    }
    return { start, stop, pause: stop, resume: start }
  }

  /** Rejects all waits. Must be called before their listeners are removed. */
  async end(): Promise<void> {
    for (const hash of [...this.#polls.keys()]) {
      for (const listener of await this.#provider.listeners(hash)) rejectWaiting(listener)
    }
  }

  #update(): void {
    const needed = this.#polls.size > 0
    if (needed === this.#subscribers.length > 0) return
    if (needed) {
      // Each block adds a confirmation, as in ethers' polling subscriber.
      const heads = new KindSubscriber(this.#provider, ['newHeads'], () => {
        for (const poll of this.#polls.values()) void poll()
      })
      const included = new KindSubscriber(this.#provider, ['newPreconfTransactions'], (hash: string) => {
        void this.#polls.get(hash)?.()
      })
      this.#subscribers = this.#preconf ? [included, heads] : [heads]
      for (const subscriber of this.#subscribers) subscriber.start()
    } else {
      for (const subscriber of this.#subscribers) subscriber.stop()
      this.#subscribers = []
    }
  }
}

/** Rejects the wait that added a listener: passes the listener a receipt whose status throws. */
function rejectWaiting(listener: Listener): void {
  const missing = {
    confirmations: async () => Number.POSITIVE_INFINITY,
    get status(): never {
      throw makeError('provider destroyed; cancelled request', 'UNSUPPORTED_OPERATION', { operation: 'wait' })
    },
  }
  // Listeners that belong to no `wait` may fail on this receipt: their errors are ignored.
  void (async () => listener(missing))().catch(() => {})
}

class KindSubscriber extends SocketSubscriber {
  readonly #onMessage: (message: never) => unknown

  /** @param params - the parameters of `eth_subscribe` */
  constructor(provider: SocketProvider, params: unknown[], onMessage: (message: never) => unknown) {
    super(provider, params)
    this.#onMessage = onMessage
  }

  override async _emit(_provider: SocketProvider, message: never): Promise<void> {
    await this.#onMessage(message)
  }
}

// Subclasses of ethers' transactions and receipts for which a pre-confirmation is the first confirmation. Only ethers'
// constructors can set the private fields, so ethers creates each object, and its prototype is replaced afterwards.

/** A response whose `wait(0)` waits like `wait()`, instead of resolving to null if there is no receipt yet. */
class PreconfTransactionResponse extends TransactionResponse {
  override wait(confirms?: number, timeout?: number): Promise<null | TransactionReceipt> {
    return super.wait(Math.max(confirms ?? 1, 1), timeout)
  }

  override replaceableTransaction(startBlock: number): TransactionResponse {
    return toPreconfTransaction(super.replaceableTransaction(startBlock))
  }
}

/** A receipt with at least one confirmation, even before its block is sealed or after its provider is destroyed. */
class ViewReceipt extends TransactionReceipt {
  override async confirmations(): Promise<number> {
    const confirmations = super.confirmations().catch((error) => {
      if (!(this.provider as AbstractProvider).destroyed) throw error
      // ethers calls this in listeners that handle no rejection, and the number can no longer be fetched.
      return 1
    })
    return Math.max(1, await confirmations)
  }
}

function toPreconfTransaction(transaction: TransactionResponse): TransactionResponse {
  return Object.setPrototypeOf(transaction, PreconfTransactionResponse.prototype)
}

/**
 * Wraps a provider for its subscribers. Once the provider is destroyed, promises that would reject stay pending:
 * ethers' subscribers handle no rejection, so each would end the process.
 */
function untilDestroyed<Provider extends SocketProvider>(provider: Provider): Provider {
  const rethrowUnlessDestroyed = (error: unknown): Promise<never> => {
    if (!provider.destroyed) throw error
    return new Promise(() => {})
  }
  return new Proxy(provider, {
    get(_target, name) {
      const value: unknown = Reflect.get(provider, name, provider)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        const result: unknown = value.apply(provider, args)
        return result instanceof Promise ? result.catch(rethrowUnlessDestroyed) : result
      }
    },
  })
}
