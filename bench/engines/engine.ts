/** What the rows need of a chain; each engine of this folder wraps one so. */
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
  /** Whether anvil keeps every instruction, which the others execute again; false. */
  readonly steps?: boolean
}

/** A chain on which nothing is mined until `mine` is called. */
export interface EngineChain {
  request(method: string, params: readonly unknown[]): Promise<unknown>
  /** Mines one block of what waits. */
  mine(): Promise<void>
  close(): Promise<void>
}

export const CHAIN_ID = 31337
/** Of every block on every engine: preseal's default. */
export const BLOCK_GAS_LIMIT = 30_000_000n
