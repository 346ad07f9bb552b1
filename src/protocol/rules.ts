/**
 * The rules of the chain by hardfork.
 *
 * Owns: every `Common` of @ethereumjs that executes or encodes. One is shared by all transactions, headers and EVMs of
 * a hardfork: stock ones are copied and their parameter tables rebuilt for every transaction. Also the rules of the
 * config made last, which chains without a genesis of their own share.
 */
import { paramsBlock } from '@ethereumjs/block'
import { Common, type CommonEvent, type CommonOpts } from '@ethereumjs/common'
import { paramsTx } from '@ethereumjs/tx'
import { EventEmitter } from 'eventemitter3'
import type { Crypto } from '../crypto/crypto.ts'
import type { GethGenesis, Hardfork } from '../primitives/types.ts'
import { type ForkSchedule, readForkSchedule } from './forkSchedule.ts'
import { FORKS, type ForkRules, MAX_INIT_CODE_SIZE } from './gas.ts'

/** What holds at one hardfork of one chain. */
export interface Rules {
  readonly chainId: bigint
  readonly hardfork: string
  readonly fork: ForkRules
  /** Bytes of the code that creates a contract (EIP-3860); without end before Shanghai, and where limits are lifted. */
  readonly maxInitCodeSize: number
  /** For @ethereumjs; shared, so never to be altered. */
  readonly common: Common
}

/** The chain's rules; see {@link createChainRules}. */
export interface ChainRules {
  readonly chainId: bigint
  /**
   * Total difficulty from which on blocks are past the merge, where a genesis leaves it to that; undefined where it
   * names the block instead, or where the first block without difficulty is the first one.
   */
  readonly terminalTotalDifficulty: bigint | undefined
  /**
   * The rules at a block.
   *
   * @param difficulty - the block's: where the genesis does not say which block is the first after the merge, one with
   *   a difficulty is before it. By default none, as every block has that this library makes.
   */
  at(number: bigint, timestamp: bigint, difficulty?: bigint): Rules
  /** A stock Common of its own, for parts of @ethereumjs that copy and alter theirs. */
  stockCommon(): Common
  /** The same forks under another chain id; undefined: under the genesis's own. */
  withChainId(chainId: bigint | undefined): ChainRules
}

/** What of the protocol a chain leaves out. */
export interface RuleOptions {
  /** Whether contracts, and the code that creates them, may be of any size (no EIP-170, no EIP-3860). */
  readonly allowUnlimitedContractSize?: boolean
}

/**
 * Reads the forks of a genesis, Homestead to Osaka and the blob parameters (EIP-7892) after it.
 *
 * @throws InvalidOptionError where a fork cannot be read or comes before one it builds on, and for proof of authority.
 */
export function createChainRules(
  genesis: GethGenesis,
  crypto: Crypto,
  { allowUnlimitedContractSize = false }: RuleOptions = {},
): ChainRules {
  const shared = latest?.config === genesis.config ? latest : undefined
  const made = shared?.made
  if (made?.crypto === crypto && made.allowUnlimitedContractSize === allowUnlimitedContractSize)
    return made.rules
  const rules = readRules(genesis, crypto, allowUnlimitedContractSize)
  if (shared !== undefined) shared.made = { crypto, allowUnlimitedContractSize, rules }
  return rules
}

function readRules(genesis: GethGenesis, crypto: Crypto, allowUnlimitedContractSize: boolean): ChainRules {
  const schedule = readForkSchedule(genesis)
  const fixed = allowUnlimitedContractSize ? NO_SIZE_LIMITS : NO_PARAMETERS
  const own = BigInt(genesis.config.chainId)
  const byChainId = new Map<bigint, ChainRules>()
  const withChainId = (chainId = own): ChainRules => {
    let rules = byChainId.get(chainId)
    if (rules === undefined) {
      rules = rulesUnder(chainId, schedule, crypto, fixed, withChainId)
      byChainId.set(chainId, rules)
    }
    return rules
  }
  return withChainId(own)
}

function rulesUnder(
  chainId: bigint,
  schedule: ForkSchedule,
  crypto: Crypto,
  fixed: ReadonlyMap<string, bigint>,
  withChainId: ChainRules['withChainId'],
): ChainRules {
  const options: CommonOpts = {
    chain: { ...schedule.chain, chainId: Number(chainId) },
    params: schedule.params,
    customCrypto: crypto.custom,
  }
  const byHardfork = new Map<string, Rules>()

  const rulesOf = (hardfork: string): Rules => {
    let rules = byHardfork.get(hardfork)
    if (rules === undefined) {
      const common = new SharedCommon({ ...options, hardfork }, fixed)
      const fork = forkRules(common)
      const isLimited = fork.shanghai && fixed !== NO_SIZE_LIMITS
      const maxInitCodeSize = isLimited ? MAX_INIT_CODE_SIZE : Number.POSITIVE_INFINITY
      rules = { chainId, hardfork, common, fork, maxInitCodeSize }
      byHardfork.set(hardfork, rules)
    }
    return rules
  }
  return {
    chainId,
    terminalTotalDifficulty: schedule.terminalTotalDifficulty,
    at: (number, timestamp, difficulty = 0n) => rulesOf(schedule.hardforkAt(number, timestamp, difficulty)),
    stockCommon: () => new Common(options),
    withChainId,
  }
}

/** The most blob gas a block may use (EIP-4844, EIP-7892); zero before Cancun. */
export function maxBlobGas({ common, fork }: Rules): bigint {
  return fork.cancun ? common.getBlobGasSchedule().maxBlobGasPerBlock : 0n
}

/** The config that {@link hardforkConfig} made last, and the rules made of it last. */
let latest:
  | {
      readonly chainId: number
      readonly hardfork: Hardfork
      readonly config: GethGenesis['config']
      made?: {
        readonly crypto: Crypto
        readonly allowUnlimitedContractSize: boolean
        readonly rules: ChainRules
      }
    }
  | undefined

/** The `config` of a geth genesis in which `hardfork` is active from the first block; frozen. */
export function hardforkConfig(chainId: number, hardfork: Hardfork): GethGenesis['config'] {
  if (latest?.chainId !== chainId || latest.hardfork !== hardfork) {
    latest = { chainId, hardfork, config: Object.freeze(makeConfig(chainId, hardfork)) }
  }
  return latest.config
}

function makeConfig(chainId: number, hardfork: Hardfork): GethGenesis['config'] {
  const config: Record<string, unknown> = { mergeForkBlock: 0, terminalTotalDifficulty: 0 }
  for (const fork of BLOCK_FORKS) config[`${fork}Block`] = 0
  for (const fork of TIME_FORKS.slice(0, TIME_FORKS.indexOf(hardfork) + 1)) config[`${fork}Time`] = 0
  return { ...config, terminalTotalDifficultyPassed: true, chainId }
}

/** The hardforks a chain can start with, in order. */
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

/** Parameters of @ethereumjs by which code is limited, in bytes, at values that no code reaches. */
const NO_SIZE_LIMITS: ReadonlyMap<string, bigint> = new Map([
  ['maxCodeSize', 2n ** 53n - 1n],
  ['maxInitCodeSize', 2n ** 53n - 1n],
])
const NO_PARAMETERS: ReadonlyMap<string, bigint> = new Map()

/** Keeps no listener: an EVM adds one, for a change of hardfork, and is held by it for as long as its Common is. */
class SilentEvents extends EventEmitter<CommonEvent> {
  override on(): this {
    return this
  }
}
const SILENT = new SilentEvents()

/**
 * A Common that cannot be altered: copies are itself, every parameter table is merged once, and looking up an EIP is
 * one array access rather than a search.
 */
class SharedCommon extends Common {
  declare private merged: boolean
  declare private activated: Uint8Array | undefined
  declare private fixed: ReadonlyMap<string, bigint>
  declare private values: Map<string, bigint>
  declare private blocks: Map<string, bigint | null>
  declare private added: Set<ParamsTable>

  /** @param fixed - parameters with other values than the hardfork has for them. */
  constructor(options: CommonOpts, fixed: ReadonlyMap<string, bigint>) {
    super(options)
    this.fixed = fixed
    for (const params of [paramsTx, paramsBlock]) super.updateParams(params)
    this.merged = true
    this.events = SILENT
    this.values = new Map()
    this.blocks = new Map()
    this.added = new Set()
    const activated = new Uint8Array(16_384)
    for (const eip of this._activatedEIPsCache) activated[eip] = 1
    this.activated = activated
  }

  /** @internal see {@link addParameters}. */
  add(params: ParamsTable): void {
    if (this.added.has(params)) return
    super.updateParams(params)
    this.added.add(params)
    this.values.clear()
  }

  override copy(): this {
    return this
  }

  override updateParams(params: ParamsTable): void {
    if (this.merged !== true) super.updateParams(params)
  }

  override setHardfork(hardfork: string): void {
    if (this.merged !== true) super.setHardfork(hardfork)
    else if (hardfork !== this.hardfork()) throw new TypeError(`these rules are those of ${this.hardfork()}`)
  }

  /** Every header asks for the block of the DAO fork. */
  override hardforkBlock(hardfork = this._hardfork): bigint | null {
    if (this.blocks === undefined) return super.hardforkBlock(hardfork)
    let block = this.blocks.get(hardfork)
    if (block === undefined) {
      block = super.hardforkBlock(hardfork)
      this.blocks.set(hardfork, block)
    }
    return block
  }

  override isActivatedEIP(eip: number): boolean {
    return this.activated === undefined ? super.isActivatedEIP(eip) : this.activated[eip] === 1
  }

  override param(name: string): bigint {
    if (this.values === undefined) return super.param(name)
    let value = this.values.get(name)
    if (value === undefined) {
      value = this.fixed.get(name) ?? super.param(name)
      this.values.set(name, value)
    }
    return value
  }
}

type ParamsTable = Parameters<Common['updateParams']>[0]

/** Adds the parameter table of a part of @ethereumjs that is loaded later; once, however often it is asked for. */
export function addParameters({ common }: Rules, params: ParamsTable): void {
  if (common instanceof SharedCommon) common.add(params)
}

function forkRules(common: Common): ForkRules {
  return Object.fromEntries(FORKS.map((name) => [name, common.gteHardfork(name)])) as ForkRules
}
