/** The shapes of Hardhat's configuration of a network, and what this plugin adds to them. */
import type { ChainOptions } from '../../base/options/options.ts'

/** Which view of the chain a connection's requests are answered from. */
export type ConnectionView = 'standard' | 'preconf' | 'live'

/** The options of a chain that a network's `preseal` may have; Hardhat's own options of the network set the others. */
type OwnChainOptions = Pick<
  ChainOptions,
  | 'preconfInterval'
  | 'tickBudget'
  | 'predeploys'
  | 'extraData'
  | 'fixedBaseFee'
  | 'mempool'
  | 'finality'
  | 'history'
  | 'limits'
  | 'blobs'
  | 'autoImpersonate'
  | 'revertReason'
  | 'stackTraces'
  | 'console'
  | 'engine'
  | 'faults'
>

/** The options of a fork that the network's `forking` does not have. */
export type ForkingOptions = Pick<
  NonNullable<ChainOptions['fork']>,
  'cache' | 'offline' | 'verify' | 'concurrency' | 'batch' | 'timeout' | 'time'
>

/** The option `preseal` of a network of type `'edr-simulated'`; all of it can be left out. */
export interface PresealNetworkUserConfig extends OwnChainOptions {
  /**
   * The view that the connection's provider answers from: `'standard'`, the default, from sealed blocks; `'live'` from
   * pre-confirmed state, as stock clients expect it; `'preconf'` as the wire specification says.
   */
  readonly view?: ConnectionView | undefined
  /**
   * The clock of each chain. Under `'system'`, the default, time is real. Under `'manual'` it stands still until
   * `await connection.preseal.advance(ms)`.
   */
  readonly clock?: 'system' | 'manual' | undefined
  /** Settings of the fork, if the network has `forking`. */
  readonly fork?: ForkingOptions | undefined
}

/** `preseal` of a network in the resolved configuration. */
export interface PresealNetworkConfig {
  readonly view: ConnectionView
  readonly clock: 'system' | 'manual'
  /** The options of each chain, except for its accounts, its clock and the URL of a fork. */
  readonly options: ChainOptions
  /** Ms since the Unix epoch at which the time of each chain begins; undefined for the system's time. */
  readonly startTime: number | undefined
  /** Whether blocks are also made after each send, although they are made by the clock. */
  readonly alsoAuto: boolean
  /**
   * What the network's configuration states. In Hardhat's configuration these are as an idle network has them, since
   * Hardhat opens a network of its own for each connection, which is not used.
   */
  readonly stated: {
    readonly mining: NetworkMining
    readonly forking: { readonly enabled: boolean } | undefined
  }
}

/** How a network makes blocks: after each send, and each so many milliseconds, 0 for not. */
interface NetworkMining {
  readonly auto: boolean
  readonly interval: number | readonly [number, number]
}

/** A string that Hardhat may read from its keystore or the environment. */
export interface Sensitive {
  get(): Promise<string>
}

/** The options of a network that the plugin reads, as a user writes them. Hardhat checks their types. */
export interface UserNetwork {
  readonly type?: string
  readonly preseal?: unknown
  readonly accounts?: readonly unknown[] | { readonly count?: number; readonly path?: string } | undefined
  readonly chainId?: number
  readonly chainType?: string
  readonly allowBlocksWithSameTimestamp?: boolean
  readonly allowUnlimitedContractSize?: boolean
  readonly blockGasLimit?: number | bigint | false
  readonly coinbase?: string
  readonly forking?: {
    readonly enabled?: boolean
    readonly blockNumber?: number | bigint
    readonly httpHeaders?: Readonly<Record<string, string>>
  }
  readonly gasEstimationMode?: string
  readonly hardfork?: string
  readonly initialBaseFeePerGas?: number | bigint
  readonly initialDate?: string | { getTime(): number }
  readonly loggingEnabled?: boolean
  readonly minGasPrice?: number | bigint
  readonly mining?: {
    readonly auto?: boolean
    readonly interval?: number | readonly [number, number]
    readonly mempool?: { readonly order?: 'fifo' | 'priority' }
  }
  readonly networkId?: number
  readonly throwOnCallFailures?: boolean
  readonly throwOnTransactionFailures?: boolean
  readonly transactionGasCap?: number | bigint | false
}

/** Accounts of the resolved configuration. */
export type NetworkAccounts =
  | readonly { readonly balance: bigint; readonly privateKey: Sensitive }[]
  | {
      readonly mnemonic: Sensitive
      readonly accountsBalance: bigint
      readonly count: number
      readonly initialIndex: number
      readonly passphrase: Sensitive
      readonly path: string
    }

/** The options of a network that the plugin reads, as Hardhat resolved them. */
export interface ResolvedNetwork {
  readonly type: string
  readonly preseal?: PresealNetworkConfig | undefined
  readonly accounts: NetworkAccounts
  readonly coinbase: Uint8Array
  readonly hardfork: string
  readonly throwOnCallFailures: boolean
  readonly throwOnTransactionFailures: boolean
  readonly forking?: { readonly enabled: boolean; readonly url: Sensitive } | undefined
  readonly mining: NetworkMining
}
