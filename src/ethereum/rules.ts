/**
 * The rules of the chain by hardfork.
 *
 * Owns: the rules of the config created last, which chains without a given genesis share.
 */

import { InvalidOptionError } from '../base/errors.ts'
import type { Address, GethGenesis, Hardfork } from '../base/types.ts'
import { FORKS, type ForkRules, MAX_INIT_CODE_SIZE, MAX_TRANSACTION_GAS } from './gas.ts'
import { GAS_PER_BLOB } from './transaction.ts'

/** The rules of one hardfork of one chain. */
export interface Rules {
  readonly chainId: bigint
  readonly hardfork: string
  readonly fork: ForkRules
  /** The maximum size of initcode in bytes (EIP-3860); infinite before Shanghai, and if limits are lifted. */
  readonly maxInitCodeSize: number
  /** The maximum gas limit of a transaction (EIP-7825); undefined before Osaka, and if it is lifted. */
  readonly maxTransactionGas: bigint | undefined
  /** Zero before Cancun. */
  readonly blobs: BlobRules
  /** Whether code and initcode may be of any size. */
  readonly allowUnlimitedContractSize: boolean
  /** Whether the gas of a transaction is limited from Osaka on. */
  readonly transactionGasCap: boolean
  /** The fork schedule that they follow from. */
  readonly schedule: ForkSchedule
}

/** The target and limit of blob gas, and how its price changes (EIP-4844, EIP-7892). */
interface BlobRules {
  readonly targetGas: bigint
  /** The maximum of a block. */
  readonly maxGas: bigint
  readonly updateFraction: bigint
}

/** The chain's rules; see {@link createChainRules}. */
export interface ChainRules {
  readonly chainId: bigint
  /**
   * The total difficulty at which the merge happens; undefined if the genesis has the block of the merge instead, or if
   * the merge is at the first block without difficulty.
   */
  readonly terminalTotalDifficulty: bigint | undefined
  /**
   * The rules at a block.
   *
   * @param difficulty - the block's, zero by default: if the genesis does not have the block of the merge, blocks with
   *   a difficulty are before it.
   */
  at(number: bigint, timestamp: bigint, difficulty?: bigint): Rules
  /** The same forks with another chain id; if it is undefined, with the genesis's. */
  withChainId(chainId: bigint | undefined): ChainRules
}

/** Rules of the protocol that a chain can lift. */
interface RuleOptions {
  /** Whether contracts and initcode may be of any size (no EIP-170, no EIP-3860). */
  readonly allowUnlimitedContractSize?: boolean
  /** Whether a transaction has at most 2^24 gas from Osaka on (EIP-7825); by default it has. */
  readonly transactionGasCap?: boolean
}

/** {@link RuleOptions} with the defaults. */
type LiftedRules = Required<RuleOptions>

/**
 * Reads the forks of a genesis, Homestead to Osaka and the blob parameters (EIP-7892) after it.
 *
 * @throws InvalidOptionError if a fork is invalid or starts before one it builds on, and for proof of authority.
 */
export function createChainRules(
  genesis: GethGenesis,
  { allowUnlimitedContractSize = false, transactionGasCap = true }: RuleOptions = {},
): ChainRules {
  const shared = latest?.config === genesis.config ? latest : undefined
  const cached = shared?.cached
  const isCached =
    cached?.allowUnlimitedContractSize === allowUnlimitedContractSize &&
    cached.transactionGasCap === transactionGasCap
  if (isCached) return cached.rules
  const lifted = { allowUnlimitedContractSize, transactionGasCap }
  const rules = readRules(genesis, lifted)
  if (shared !== undefined) shared.cached = { ...lifted, rules }
  return rules
}

function readRules(genesis: GethGenesis, lifted: LiftedRules): ChainRules {
  const schedule = readForkSchedule(genesis)
  const own = BigInt(genesis.config.chainId)
  const byChainId = new Map<bigint, ChainRules>()
  const withChainId = (chainId = own): ChainRules => {
    let rules = byChainId.get(chainId)
    if (rules === undefined) {
      rules = rulesUnder(chainId, schedule, lifted, withChainId)
      byChainId.set(chainId, rules)
    }
    return rules
  }
  return withChainId(own)
}

function rulesUnder(
  chainId: bigint,
  schedule: ForkSchedule,
  lifted: LiftedRules,
  withChainId: ChainRules['withChainId'],
): ChainRules {
  const byHardfork = new Map<string, Rules>()
  const rulesOf = (hardfork: string): Rules => {
    let rules = byHardfork.get(hardfork)
    if (rules === undefined) {
      const fork = forkRules(hardfork)
      const isLimited = fork.shanghai && !lifted.allowUnlimitedContractSize
      const maxInitCodeSize = isLimited ? MAX_INIT_CODE_SIZE : Number.POSITIVE_INFINITY
      const blobs = blobRules(hardfork, schedule)
      const maxTransactionGas = fork.osaka && lifted.transactionGasCap ? MAX_TRANSACTION_GAS : undefined
      rules = { chainId, hardfork, fork, maxInitCodeSize, maxTransactionGas, blobs, ...lifted, schedule }
      byHardfork.set(hardfork, rules)
    }
    return rules
  }
  return {
    chainId,
    terminalTotalDifficulty: schedule.terminalTotalDifficulty,
    at: (number, timestamp, difficulty = 0n) => rulesOf(schedule.hardforkAt(number, timestamp, difficulty)),
    withChainId,
  }
}

/** The blob parameters of mainnet's forks, for a genesis without them (EIP-4844, EIP-7691). */
const MAINNET_BLOBS: Readonly<Record<string, BlobParameters>> = {
  cancun: { target: 3, max: 6, updateFraction: 3_338_477 },
  prague: { target: 6, max: 9, updateFraction: 5_007_716 },
}

/** The blob parameters at a hardfork: its own, or else those of the last fork before it that has any. */
function blobRules(hardfork: string, { blobs }: ForkSchedule): BlobRules {
  const last = orderOf(hardfork)
  let parameters: BlobParameters = { target: 0, max: 0, updateFraction: 1 }
  for (const { name } of FORK_ORDER.slice(0, last + 1)) {
    parameters = blobs.get(name) ?? MAINNET_BLOBS[name] ?? parameters
  }
  const { target, max, updateFraction } = parameters
  return {
    targetGas: BigInt(target) * GAS_PER_BLOB,
    maxGas: BigInt(max) * GAS_PER_BLOB,
    updateFraction: BigInt(updateFraction),
  }
}

/** The index of a hardfork among all after the first; -1 for the first. */
function orderOf(hardfork: string): number {
  return FORK_ORDER.findIndex(({ name }) => name === hardfork)
}

function forkRules(hardfork: string): ForkRules {
  const order = orderOf(hardfork)
  return Object.fromEntries(FORKS.map((name) => [name, orderOf(name) <= order])) as ForkRules
}

/** The config that {@link hardforkConfig} created last, and the rules created from it last. */
let latest:
  | {
      readonly chainId: number
      readonly hardfork: Hardfork
      readonly config: GethGenesis['config']
      cached?: LiftedRules & { readonly rules: ChainRules }
    }
  | undefined

/** The `config` of a geth genesis in which `hardfork` is active from the first block; frozen. */
export function hardforkConfig(chainId: number, hardfork: Hardfork): GethGenesis['config'] {
  if (latest?.chainId !== chainId || latest.hardfork !== hardfork) {
    latest = { chainId, hardfork, config: Object.freeze(createConfig(chainId, hardfork)) }
  }
  return latest.config
}

function createConfig(chainId: number, hardfork: Hardfork): GethGenesis['config'] {
  const config: Record<string, unknown> = { mergeForkBlock: 0, terminalTotalDifficulty: 0 }
  for (const fork of BLOCK_FORKS) config[`${fork}Block`] = 0
  for (const fork of TIME_FORKS.slice(0, TIME_FORKS.indexOf(hardfork) + 1)) config[`${fork}Time`] = 0
  return { ...config, terminalTotalDifficultyPassed: true, chainId }
}

/** The hardforks that a default genesis can activate, in order. */
export const TIME_FORKS: readonly Hardfork[] = ['paris', 'shanghai', 'cancun', 'prague', 'osaka']

const BLOCK_FORKS = [
  'homestead',
  'eip150',
  'eip155',
  'eip158',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'berlin',
  'london',
  'mergeNetsplit',
]

// The forks of a geth genesis: their starts and their blob parameters.

/** The blob parameters of a fork (EIP-7840). */
interface BlobParameters {
  /** The number of blobs in a block at which their price stays the same. */
  readonly target: number
  /** The maximum number of blobs in a block. */
  readonly max: number
  /** `BLOB_BASE_FEE_UPDATE_FRACTION`: the higher, the slower the price changes. */
  readonly updateFraction: number
}

/** The forks of a chain and when they start. */
export interface ForkSchedule {
  /** In order. */
  readonly forks: readonly ScheduledFork[]
  /** The blob parameters in the genesis, by fork. */
  readonly blobs: ReadonlyMap<string, BlobParameters>
  readonly depositContract: Address
  /** See `ChainRules`. */
  readonly terminalTotalDifficulty: bigint | undefined
  /** The name of the hardfork at a block. @param difficulty - the block's. */
  hardforkAt(number: bigint, timestamp: bigint, difficulty: bigint): string
}

/** A fork and its field in a genesis; `optional` forks may be omitted, `timed` ones start at a timestamp. */
interface Fork {
  readonly name: string
  readonly field: string
  readonly optional?: true
  readonly timed?: true
}

/** Every fork after the first, in order. */
export const FORK_ORDER: readonly Fork[] = [
  { name: 'homestead', field: 'homesteadBlock' },
  { name: 'dao', field: 'daoForkBlock', optional: true },
  { name: 'tangerineWhistle', field: 'eip150Block' },
  { name: 'spuriousDragon', field: 'eip158Block' },
  { name: 'byzantium', field: 'byzantiumBlock' },
  { name: 'constantinople', field: 'constantinopleBlock' },
  { name: 'petersburg', field: 'petersburgBlock' },
  { name: 'istanbul', field: 'istanbulBlock' },
  { name: 'muirGlacier', field: 'muirGlacierBlock', optional: true },
  { name: 'berlin', field: 'berlinBlock' },
  { name: 'london', field: 'londonBlock' },
  { name: 'arrowGlacier', field: 'arrowGlacierBlock', optional: true },
  { name: 'grayGlacier', field: 'grayGlacierBlock', optional: true },
  { name: 'paris', field: 'mergeForkBlock', optional: true },
  { name: 'shanghai', field: 'shanghaiTime', timed: true },
  { name: 'cancun', field: 'cancunTime', timed: true },
  { name: 'prague', field: 'pragueTime', timed: true },
  { name: 'osaka', field: 'osakaTime', timed: true },
  { name: 'bpo1', field: 'bpo1Time', timed: true, optional: true },
  { name: 'bpo2', field: 'bpo2Time', timed: true, optional: true },
  { name: 'bpo3', field: 'bpo3Time', timed: true, optional: true },
  { name: 'bpo4', field: 'bpo4Time', timed: true, optional: true },
  { name: 'bpo5', field: 'bpo5Time', timed: true, optional: true },
]

/** The forks before bpo1 that can set blob parameters. */
const BLOB_FORKS = ['cancun', 'prague', 'osaka']
/** The forks after Osaka, which only set blob parameters (EIP-7892). */
export const BLOB_PARAMETER_FORKS: readonly string[] = ['bpo1', 'bpo2', 'bpo3', 'bpo4', 'bpo5']

const MAINNET_DEPOSIT_CONTRACT: Address = '0x00000000219ab540356cbb839cbe05303d7705fa'

type Config = GethGenesis['config']
/**
 * A fork with its start: a block number, or a timestamp in seconds; undefined for a merge at no fixed block.
 */
type ScheduledFork = Fork & { readonly at: number | undefined }

/**
 * Reads the forks of a genesis.
 *
 * @throws InvalidOptionError if a fork is invalid or starts before one it builds on, and for proof of authority.
 */
export function readForkSchedule(genesis: GethGenesis): ForkSchedule {
  const { config } = genesis
  const merge = readMerge(genesis)
  if (merge.block !== 0 && config['clique'] != null) {
    throw new InvalidOptionError(
      'genesis.config.clique',
      'no value: before the merge only proof of work is supported',
    )
  }
  const forks = scheduleForks(config, merge.block)
  return {
    forks,
    blobs: readBlobSchedule(config, forks),
    depositContract: (config['depositContractAddress'] ?? MAINNET_DEPOSIT_CONTRACT) as Address,
    terminalTotalDifficulty: merge.totalDifficulty,
    hardforkAt(number, timestamp, difficulty) {
      const merged = merge.block === undefined ? difficulty === 0n && number > 0n : number >= merge.block
      let hardfork = 'chainstart'
      for (const { name, timed, at } of forks) {
        const begun =
          name === 'paris' ? merged : timed ? merged && timestamp >= BigInt(at!) : number >= BigInt(at!)
        if (begun) hardfork = name
      }
      return hardfork
    },
  }
}

/**
 * The start of the merge: a given block, the genesis, a total difficulty, or by default the first block without
 * difficulty.
 */
function readMerge({ config, difficulty }: GethGenesis): {
  readonly block?: number
  readonly totalDifficulty?: bigint
} {
  const named = readStart(config, 'mergeForkBlock') ?? readStart(config, 'mergeNetsplitBlock')
  if (named !== undefined) return { block: named }
  const terminal = readQuantity(config['terminalTotalDifficulty'])
  const initial = readQuantity(difficulty) ?? 0n
  if (config['terminalTotalDifficultyPassed'] === true) return { block: 0 }
  if (terminal !== undefined && terminal <= initial) return { block: 0 }
  if (terminal !== undefined) return { totalDifficulty: terminal }
  const timed = FORK_ORDER.some((fork) => fork.timed && config[fork.field] != null)
  return timed && initial === 0n ? { block: 0 } : {}
}

/** The scheduled forks in order, each with its start. */
function scheduleForks(given: Config, mergeBlock: number | undefined): ScheduledFork[] {
  const { eip155Block, eip158Block, petersburgBlock, constantinopleBlock } = given
  if ((eip155Block ?? eip158Block) !== (eip158Block ?? eip155Block)) {
    throw new InvalidOptionError('genesis.config.eip155Block', 'the same block as eip158Block')
  }
  const config: Config = {
    ...given,
    eip158Block: eip158Block ?? eip155Block,
    // As in geth: without a block for Petersburg, EIP-1283, which it removes, was never active.
    petersburgBlock: petersburgBlock ?? constantinopleBlock,
    daoForkBlock: given['daoForkSupport'] === true ? given['daoForkBlock'] : undefined,
    mergeForkBlock: mergeBlock,
  }
  if (config['amsterdamTime'] != null) {
    throw new InvalidOptionError(
      'genesis.config.amsterdamTime',
      'no value: forks after Osaka are not supported',
    )
  }
  const forks: ScheduledFork[] = []
  let missing: string | undefined
  for (const fork of FORK_ORDER) {
    const at = readStart(config, fork.field)
    if (at === undefined && fork.name !== 'paris') {
      if (!fork.optional) missing ??= fork.field
      continue
    }
    const before = forks.findLast((other) => other.timed === fork.timed && other.at !== undefined)
    if (missing !== undefined && fork.name !== 'paris') {
      throw new InvalidOptionError(`genesis.config.${missing}`, `a value if ${fork.field} is given`)
    }
    if (before !== undefined && at !== undefined && before.at! > at) {
      throw new InvalidOptionError(`genesis.config.${fork.field}`, `at least ${before.field} (${before.at})`)
    }
    // Without London there is no merge.
    if (fork.name === 'paris' && missing !== undefined) continue
    forks.push({ ...fork, at })
  }
  return forks
}

/** The blob parameters of a genesis by fork (EIP-7840); those of unscheduled forks are ignored, as in geth. */
function readBlobSchedule(config: Config, forks: readonly ScheduledFork[]): Map<string, BlobParameters> {
  const schedule = (config['blobSchedule'] ?? {}) as Readonly<Record<string, Record<string, unknown>>>
  const blobs = new Map<string, BlobParameters>()
  for (const { name } of forks) {
    const given = schedule[name]
    const needed = BLOB_PARAMETER_FORKS.includes(name)
    if (!needed && (given === undefined || !BLOB_FORKS.includes(name))) continue
    const read = (key: string, least: number): number => {
      const value = given?.[key]
      if (Number.isSafeInteger(value) && Number(value) >= least) return Number(value)
      const expected = `an integer >= ${least}`
      throw new InvalidOptionError(`genesis.config.blobSchedule.${name}.${key}`, expected)
    }
    const target = read('target', 0)
    // At least 1: EIP-7918 divides by `max`, EIP-4844 by the fraction.
    const max = read('max', 1)
    const updateFraction = read('baseFeeUpdateFraction', 1)
    blobs.set(name, { target, max, updateFraction })
  }
  return blobs
}

function readStart(config: Config, field: string): number | undefined {
  const value = config[field]
  if (value === undefined || value === null) return undefined
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value)
  throw new InvalidOptionError(`genesis.config.${field}`, 'an integer >= 0')
}

function readQuantity(value: unknown): bigint | undefined {
  if (typeof value === 'number' && value >= 0) return BigInt(Math.trunc(value))
  return typeof value === 'string' && /^(0x[0-9a-f]+|\d+)$/i.test(value) ? BigInt(value) : undefined
}
