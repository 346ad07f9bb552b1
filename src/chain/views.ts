/** The named connections of a chain. */
import { LIVE_OPTIONS, type ProviderOptions } from '../base/options/providerOptions.ts'
import type { ViewKind } from '../base/types.ts'
import type { Provider } from '../rpc/provider.ts'

/** Connections, each opened on first access, so that a listener added right after that receives `connect`. */
export interface ChainViews {
  /** Answers from sealed blocks. */
  readonly standard: Provider
  /** Answers `pending` from the block under construction, exactly as the wire specification says. */
  readonly preconf: Provider
  /**
   * The preconf view for stock clients, such as viem, ethers and web3.js: requests that name no block mean `pending`,
   * and the pending nonce also counts waiting transactions. The same as
   * `provider('preconf', { defaultBlock: 'pending', pendingNonce: 'pool' })`.
   *
   * @example
   * const client = createPublicClient({ chain: preseal, transport: custom(chain.live) })
   */
  readonly live: Provider
}

const VIEWS: Readonly<Record<keyof ChainViews, readonly [view: ViewKind, options?: ProviderOptions]>> = {
  standard: ['standard'],
  preconf: ['preconf'],
  live: ['preconf', LIVE_OPTIONS],
}

/** A chain without its views. */
export type WithoutViews<Chain> = Omit<Chain, keyof ChainViews>

/** Adds the views to the other members of a chain. @param connect - called at most once per view. */
export function addViews<Rest extends object>(
  rest: Rest,
  connect: (...args: readonly [view: ViewKind, options?: ProviderOptions]) => Provider,
): Rest & ChainViews {
  for (const [name, args] of Object.entries(VIEWS)) {
    let provider: Provider | undefined
    const get = (): Provider => {
      provider ??= connect(...args)
      return provider
    }
    Object.defineProperty(rest, name, { configurable: true, enumerable: true, get })
  }
  return rest as Rest & ChainViews
}
