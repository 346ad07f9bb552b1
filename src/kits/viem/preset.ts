/** Chain definitions for viem. */
import { defineChain } from 'viem'
import type { PresealChain } from '../../chain/handle.ts'

/** A chain definition for viem. A type inferred from viem would have one version's fields, and not fit the rest. */
export interface PresealViemChain {
  /** The chain id. */
  readonly id: number
  readonly name: string
  readonly nativeCurrency: { readonly decimals: 18; readonly name: 'Ether'; readonly symbol: 'ETH' }
  /** The URLs of the preconf view on a server with the default options. */
  readonly rpcUrls: {
    readonly default: { readonly http: readonly [string]; readonly webSocket: readonly [string] }
  }
  /** The time between blocks, in ms. */
  readonly blockTime: number
  /** The time between pre-confirmations, in ms; makes viem read `pending`. */
  readonly experimental_preconfirmationTime: number
  readonly testnet: true
}

/**
 * The definition of a chain with the default options, for clients on the preconf view:
 * `experimental_preconfirmationTime` makes viem read at `pending`. For chains with options, see {@link toViemChain}.
 */
export const preseal: PresealViemChain & {
  readonly id: 31_337
  readonly blockTime: 2000
  readonly experimental_preconfirmationTime: 200
} = /*#__PURE__*/ defineChain({
  id: 31_337,
  name: 'preseal',
  nativeCurrency: { decimals: 18, name: 'Ether', symbol: 'ETH' },
  // The preconf view of a server with default options. The in-process transport needs no URL.
  rpcUrls: { default: { http: ['http://127.0.0.1:8546'], webSocket: ['ws://127.0.0.1:8546'] } },
  blockTime: 2000,
  experimental_preconfirmationTime: 200,
  testnet: true,
})

/** The properties that {@link toViemChain} cannot read from the chain. */
export interface ToViemChainParameters {
  /** The chain's name; by default 'preseal'. */
  readonly name?: string | undefined
}

/**
 * Returns the definition of a chain with options, in this process or in a worker: {@link preseal} with the chain's id,
 * `blockTime` and `preconfInterval` at the time of the call.
 *
 * @example
 * const chain = await createChain({ chainId: 10, blockTime: 1000 })
 * const client = createPublicClient({ chain: toViemChain(chain), transport: chainTransport(chain) })
 */
export function toViemChain(
  chain: Pick<PresealChain, 'chainId' | 'blockTime' | 'preconfInterval'>,
  { name = 'preseal' }: ToViemChainParameters = {},
): PresealViemChain {
  const { chainId: id, blockTime, preconfInterval } = chain
  return defineChain({ ...preseal, id, name, blockTime, experimental_preconfirmationTime: preconfInterval })
}
