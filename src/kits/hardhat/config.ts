/** Hardhat's configuration of networks as the plugin reads it, and the options that the plugin adds. */

import { bytesToHex } from '../../base/bytes.ts'
import { readDate } from '../../base/clock.ts'
import { InvalidOptionError, SchemaError } from '../../base/errors.ts'
import { FORK_OPTIONS } from '../../base/options/forkOptions.ts'
import { group, type Options, option, parseFields } from '../../base/options/option.ts'
import { accept, choice } from '../../base/options/optionSchemas.ts'
import { createSchema, isObject, type Schema } from '../../base/schema.ts'
import type { Address } from '../../base/types.ts'
import { CHAIN_OPTIONS, type ChainOptions, resolveOptions } from '../../core/options.ts'
import { FORKS, type Hardfork } from '../../ethereum/forks.ts'
import { HARDFORKS, limitsOf, NEWEST } from '../../ethereum/rules.ts'

/** The view of the chain that answers a connection's requests. */
export type ConnectionView = 'standard' | 'preconf' | 'live'

/** The options of a chain that a network's `preseal` may have. {@link REFUSED} says what sets the others. */
type OwnChainOptions = Omit<
  ChainOptions,
  | 'accounts'
  | 'allowBlocksWithSameTimestamp'
  | 'allowUnlimitedContractSize'
  | 'blocks'
  | 'blockTime'
  | 'chainId'
  | 'clientVersion'
  | 'clock'
  | 'coinbase'
  | 'database'
  | 'dialect'
  | 'durability'
  | 'fork'
  | 'gasLimit'
  | 'gasPrice'
  | 'genesis'
  | 'hardfork'
  | 'initialBaseFeePerGas'
  | 'mining'
  | 'settings'
  | 'transactionGasCap'
>

/** The options of a fork that the network's `forking` lacks. */
export type ForkingOptions = Pick<
  NonNullable<ChainOptions['fork']>,
  'cache' | 'offline' | 'verify' | 'concurrency' | 'batch' | 'timeout' | 'time'
>

/** The option `preseal` of a network of type `'edr-simulated'`; every part is optional. */
export interface PresealNetworkUserConfig extends OwnChainOptions {
  /**
   * The view that the connection's provider answers from: `'standard'` (the default) from sealed blocks, `'live'` from
   * pre-confirmed state, as stock clients expect it, `'preconf'` as the wire specification defines it.
   */
  readonly view?: ConnectionView | undefined
  /**
   * The clock of each chain: `'system'` (the default), or `'manual'`, which stands still until
   * `await connection.preseal.advance(ms)`.
   */
  readonly clock?: 'system' | 'manual' | undefined
  /** Options of the fork, if the network has `forking`. */
  readonly fork?: ForkingOptions | undefined
}

/** `preseal` of a network in the resolved configuration. */
export interface PresealNetworkConfig {
  readonly view: ConnectionView
  readonly clock: 'system' | 'manual'
  /** The options of each chain, without accounts, clock and the URL of a fork. */
  readonly options: ChainOptions
  /** The start time of each chain, in ms since the Unix epoch; undefined for the system's time. */
  readonly startTime: number | undefined
  /** Whether each send makes a block, in addition to the blocks that the clock makes. */
  readonly alsoAuto: boolean
  /**
   * The user's values of options that the resolved configuration overrides, so that the network that Hardhat opens
   * itself stays idle.
   */
  readonly stated: {
    readonly mining: NetworkMining
    readonly forking: { readonly enabled: boolean } | undefined
  }
}

/** When a network makes blocks: after each send if `auto` is true, and every `interval` milliseconds unless it is 0. */
interface NetworkMining {
  readonly auto: boolean
  readonly interval: number | readonly [number, number]
}

/** A string that Hardhat may read from its keystore or the environment. */
export interface Sensitive {
  get(): Promise<string>
}

/** The options of a network that the plugin reads, as the user writes them. Hardhat checks their types. */
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

/** The accounts in the resolved configuration. */
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

/** The options of a network that the plugin reads, as Hardhat resolves them. */
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

/** An invalid option, as Hardhat reports it. */
export interface Problem {
  readonly path: (string | number)[]
  readonly message: string
}

/** Hardhat's default. */
const BLOCK_GAS_LIMIT = 60_000_000n

const VIEWS: readonly ConnectionView[] = ['standard', 'preconf', 'live']

const byNetwork = (name: string): string => `no value: the option ${name} of the network sets it`
const OWN_CHAIN = 'no value: each connection has its own chain, which begins with the accounts of the network'
const CLIENTS = "no value: the answers are those that Hardhat's clients expect"

/** The options of chains that `preseal` must not have. */
type Refused = Exclude<keyof ChainOptions, keyof PresealNetworkUserConfig>

/** Why `preseal` must not have an option of chains. */
const REFUSED: Readonly<Record<Refused | `${'fork' | 'mempool'}.${string}`, string>> = {
  accounts: byNetwork('accounts'),
  allowBlocksWithSameTimestamp: byNetwork('allowBlocksWithSameTimestamp'),
  allowUnlimitedContractSize: byNetwork('allowUnlimitedContractSize'),
  blocks: OWN_CHAIN,
  blockTime: byNetwork('mining.interval'),
  chainId: byNetwork('chainId'),
  clientVersion: CLIENTS,
  coinbase: byNetwork('coinbase'),
  database: OWN_CHAIN,
  dialect: CLIENTS,
  durability: OWN_CHAIN,
  gasLimit: byNetwork('blockGasLimit'),
  gasPrice: byNetwork('gasPrice'),
  genesis: OWN_CHAIN,
  hardfork: byNetwork('hardfork'),
  initialBaseFeePerGas: byNetwork('initialBaseFeePerGas'),
  mining: byNetwork('mining'),
  settings: OWN_CHAIN,
  transactionGasCap: byNetwork('transactionGasCap'),
  'fork.block': byNetwork('forking.blockNumber'),
  'fork.headers': byNetwork('forking.httpHeaders'),
  'fork.provider': byNetwork('forking.url'),
  'fork.url': byNetwork('forking.url'),
  'mempool.ordering': byNetwork('mining.mempool.order'),
}

/** Returns the options that are not refused. @param path - of their group, with a dot. */
function allowed<O extends Options, Name extends keyof O>(options: O, path = ''): Pick<O, Name> {
  const names = Object.entries(options).filter(([name]) => !Object.hasOwn(REFUSED, path + name))
  return Object.fromEntries(names) as Pick<O, Name>
}

const FORKING_OPTIONS = allowed<typeof FORK_OPTIONS, keyof ForkingOptions>(FORK_OPTIONS, 'fork.')

const { clock: _, fork: __, ...own } = allowed(CHAIN_OPTIONS)

/** The options of chains that Hardhat lacks. */
export const OWN_OPTIONS: Pick<typeof CHAIN_OPTIONS, keyof OwnChainOptions> = own

const PRESEAL_OPTIONS = {
  view: option(choice(VIEWS, "'standard', 'preconf' or 'live'"), { default: 'standard' }),
  clock: option(choice<'system' | 'manual'>(['system', 'manual'], "'system' or 'manual'"), {
    default: 'system',
  }),
  ...OWN_OPTIONS,
  fork: option(
    createSchema<unknown, ForkingOptions>('an object', (value, path) =>
      parseFields(FORKING_OPTIONS, value, path),
    ),
  ),
} satisfies Record<keyof PresealNetworkUserConfig, unknown>

/** Finds the invalid options of a network. Hardhat itself reports values of a wrong type in Hardhat's options. */
export function findProblems(name: string, network: UserNetwork, defaultChainType: string): Problem[] {
  const problems: Problem[] = []
  const report = (option: string, expected: string): void => {
    problems.push({ path: ['networks', name, ...option.split('.')], message: `Expected ${expected}` })
  }
  if (network.type !== undefined && network.type !== 'edr-simulated') {
    report('preseal', "no value: only networks of type 'edr-simulated' can be served by preseal")
    return problems
  }
  const { preseal } = network
  if (preseal !== true && !isObject(preseal)) {
    report('preseal', 'true, false or an object')
    return problems
  }
  const refused = Object.entries(REFUSED).filter(([path]) => valueAt(preseal, path) !== undefined)
  for (const [path, reason] of refused) report(`preseal.${path}`, reason)
  const parse = (option: string, schema: Pick<Schema<unknown>, 'parse'>, value: unknown): void => {
    try {
      schema.parse(value, option)
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      const isKnown = refused.some(([path]) => `preseal.${path}` === error.path)
      if (!isKnown) report(error.path, error.expected)
    }
  }
  for (const [option, value] of preseal === true ? [] : Object.entries(preseal)) {
    // One option at a time, so that all problems are reported.
    const read = (value: unknown): unknown => parseFields(PRESEAL_OPTIONS, { [option]: value }, 'preseal')
    parse(`preseal.${option}`, { parse: read }, value)
  }
  if (isInteger(network.chainId)) parse('chainId', CHAIN_OPTIONS.chainId, network.chainId)
  if (isInteger(network.blockGasLimit))
    parse('blockGasLimit', CHAIN_OPTIONS.gasLimit, BigInt(network.blockGasLimit))
  if (typeof network.coinbase === 'string') parse('coinbase', CHAIN_OPTIONS.coinbase, network.coinbase)
  for (const { option, isKept, expected } of RULES) {
    const isTold = problems.some(({ path }) => path.slice(2).join('.') === option)
    if (!isTold && !isKept({ chainType: defaultChainType, ...network })) report(option, expected)
  }
  if (problems.length > 0) return problems
  try {
    const { fork, ...options } = toOptions(network, { hardfork: NEWEST, coinbase: undefined })
    resolveOptions({ ...options, ...(fork && { fork: { ...fork, url: 'http://localhost' } }) })
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error
    problems.push({ path: ['networks', name, 'preseal'], message: error.message })
  }
  return problems
}

interface Defaults {
  readonly hardfork: string
  readonly coinbase: Address | undefined
}

/** Resolves a network in which {@link findProblems} has found no problem. */
export function resolveNetwork(user: UserNetwork, network: ResolvedNetwork): ResolvedNetwork {
  const { hardfork, coinbase, mining, forking } = network
  const { initialDate } = user
  const { view = 'standard', clock = 'system' } = ownOptions(user)
  const { auto, interval } = miningOf(user)
  const preseal: PresealNetworkConfig = {
    view,
    clock,
    options: toOptions(user, { hardfork, coinbase: bytesToHex(coinbase) }),
    startTime: typeof initialDate === 'string' ? readDate(initialDate) : initialDate?.getTime(),
    alsoAuto: auto && interval > 0,
    stated: { mining, forking },
  }
  return {
    ...network,
    preseal,
    // The network that Hardhat opens beside the chain stays idle: it makes no blocks and sends no requests.
    mining: { ...mining, auto: true, interval: 0 },
    ...(forking && { forking: { ...forking, enabled: false } }),
  }
}

function toOptions(network: UserNetwork, { hardfork, coinbase }: Defaults): ChainOptions {
  const { view, clock, fork, ...own } = ownOptions(network)
  const { chainId, initialBaseFeePerGas, blockGasLimit, forking, mining } = network
  const { auto, interval } = miningOf(network)
  const blockTime = Math.max(1, interval)
  return {
    ...own,
    dialect: 'hardhat',
    console: own.console ?? true,
    blobs: own.blobs ?? true,
    chainId: isInteger(chainId) ? chainId : CHAIN_ID,
    hardfork: HARDHAT_FORKS[network.hardfork ?? hardfork] ?? NEWEST,
    coinbase: typeof network.coinbase === 'string' ? (network.coinbase as Address) : coinbase,
    gasLimit: isInteger(blockGasLimit) ? BigInt(blockGasLimit) : BLOCK_GAS_LIMIT,
    ...(isInteger(initialBaseFeePerGas) && { initialBaseFeePerGas: BigInt(initialBaseFeePerGas) }),
    allowBlocksWithSameTimestamp: network.allowBlocksWithSameTimestamp === true,
    allowUnlimitedContractSize: network.allowUnlimitedContractSize === true,
    ...(network.transactionGasCap === false && { transactionGasCap: false }),
    mempool: { ...own.mempool, ordering: mining?.mempool?.order === 'fifo' ? 'fifo' : 'fees' },
    ...(interval > 0
      ? { mining: 'interval', blockTime, preconfInterval: own.preconfInterval ?? Math.min(200, blockTime) }
      : { mining: auto ? 'auto' : 'manual' }),
    ...(isForking(network) && {
      fork: {
        ...fork,
        ...(isInteger(forking?.blockNumber) && { block: BigInt(forking.blockNumber) }),
        ...(forking?.httpHeaders && { headers: forking.httpHeaders }),
      },
    }),
  }
}

function ownOptions({ preseal }: UserNetwork): PresealNetworkUserConfig {
  return isObject(preseal) ? (preseal as PresealNetworkUserConfig) : {}
}

/** Returns whether each send makes a block, and the clock's interval in milliseconds, 0 for none. */
function miningOf({ mining }: UserNetwork): { readonly auto: boolean; readonly interval: number } {
  const auto = mining?.auto ?? mining?.interval === undefined
  const [interval] = [mining?.interval].flat()
  return { auto, interval: isInteger(interval) ? interval : 0 }
}

function isInteger<T>(value: T): value is T & (number | bigint) {
  return typeof value === 'bigint' || Number.isSafeInteger(value)
}

function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value)
}

/** Hardhat's default. */
export const CHAIN_ID = 31_337

/** Hardforks by Hardhat's names, which differ from preseal's only for the merge. */
export const HARDHAT_FORKS: Readonly<Record<string, Hardfork>> = Object.fromEntries(
  HARDFORKS.map((name) => [name === 'paris' ? 'merge' : name, name]),
)

/** The first fork that limits the gas of transactions (EIP-7825). */
const CAPPED = FORKS.find(({ limits }) => limits?.transactionGas !== undefined)!

/** Returns the maximum gas of a transaction on one of Hardhat's hardforks; undefined if unlimited. */
const gasCapOf = (hardfork: string) => limitsOf(HARDHAT_FORKS[hardfork] ?? '').transactionGas

/** A limit to the values of a network's option, since the chain does not support all that Hardhat allows. */
interface Rule {
  readonly option: string
  readonly isKept: (network: UserNetwork) => boolean
  readonly expected: string
}

export const RULES: readonly Rule[] = [
  {
    option: 'chainType',
    isKept: ({ chainType }) => chainType !== 'op',
    expected: "'generic' or 'l1', since the chain has the rules of Ethereum",
  },
  {
    option: 'hardfork',
    isKept: ({ hardfork }) => hardfork === undefined || Object.hasOwn(HARDHAT_FORKS, hardfork),
    expected: `one of ${Object.keys(HARDHAT_FORKS).join(', ')}`,
  },
  {
    option: 'blockGasLimit',
    isKept: ({ blockGasLimit }) => blockGasLimit !== false,
    expected: 'a number or a bigint, since each block has a gas limit',
  },
  {
    option: 'gasEstimationMode',
    isKept: ({ gasEstimationMode }) => gasEstimationMode !== 'noInternalOutOfGas',
    expected: "'topLevelSuccess' or no value",
  },
  {
    option: 'initialDate',
    isKept: (network) => network.initialDate === undefined || !isForking(network),
    expected: 'no value, since forking is given: preseal.fork.time sets where time begins',
  },
  {
    option: 'loggingEnabled',
    isKept: ({ loggingEnabled }) => loggingEnabled !== true,
    expected: 'false, since requests are not logged',
  },
  {
    option: 'minGasPrice',
    isKept: ({ minGasPrice = 0 }) => Number(minGasPrice) === 0,
    expected: '0, since blocks have no lowest gas price',
  },
  {
    option: 'mining.interval',
    isKept: ({ mining }) => !Array.isArray(mining?.interval) || mining.interval[0] === mining.interval[1],
    expected: 'one number of milliseconds, since blocks are made at equal intervals',
  },
  {
    option: 'networkId',
    isKept: ({ networkId, chainId = CHAIN_ID }) => networkId === undefined || networkId === chainId,
    expected: 'the same value as chainId',
  },
  {
    option: 'transactionGasCap',
    isKept: ({ transactionGasCap: cap, hardfork = NEWEST }) => !cap || BigInt(cap) === gasCapOf(hardfork),
    expected: `false, or no value: it is ${CAPPED.limits?.transactionGas} from ${CAPPED.name} on (EIP-7825), and there is none before`,
  },
  {
    option: 'preseal.fork',
    isKept: (network) => isForking(network) || !isObject(network.preseal) || !network.preseal['fork'],
    expected: 'no value unless the network has forking, and forking.enabled is not false',
  },
  {
    option: 'preseal.fixedBaseFee',
    isKept: ({ preseal, initialBaseFeePerGas }) =>
      initialBaseFeePerGas === undefined || !isObject(preseal) || preseal['fixedBaseFee'] === undefined,
    expected: 'no value, since initialBaseFeePerGas is given',
  },
]

export function isForking({ forking }: UserNetwork): boolean {
  return isObject(forking) && forking['enabled'] !== false
}

/** The option `preseal` of Hardhat's configuration; every part is optional. */
export interface PresealUserConfig {
  /** How the gas of the project's tests is compared with a snapshot. */
  readonly gas?: GasUserConfig | undefined
}

/** The option `preseal.gas` of Hardhat's configuration. */
export interface GasUserConfig {
  /**
   * The file with which a run of all tests compares its gas: true for `.gas-snapshot`. By default false: no comparison.
   * A run writes the file if `--update-gas-snapshot` is given. It also writes a missing file, unless `CI` is set.
   */
  readonly snapshot?: boolean | string | undefined
  /** The difference in percent up to which a number passes; by default 0. */
  readonly tolerance?: number | undefined
}

/** The option `preseal` in the resolved configuration. */
export interface PresealConfig {
  /** How the gas of the project's tests is compared with a snapshot. */
  readonly gas: GasConfig
}

/** The option `preseal.gas` in the resolved configuration. */
export interface GasConfig {
  /** The file, relative to the root of the project; undefined for none. */
  readonly snapshot: string | undefined
  /** The difference in percent up to which a number passes. */
  readonly tolerance: number
}

const GAS_OPTIONS = {
  snapshot: option(
    accept<boolean | string>(
      'true, false or a path',
      (value) => typeof value === 'boolean' || (typeof value === 'string' && value !== ''),
    ),
    { default: false },
  ),
  tolerance: option(
    accept<number>('a number of percent >= 0', (value) => typeof value === 'number' && value >= 0),
    { default: 0 },
  ),
} satisfies Record<keyof GasUserConfig, unknown>

const OPTIONS = { gas: group(GAS_OPTIONS) }

export function findProjectProblems(preseal: unknown): Problem[] {
  if (!isObject(preseal)) return [{ path: ['preseal'], message: 'Expected an object' }]
  const { gas } = preseal
  // One option at a time, so that all problems are reported.
  const parts = isObject(gas)
    ? [...toParts({ ...preseal, gas: undefined }), ...toParts(gas).map((part) => ({ gas: part }))]
    : toParts(preseal)
  return parts.flatMap((part) => {
    try {
      parseFields(OPTIONS, part, 'preseal')
      return []
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      return [{ path: error.path.split('.'), message: `Expected ${error.expected}` }]
    }
  })
}

function toParts(values: object): object[] {
  return Object.entries(values).map(([name, value]) => ({ [name]: value }))
}

/** Resolves the option `preseal`, in which {@link findProjectProblems} has found no problem. */
export function resolveProject(preseal: PresealUserConfig): PresealConfig {
  const { snapshot, tolerance } = parseFields(OPTIONS, preseal, 'preseal').gas
  const path = snapshot === true ? '.gas-snapshot' : snapshot
  return { gas: { snapshot: path === false ? undefined : path, tolerance } }
}
