/** Chain definitions for viem: what it is told of a chain beside its transport. */
import { defineChain } from 'viem'
import type { Chain } from '../chain/chain.ts'

/**
 * A chain definition of this library. Written out: a type inferred from viem would name the fields of the viem that
 * the library was built with, and not be a chain to any other.
 */
export interface PresealChain {
  /** The chain id. */
  readonly id: number
  readonly name: string
  readonly nativeCurrency: { readonly decimals: 18; readonly name: 'Ether'; readonly symbol: 'ETH' }
  /** Where a server with the default options listens with its preconf view. */
  readonly rpcUrls: {
    readonly default: { readonly http: readonly [string]; readonly webSocket: readonly [string] }
  }
  /** Time between blocks, in ms. */
  readonly blockTime: number
  /** Time between pre-confirmations, in ms; makes viem read `pending`. */
  readonly experimental_preconfirmationTime: number
  readonly testnet: true
}

/**
 * The definition of a chain with the default options: with `experimental_preconfirmationTime`, by which viem reads
 * balances, calls and blocks as `pending`. For clients on the preconf view; see {@link toViemChain} for others.
 */
export const preseal: PresealChain & {
  readonly id: 31_337
  readonly blockTime: 2000
  readonly experimental_preconfirmationTime: 200
} = /*#__PURE__*/ defineChain({
  id: 31_337,
  name: 'preseal',
  nativeCurrency: { decimals: 18, name: 'Ether', symbol: 'ETH' },
  // The transport is in the process; these are where a server would be.
  rpcUrls: { default: { http: ['http://127.0.0.1:8546'], webSocket: ['ws://127.0.0.1:8546'] } },
  blockTime: 2000,
  experimental_preconfirmationTime: 200,
  testnet: true,
})

/** What {@link toViemChain} cannot ask the chain. */
export interface ToViemChainParameters {
  /** The chain's `blockTime`, in ms; 2000. */
  readonly blockTime?: number | undefined
  /** The chain's name; 'preseal'. */
  readonly name?: string | undefined
  /** The chain's `preconfInterval`, in ms; 200. */
  readonly preconfInterval?: number | undefined
}

/**
 * The definition of a chain with other options: {@link preseal} under the chain's id.
 *
 * @throws RpcError 4900 where the chain is closed.
 * @example
 * const chain = await createChain({ chainId: 10, blockTime: 1000 })
 * const client = createPublicClient({
 *   chain: await toViemChain(chain, { blockTime: 1000 }),
 *   transport: inProcess(chain),
 * })
 */
export async function toViemChain(
  chain: Pick<Chain, 'standard'>,
  parameters: ToViemChainParameters = {},
): Promise<PresealChain> {
  const { blockTime = 2000, name = 'preseal', preconfInterval = 200 } = parameters
  const id = Number(await chain.standard.request({ method: 'eth_chainId' }))
  return defineChain({ ...preseal, id, name, blockTime, experimental_preconfirmationTime: preconfInterval })
}
