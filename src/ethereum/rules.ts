/**
 * The rules of a chain by hardfork.
 *
 * Owns: two caches that all chains share: the active forks of each hardfork, and the rules of configs created here.
 */

import { getOrInsert, RecentMap } from '../base/collections.ts'
import { InvalidOptionError } from '../base/errors.ts'
import type { Address, GethGenesis } from '../base/types.ts'
import type { ChainSpec } from './chainSpec.ts'
import {
  type BlobParameters,
  DEPOSIT_ADDRESS,
  FORKS,
  type Fork,
  type ForkName,
  type ForkRules,
  type Hardfork,
  type Limits,
  NEXT_FIELD,
  type StartName,
} from './forks.ts'
import { GAS_PER_BLOB } from './transaction.ts'

/** The rules of one hardfork on one chain. */
export interface Rules {
  readonly chainId: bigint
  readonly hardfork: string
  readonly fork: ForkRules
  /** The maximum size of initcode in bytes (EIP-3860); infinite before Shanghai, and if limits are lifted. */
  readonly maxInitCodeSize: number
  /** The maximum gas limit of a transaction (EIP-7825); undefined before Osaka, and if lifted. */
  readonly maxTransactionGas: bigint | undefined
  /** The maximum size of a block's RLP in bytes (EIP-7934); infinite before Osaka. */
  readonly maxBlockSize: number
  /** Target and maximum are zero before Cancun. */
  readonly blobs: BlobRules
  /** Whether code and initcode may have any size. */
  readonly allowUnlimitedContractSize: boolean
  /** Whether the gas of a transaction is limited from Osaka on (EIP-7825). */
  readonly transactionGasCap: boolean
  /** The chain's rules beyond Ethereum's; undefined for Ethereum. */
  readonly spec: ChainSpec | undefined
  readonly schedule: ForkSchedule
}

/** The target and limit of blob gas per block, and how its price changes (EIP-4844, EIP-7892). */
interface BlobRules {
  readonly targetGas: bigint
  readonly maxGas: bigint
  readonly updateFraction: bigint
}

/** The rules of a chain; see {@link createChainRules}. */
export interface ChainRules {
  readonly chainId: bigint
  /**
   * The total difficulty at which the merge happens; undefined if the genesis has the merge block, or if the merge is
   * the first block without difficulty.
   */
  readonly terminalTotalDifficulty: bigint | undefined
  /**
   * The rules at a block.
   *
   * @param difficulty - the difficulty of the block; default zero. If the genesis does not set the block of the merge,
   * blocks with a difficulty above zero precede the merge.
   */
  at(number: bigint, timestamp: bigint, difficulty?: bigint): Rules
  /** Returns the rules of the same forks with this chain id; undefined means the genesis's. */
  withChainId(chainId: bigint | undefined): ChainRules
}

/** The rules that a chain can lift, and its rules beyond Ethereum's. */
interface RuleOptions {
  /** Whether contracts and initcode may have any size (no EIP-170, no EIP-3860). */
  readonly allowUnlimitedContractSize?: boolean
  /** Whether a transaction may have at most 2^24 gas from Osaka on (EIP-7825). Default: true. */
  readonly transactionGasCap?: boolean
  readonly spec?: ChainSpec | undefined
}

type LiftedRules = Pick<Rules, keyof RuleOptions>

/**
 * Returns the rules of a chain with this genesis.
 *
 * @throws InvalidOptionError if a fork or its blob parameters are invalid, if a fork is missing, out of order or not
 * supported, or if the chain starts with proof of authority.
 */
export function createChainRules(
  genesis: GethGenesis,
  { allowUnlimitedContractSize = false, transactionGasCap = true, spec }: RuleOptions = {},
): ChainRules {
  const lifted = { allowUnlimitedContractSize, transactionGasCap, spec }
  const create = () => readRules(genesis, lifted)
  const known = spec === undefined ? shared.get(genesis.config) : undefined
  return known === undefined ? create() : getOrInsert(known, Object.values(lifted).join(), create)
}

function readRules(genesis: GethGenesis, lifted: LiftedRules): ChainRules {
  const schedule = readForkSchedule(genesis)
  const own = BigInt(genesis.config.chainId)
  const byChainId = new Map<bigint, ChainRules>()
  const withChainId = (chainId = own): ChainRules =>
    getOrInsert(byChainId, chainId, () => rulesUnder(chainId, schedule, lifted, withChainId))
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
    const { initCodeSize, transactionGas, blockSize } = limitsOf(hardfork)
    return {
      chainId,
      hardfork,
      fork: forkRules(hardfork),
      maxInitCodeSize:
        (lifted.allowUnlimitedContractSize ? undefined : initCodeSize) ?? Number.POSITIVE_INFINITY,
      maxTransactionGas: lifted.transactionGasCap ? transactionGas : undefined,
      maxBlockSize: blockSize ?? Number.POSITIVE_INFINITY,
      blobs: blobRules(hardfork, schedule),
      ...lifted,
      schedule,
    }
  }
  return {
    chainId,
    terminalTotalDifficulty: schedule.terminalTotalDifficulty,
    at: (number, timestamp, difficulty = 0n) =>
      getOrInsert(byHardfork, schedule.hardforkAt(number, timestamp, difficulty), rulesOf),
    withChainId,
  }
}

function forksUpTo(hardfork: string): readonly Fork[] {
  return FORKS.slice(0, FORKS.findIndex(({ name }) => name === hardfork) + 1)
}

/** The active forks, without minor ones. */
export function activeForks(fork: ForkRules): readonly Fork[] {
  return FORKS.filter(({ name }) => fork[name as ForkName])
}

/** The limits at a hardfork; a limit is undefined before the fork that introduces it. */
export function limitsOf(hardfork: string): Partial<Limits> {
  return Object.assign({}, ...forksUpTo(hardfork).map(({ limits }) => limits))
}

/** The blob rules at a hardfork: set by the genesis or the fork's row. A fork without any keeps the previous ones. */
function blobRules(hardfork: string, { blobs }: ForkSchedule): BlobRules {
  let parameters: BlobParameters = { target: 0, max: 0, updateFraction: 1 }
  for (const { name, blobs: usual } of forksUpTo(hardfork))
    parameters = blobs.get(name) ?? usual ?? parameters
  const { target, max, updateFraction } = parameters
  return {
    targetGas: BigInt(target) * GAS_PER_BLOB,
    maxGas: BigInt(max) * GAS_PER_BLOB,
    updateFraction: BigInt(updateFraction),
  }
}

const forkRulesByName = new Map<string, ForkRules>()

/** Which forks are active at a hardfork; the same object for all chains. */
export function forkRules(hardfork: string): ForkRules {
  return getOrInsert(forkRulesByName, hardfork, () => {
    const active = forksUpTo(hardfork)
    const rows = FORKS.filter(({ minor }) => !minor)
    return Object.fromEntries(rows.map((row) => [row.name, active.includes(row)])) as ForkRules
  })
}

/** The most recently used results of {@link hardforkConfig}. */
const configs = new RecentMap<string, GethGenesis['config']>(8)

/** The rules of chains, by a config that {@link hardforkConfig} returned, then by the rules that are lifted. */
const shared = new WeakMap<GethGenesis['config'], Map<string, ChainRules>>()

/** The `config` of a geth genesis in which `hardfork` is active from the first block; frozen. */
export function hardforkConfig(chainId: number, hardfork: Hardfork): GethGenesis['config'] {
  return getOrInsert(configs, `${chainId} ${hardfork}`, () => {
    const config = Object.freeze(createConfig(chainId, hardfork))
    shared.set(config, new Map())
    return config
  })
}

function createConfig(chainId: number, hardfork: Hardfork): GethGenesis['config'] {
  const config: Record<string, unknown> = { mergeForkBlock: 0, terminalTotalDifficulty: 0 }
  for (const { name, field, timed, minor } of FORKS) {
    if (timed || minor || name === 'paris') continue
    // Spurious Dragon has two fields.
    if (field === 'eip158Block') config['eip155Block'] = 0
    config[field] = 0
  }
  config['mergeNetsplitBlock'] = 0
  for (const fork of HARDFORKS.slice(0, HARDFORKS.indexOf(hardfork) + 1)) config[`${fork}Time`] = 0
  return { ...config, terminalTotalDifficultyPassed: true, chainId }
}

type StartFork = Fork & { readonly name: StartName }

/** The forks that a chain can start with, in order: Paris and later, without the minor ones. */
export const START_FORKS: readonly StartFork[] = FORKS.slice(
  FORKS.findIndex(({ name }) => name === 'paris'),
).filter((fork): fork is StartFork => !fork.minor)

/** The hardforks that a chain can start with, oldest first. */
export const HARDFORKS: readonly Hardfork[] = START_FORKS.map(({ name }) => name)

/** The newest hardfork; its rules include all earlier ones. */
export const NEWEST: Hardfork = HARDFORKS.at(-1)!

/** The hardfork of a new chain: the newest that has begun on mainnet. */
export const DEFAULT_HARDFORK: Hardfork = START_FORKS.findLast(({ times }) => times?.[1] !== undefined)!.name

// The forks of a geth genesis: their starts and their blob parameters.

/** The forks of a chain and their starts. */
export interface ForkSchedule {
  readonly forks: readonly ScheduledFork[]
  /** The blob parameters in the genesis, by fork. */
  readonly blobs: ReadonlyMap<string, BlobParameters>
  readonly depositContract: Address
  /** See `ChainRules`. */
  readonly terminalTotalDifficulty: bigint | undefined
  /** The name of the hardfork at a block. @param difficulty - the block's. */
  hardforkAt(number: bigint, timestamp: bigint, difficulty: bigint): string
}

type Config = GethGenesis['config']
/** A fork with its start: a block number, or Unix time in seconds; undefined for a merge at no fixed block. */
type ScheduledFork = Fork & { readonly at: number | undefined }

/**
 * Reads the forks of a genesis.
 *
 * @throws InvalidOptionError if a fork or its blob parameters are invalid, if a fork is missing, out of order or not
 * supported, or if the chain starts with proof of authority.
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
    depositContract: (config['depositContractAddress'] ?? DEPOSIT_ADDRESS) as Address,
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

/** When the merge starts: at a block, at a total difficulty, or (if empty) at the first block without difficulty. */
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
  const timed = FORKS.some((fork) => fork.timed && config[fork.field] != null)
  return timed && initial === 0n ? { block: 0 } : {}
}

function scheduleForks(given: Config, mergeBlock: number | undefined): ScheduledFork[] {
  const { eip155Block, eip158Block, petersburgBlock, constantinopleBlock } = given
  if ((eip155Block ?? eip158Block) !== (eip158Block ?? eip155Block)) {
    throw new InvalidOptionError('genesis.config.eip155Block', 'the same block as eip158Block')
  }
  const config: Config = {
    ...given,
    eip158Block: eip158Block ?? eip155Block,
    // As in geth: without a block for Petersburg, EIP-1283, which Petersburg removes, was never active.
    petersburgBlock: petersburgBlock ?? constantinopleBlock,
    daoForkBlock: given['daoForkSupport'] === true ? given['daoForkBlock'] : undefined,
    mergeForkBlock: mergeBlock,
  }
  if (config[NEXT_FIELD] != null) {
    const newest = NEWEST[0]!.toUpperCase() + NEWEST.slice(1)
    throw new InvalidOptionError(
      `genesis.config.${NEXT_FIELD}`,
      `no value: forks after ${newest} are not supported`,
    )
  }
  const forks: ScheduledFork[] = []
  let missing: string | undefined
  for (const fork of FORKS) {
    const at = readStart(config, fork.field)
    if (at === undefined && fork.name !== 'paris') {
      if (!fork.minor) missing ??= fork.field
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

/** The blob parameters of a genesis by fork (EIP-7840). Ignores unscheduled forks, as geth does. */
function readBlobSchedule(config: Config, forks: readonly ScheduledFork[]): Map<string, BlobParameters> {
  const schedule = (config['blobSchedule'] ?? {}) as Readonly<Record<string, Record<string, unknown>>>
  const blobs = new Map<string, BlobParameters>()
  const first = forks.findIndex((fork) => fork.blobs !== undefined)
  for (const { name, minor } of first < 0 ? [] : forks.slice(first)) {
    const given = schedule[name]
    if (given === undefined && !minor) continue
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
