/** ethers on a chain of this process, pushed to. */
import {
  type BlockTag,
  type JsonRpcApiProviderOptions,
  type JsonRpcError,
  type JsonRpcPayload,
  type JsonRpcResult,
  type Network,
  type Networkish,
  SocketProvider,
  type TransactionReceipt,
} from 'ethers'
import type { Chain } from '../chain.ts'
import type { Provider } from '../rpc/provider.ts'
import type { TransactionStatus, ViewKind } from '../types.ts'
import { Preconfirmations } from './preconfirmations.ts'

/** How a {@link PresealProvider} is set up: as ethers has it, besides the view. */
export interface PresealProviderOptions extends JsonRpcApiProviderOptions {
  /** Which view to connect to; 'preconf'. */
  readonly view?: ViewKind
  /** The network, where it is not to be asked for. */
  readonly network?: Networkish
}

/**
 * A provider for ethers v6 on a chain of this process. `block`, `pending` and log filters are pushed on both views, where
 * a `BrowserProvider` polls, and nothing is answered from memory.
 *
 * On `preconf`, what names no block means `pending`, and the receipt of a transaction that the next tick includes is waited
 * for: `wait(0)` and `wait()` resolve at the pre-confirmation, without polling. It ends with the chain.
 *
 * @example
 * const provider = new PresealProvider(chain)
 * const sent = await new Wallet(chain.accounts[0].privateKey, provider).sendTransaction({ to, value })
 * const receipt = await sent.wait()
 */
export class PresealProvider extends SocketProvider {
  readonly #connection: Provider
  readonly #preconfirmations: Preconfirmations | undefined
  #lastId = 0

  constructor(
    chain: Pick<Chain, 'provider'>,
    { view = 'preconf', network, ...options }: PresealProviderOptions = {},
  ) {
    // ethers' own 250 ms of memory are longer than a snapshot lasts.
    super(network, { cacheTimeout: -1, ...options })
    const preconf = view === 'preconf'
    this.#connection = chain.provider(view, preconf ? { defaultBlock: 'pending', pendingNonce: 'pool' } : {})
    this.#preconfirmations = preconf
      ? new Preconfirmations(this, async (hash) => (await this.#statusOf(hash)).stage === 'pending')
      : undefined
    this.#connection.on('message', ({ type: method, data: params }) => {
      void this._processMessage(JSON.stringify({ method, params }))
    })
    this.#connection.on('disconnect', () => this.destroy())
    this._start()
  }

  /** Sends a request at once: there is no connection to wait for, and nothing to gather batches for. */
  override async send(method: string, params: unknown[] | Record<string, unknown>): Promise<unknown> {
    if (this.destroyed) return super.send(method, params)
    this.#lastId += 1
    const payload: JsonRpcPayload = { id: this.#lastId, method, params, jsonrpc: '2.0' }
    const [answer] = await this._send(payload)
    if (answer !== undefined && 'error' in answer) throw this.getRpcError(payload, answer)
    return answer?.result
  }

  override async _send(
    payload: JsonRpcPayload | JsonRpcPayload[],
  ): Promise<(JsonRpcResult | JsonRpcError)[]> {
    const answers = [payload].flat().map(async ({ id, method, params }) => {
      try {
        return { id, result: await this.#connection.request({ method, params }) }
      } catch (error) {
        const { code, message, data } = error as { code: number; message: string; data?: unknown }
        return { id, error: { code, message, data } }
      }
    })
    return Promise.all(answers)
  }

  /**
   * The receipt of a transaction, or null. On `preconf` it is waited for where the next tick includes the transaction;
   * `send('eth_getTransactionReceipt', [hash])` answers as it is now.
   */
  override async getTransactionReceipt(hash: string): Promise<TransactionReceipt | null> {
    const receipt = await super.getTransactionReceipt(hash)
    if (receipt !== null || this.#preconfirmations === undefined) return receipt
    await this.#preconfirmations.wait(hash)
    return super.getTransactionReceipt(hash)
  }

  override _getBlockTag(blockTag?: BlockTag): string | Promise<string> {
    const preconf = this.#preconfirmations !== undefined
    return blockTag == null && preconf ? 'pending' : super._getBlockTag(blockTag)
  }

  override async _detectNetwork(): Promise<Network> {
    try {
      return await super._detectNetwork()
    } catch (error) {
      // The chain is closed: ethers would ask again every second.
      this.destroy()
      throw error
    }
  }

  /** Ends the connection, and with it whatever listens or waits. */
  override destroy(): void {
    if (this.destroyed) return
    super.destroy()
    this.#preconfirmations?.end()
    this.#connection.close()
  }

  async #statusOf(hash: string): Promise<TransactionStatus> {
    return (await this.send('chain_transactionStatus', [hash])) as TransactionStatus
  }
}
