/**
 * The rules of the chain by hardfork.
 *
 * Owns: every `Common` of @ethereumjs that executes or encodes. One is shared by all transactions, headers and EVMs of
 * a hardfork: stock ones are copied and their parameter tables rebuilt for every transaction.
 */
import { paramsBlock } from '@ethereumjs/block'
import { type ChainConfig, Common, type CommonOpts, parseGethGenesis } from '@ethereumjs/common'
import { paramsTx } from '@ethereumjs/tx'
import type { Crypto } from './crypto.ts'
import { InvalidOptionError } from './errors.ts'
import { FORKS, type ForkRules } from './gas.ts'
import type { GethGenesis, Hardfork } from './types.ts'

/** What holds at one hardfork of one chain. */
export interface Rules {
  readonly chainId: bigint
  readonly hardfork: string
  readonly fork: ForkRules
  /** For @ethereumjs; shared, so never to be altered. */
  readonly common: Common
}

/** The chain's rules; see {@link createChainRules}. */
export interface ChainRules {
  readonly chainId: bigint
  /** The rules at a block. */
  at(number: bigint, timestamp: bigint): Rules
  /** A stock Common of its own, for parts of @ethereumjs that copy and alter theirs. */
  stockCommon(): Common
}

/**
 * Reads the forks of a genesis.
 *
 * @throws InvalidOptionError where the genesis cannot be parsed, or starts before the merge.
 */
export function createChainRules(genesis: GethGenesis, crypto: Crypto): ChainRules {
  const chain = parseChainConfig(genesis)
  const chainId = BigInt(genesis.config.chainId)
  const options: CommonOpts = { chain, customCrypto: crypto.custom }
  const schedule = new Common(options)
  const byHardfork = new Map<string, Rules>()

  const rulesOf = (hardfork: string): Rules => {
    let rules = byHardfork.get(hardfork)
    if (rules === undefined) {
      const common = new SharedCommon({ ...options, hardfork })
      rules = { chainId, hardfork, common, fork: forkRules(common) }
      byHardfork.set(hardfork, rules)
    }
    return rules
  }
  const timed = chain.hardforks.some((fork) => Number(fork.timestamp ?? 0) > 0)
  const fixed = timed ? undefined : rulesOf(schedule.getHardforkBy({ blockNumber: 0n, timestamp: 0n }))
  return {
    chainId,
    at: (blockNumber, timestamp) => fixed ?? rulesOf(schedule.getHardforkBy({ blockNumber, timestamp })),
    stockCommon: () => new Common(options),
  }
}

/** The `config` of a geth genesis in which `hardfork` is active from the first block. */
export function hardforkConfig(chainId: number, hardfork: Hardfork): GethGenesis['config'] {
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

/**
 * A Common that nobody can alter: copies are itself, every parameter table is merged once, and looking up an EIP is
 * one array access rather than a search.
 */
class SharedCommon extends Common {
  declare private merged: boolean
  declare private activated: Uint8Array | undefined
  declare private values: Map<string, bigint>
  declare private added: Set<ParamsTable>

  constructor(options: CommonOpts) {
    super(options)
    for (const params of [paramsTx, paramsBlock]) super.updateParams(params)
    this.merged = true
    this.values = new Map()
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

  override isActivatedEIP(eip: number): boolean {
    return this.activated === undefined ? super.isActivatedEIP(eip) : this.activated[eip] === 1
  }

  override param(name: string): bigint {
    if (this.values === undefined) return super.param(name)
    let value = this.values.get(name)
    if (value === undefined) {
      value = super.param(name)
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

function parseChainConfig(genesis: GethGenesis): ChainConfig {
  const withDefaults = {
    nonce: '0x0',
    timestamp: '0x0',
    extraData: '0x',
    difficulty: '0x0',
    ...genesis,
    config: { ...genesis.config, terminalTotalDifficultyPassed: startsMerged(genesis) },
    // The accounts are read elsewhere; copying them here would cost as much again.
    alloc: {},
  }
  let parsed: ChainConfig
  try {
    parsed = parseGethGenesis(withDefaults as never, 'preseal') as unknown as ChainConfig
  } catch (error) {
    throw new InvalidOptionError('genesis', `a geth genesis.json (${(error as Error).message})`)
  }
  const paris = parsed.hardforks.find((fork) => fork.name === 'paris')
  if (paris?.block !== 0) {
    throw new InvalidOptionError('genesis', 'a chain that starts at the merge or later')
  }
  return {
    ...parsed,
    consensus: { type: 'pos', algorithm: 'casper', casper: {} },
    depositContractAddress: (genesis.config['depositContractAddress'] ??
      '0x00000000219ab540356cbb839cbe05303d7705fa') as `0x${string}`,
  }
}

/** A genesis from after the merge may say so, or have a total difficulty that is reached from the start. */
function startsMerged({ config }: GethGenesis): boolean {
  return (
    config['terminalTotalDifficultyPassed'] === true ||
    Number(config['terminalTotalDifficulty'] ?? Number.NaN) === 0
  )
}

function forkRules(common: Common): ForkRules {
  return Object.fromEntries(FORKS.map((name) => [name, common.gteHardfork(name)])) as ForkRules
}
