/**
 * The rules of the chain by hardfork.
 *
 * Owns: the rules of the config created last, which chains without a given genesis share.
 */
import type { GethGenesis, Hardfork } from '../base/types.ts'
import { type BlobParameters, FORK_ORDER, type ForkSchedule, readForkSchedule } from './forkSchedule.ts'
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
export interface BlobRules {
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
export interface RuleOptions {
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
