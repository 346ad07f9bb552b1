/** The interface that the rows use; each engine of this folder implements it. */
import { gzipSync } from 'node:zlib'

export interface Engine {
  /** The column's name. */
  readonly name: string
  /** Whether it runs in the calling process, so that its memory can be measured there. */
  readonly inProcess: boolean
  create(options?: EngineOptions): Promise<EngineChain>
}

export interface EngineOptions {
  /** Funded with 10,000 ether each. By default the engine's own accounts. */
  readonly accounts?: {
    readonly mnemonic: string
    readonly addresses: readonly string[]
  }
  /** Further accounts with one ether each; not on ganache, which takes minutes to create so many. */
  readonly others?: readonly string[]
  /** Whether each transaction is mined when it is sent, in a block of its own; by default false. */
  readonly automine?: boolean
  /** The gas that a block may use, and a call; by default {@link BLOCK_GAS_LIMIT}. */
  readonly gasLimit?: bigint
  /** Whether anvil records every instruction (the others execute again); by default false. */
  readonly steps?: boolean
  /** Further flags of anvil's command line. */
  readonly flags?: readonly string[]
  /** The node that the chain is a fork of; not on ganache. */
  readonly fork?: ForkOptions
}

export interface ForkOptions {
  readonly url: string
  /** The number of the block. */
  readonly block: number
  /** The folder of what was read from the node before. */
  readonly cache: string
}

/** A chain on which nothing is mined until `mine` is called, except with `automine`. */
export interface EngineChain {
  request(method: string, params: readonly unknown[]): Promise<unknown>
  /** Mines one block with the waiting transactions, or `count` blocks in one call. */
  mine(blocks?: number): Promise<void>
  close(): Promise<void>
}

export const CHAIN_ID = 31337
/** The gas limit of blocks on every engine if none is given, which is preseal's default. */
export const BLOCK_GAS_LIMIT = 30_000_000n

export const ONE_ETHER = 10n ** 18n

/** A state of such accounts, as `anvil_loadState` takes it. */
export function stateOf(addresses: readonly string[]): string {
  const account = { nonce: 0, balance: `0x${ONE_ETHER.toString(16)}`, code: '0x', storage: {} }
  const accounts = Object.fromEntries(addresses.map((address) => [address, account]))
  // anvil refuses a file without any of these.
  const blocks = { block: null, best_block_number: 0, blocks: [], transactions: [], historical_states: null }
  return `0x${gzipSync(JSON.stringify({ accounts, ...blocks })).toString('hex')}`
}
