/** Hardhat's configuration of networks as the plugin reads it, and the options that the plugin adds. */

import { bytesToHex } from '../../base/bytes.ts'
import { readDate } from '../../base/clock.ts'
import { InvalidOptionError, SchemaError } from '../../base/errors.ts'
import { FORK_OPTIONS } from '../../base/options/forkOptions.ts'
import { group, type Options, option, parseFields } from '../../base/options/option.ts'
import { accept, choice } from '../../base/options/optionSchemas.ts'
import { createSchema, isObject, toObject } from '../../base/schema.ts'
import type { Address } from '../../base/types.ts'
import { CHAIN_OPTIONS, type ChainOptions, resolveOptions } from '../../core/options.ts'
import { FORKS, type Hardfork } from '../../ethereum/forks.ts'
import { HARDFORKS, limitsOf, NEWEST } from '../../ethereum/rules.ts'

/** The view of the chain that answers a connection's requests. */
export type ConnectionView = 'standard' | 'preconf' | 'live'

/** The options of a chain that a network's `preseal` may have. {@link REFUSED} gives the reason for each omission. */
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
  /** The clock of each chain: `'system'` (the default), or `'manual'`, which `connection.preseal.advance(ms)` moves. */
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
  /** The user's values. The resolved configuration has different values to keep the network that Hardhat opens idle. */
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

/** Hardhat's defaults. */
const [CHAIN_ID, BLOCK_GAS_LIMIT] = [31_337, 60_000_000n]

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

/** Returns the options that are not refused. @param path - the prefix of names in {@link REFUSED}. */
function allowed<O extends Options, Name extends keyof O>(options: O, path = ''): Pick<O, Name> {
  const names = Object.entries(options).filter(([name]) => !Object.hasOwn(REFUSED, path + name))
  return Object.fromEntries(names) as Pick<O, Name>
}

const FORKING_OPTIONS = allowed<typeof FORK_OPTIONS, keyof ForkingOptions>(FORK_OPTIONS, 'fork.')

const { clock: _, fork: __, ...own } = allowed(CHAIN_OPTIONS)

/** The options of chains that Hardhat lacks. */
export const OWN_OPTIONS: Pick<typeof CHAIN_OPTIONS, keyof OwnChainOptions> = own

const PRESEAL_OPTIONS = {
  view: option(choice(['standard', 'preconf', 'live'])),
  clock: option(choice(['system', 'manual'])),
  ...OWN_OPTIONS,
  fork: option(createSchema('an object', (value, path) => parseFields(FORKING_OPTIONS, value, path))),
} satisfies Record<keyof PresealNetworkUserConfig, unknown>

/** Finds the invalid options of a network, each once. Hardhat checks the types of its options itself. */
export function findProblems(name: string, network: UserNetwork, defaultChainType: string): Problem[] {
  const { type, preseal, chainId, blockGasLimit, coinbase } = network
  const expectedValues = new Map<string, string>()
  const report = (option: string, expected: string): void => {
    if (!expectedValues.has(option)) expectedValues.set(option, expected)
  }
  if (type !== undefined && type !== 'edr-simulated') {
    report('preseal', "no value: only networks of type 'edr-simulated' can be served by preseal")
  } else if (preseal !== true && !isObject(preseal)) {
    report('preseal', 'true, false or an object')
  } else {
    for (const [option, reason] of Object.entries(REFUSED)) {
      const value = option.split('.').reduce<unknown>((at, key) => toObject(at)[key], preseal)
      if (value !== undefined) report(`preseal.${option}`, reason)
    }
    for (const parse of [
      ...toParts(toObject(preseal)).map((part) => () => parseFields(PRESEAL_OPTIONS, part, 'preseal')),
      () => isInteger(chainId) && CHAIN_OPTIONS.chainId.parse(chainId, 'chainId'),
      () => isInteger(blockGasLimit) && CHAIN_OPTIONS.gasLimit.parse(BigInt(blockGasLimit), 'blockGasLimit'),
      () => typeof coinbase === 'string' && CHAIN_OPTIONS.coinbase.parse(coinbase, 'coinbase'),
    ]) {
      const error = schemaErrorOf(parse)
      if (error !== undefined) report(error.path, error.expected)
    }
    for (const [option, { isKept, expected }] of Object.entries(RULES))
      if (!isKept({ chainType: defaultChainType, ...network })) report(option, expected)
  }
  if (expectedValues.size > 0)
    return [...expectedValues].map(([option, expected]) => ({
      path: ['networks', name, ...option.split('.')],
      message: `Expected ${expected}`,
    }))
  try {
    const { fork, ...options } = toOptions(network, NEWEST)
    resolveOptions({ ...options, ...(fork && { fork: { ...fork, url: 'http://localhost' } }) })
    return []
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error
    return [{ path: ['networks', name, 'preseal'], message: error.message }]
  }
}

/** Returns the error of a value that its schema refuses. */
function schemaErrorOf(parse: () => unknown): SchemaError | undefined {
  try {
    parse()
    return undefined
  } catch (error) {
    if (error instanceof SchemaError) return error
    throw error
  }
}

/** Returns an object for each value: `parseFields` reports only the first problem of an object. */
function toParts(values: object): object[] {
  return Object.entries(values).map(([name, value]) => ({ [name]: value }))
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
    options: toOptions(user, hardfork, bytesToHex(coinbase)),
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

/** Converts a network to options of a chain. `hardfork` and `coinbase` are Hardhat's defaults. */
function toOptions(network: UserNetwork, hardfork: string, coinbase?: Address): ChainOptions {
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
  return toObject(preseal) as PresealNetworkUserConfig
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

/** Hardforks by Hardhat's names, which differ from preseal's only for the merge. */
const HARDHAT_FORKS: Readonly<Record<string, Hardfork>> = Object.fromEntries(
  HARDFORKS.map((name) => [name === 'paris' ? 'merge' : name, name]),
)

/** The first fork that limits the gas of transactions (EIP-7825). */
const CAPPED = FORKS.find(({ limits }) => limits?.transactionGas !== undefined)!

/** A limit to the values of a network's option, since the chain does not support all that Hardhat allows. */
interface Rule {
  readonly isKept: (network: UserNetwork) => boolean
  readonly expected: string
}

const RULES: Readonly<Record<string, Rule>> = {
  chainType: {
    isKept: ({ chainType }) => chainType !== 'op',
    expected: "'generic' or 'l1', since the chain has the rules of Ethereum",
  },
  hardfork: {
    isKept: ({ hardfork }) => hardfork === undefined || Object.hasOwn(HARDHAT_FORKS, hardfork),
    expected: `one of ${Object.keys(HARDHAT_FORKS).join(', ')}`,
  },
  blockGasLimit: {
    isKept: ({ blockGasLimit }) => blockGasLimit !== false,
    expected: 'a number or a bigint, since each block has a gas limit',
  },
  gasEstimationMode: {
    isKept: ({ gasEstimationMode }) => gasEstimationMode !== 'noInternalOutOfGas',
    expected: "'topLevelSuccess' or no value",
  },
  initialDate: {
    isKept: (network) => network.initialDate === undefined || !isForking(network),
    expected: 'no value, since forking is given: preseal.fork.time sets where time begins',
  },
  loggingEnabled: {
    isKept: ({ loggingEnabled }) => loggingEnabled !== true,
    expected: 'false, since requests are not logged',
  },
  minGasPrice: {
    isKept: ({ minGasPrice = 0 }) => Number(minGasPrice) === 0,
    expected: '0, since blocks have no lowest gas price',
  },
  'mining.interval': {
    isKept: ({ mining }) => !Array.isArray(mining?.interval) || mining.interval[0] === mining.interval[1],
    expected: 'one number of milliseconds, since blocks are made at equal intervals',
  },
  networkId: {
    isKept: ({ networkId, chainId = CHAIN_ID }) => networkId === undefined || networkId === chainId,
    expected: 'the same value as chainId',
  },
  transactionGasCap: {
    isKept: ({ transactionGasCap: cap, hardfork = NEWEST }) =>
      !cap || BigInt(cap) === limitsOf(HARDHAT_FORKS[hardfork] ?? '').transactionGas,
    expected: `false, or no value: it is ${CAPPED.limits?.transactionGas} from ${CAPPED.name} on (EIP-7825), and there is none before`,
  },
  'preseal.fork': {
    isKept: (network) => isForking(network) || !ownOptions(network).fork,
    expected: 'no value unless the network has forking, and forking.enabled is not false',
  },
  'preseal.fixedBaseFee': {
    isKept: (network) =>
      network.initialBaseFeePerGas === undefined || ownOptions(network).fixedBaseFee === undefined,
    expected: 'no value, since initialBaseFeePerGas is given',
  },
}

function isForking({ forking }: UserNetwork): boolean {
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

/** Checks the option `preseal` of a Hardhat project; one problem per wrong option, none if all are valid. */
export function findProjectProblems(preseal: unknown): Problem[] {
  if (!isObject(preseal)) return [{ path: ['preseal'], message: 'Expected an object' }]
  const { gas } = preseal
  const parts = isObject(gas)
    ? [...toParts({ ...preseal, gas: undefined }), ...toParts(gas).map((part) => ({ gas: part }))]
    : toParts(preseal)
  return parts.flatMap((part) => {
    const error = schemaErrorOf(() => parseFields(OPTIONS, part, 'preseal'))
    return error === undefined ? [] : [{ path: error.path.split('.'), message: `Expected ${error.expected}` }]
  })
}

/** Resolves the option `preseal`, in which {@link findProjectProblems} has found no problem. */
export function resolveProject(preseal: PresealUserConfig): PresealConfig {
  const { snapshot, tolerance } = parseFields(OPTIONS, preseal, 'preseal').gas
  const path = snapshot === true ? '.gas-snapshot' : snapshot
  return { gas: { snapshot: path === false ? undefined : path, tolerance } }
}
