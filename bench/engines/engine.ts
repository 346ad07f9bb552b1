/** What the rows need of a chain; each engine of this folder wraps one so. */
import { gzipSync } from 'node:zlib'

export interface Engine {
  /** The column's name. */
  readonly name: string
  /** Whether it lives in the process that calls it, and so does its memory. */
  readonly inProcess: boolean
  create(options?: EngineOptions): Promise<EngineChain>
}

export interface EngineOptions {
  /** Funded with 10,000 ether each. Without it, whatever the engine does by itself. */
  readonly accounts?: {
    readonly mnemonic: string
    readonly addresses: readonly string[]
  }
  /** Accounts beside them that hold an ether each; not on ganache, which takes minutes for as many as a row has. */
  readonly others?: readonly string[]
  /** Whether anvil keeps every instruction, which the others execute again; false. */
  readonly steps?: boolean
  /** Of anvil's command line, beside its own. */
  readonly flags?: readonly string[]
}

/** A chain on which nothing is mined until `mine` is called. */
export interface EngineChain {
  request(method: string, params: readonly unknown[]): Promise<unknown>
  /** Mines one block of what waits, or as many in one call. */
  mine(blocks?: number): Promise<void>
  close(): Promise<void>
}

export const CHAIN_ID = 31337
/** Of every block on every engine: preseal's default. */
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
