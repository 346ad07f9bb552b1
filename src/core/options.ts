/** The options of `createChain`: meanings, defaults and checks. */

import { ZERO_ADDRESS } from '../base/bytes.ts'
import { systemClock } from '../base/clock.ts'
import { SchemaError } from '../base/errors.ts'
import { ACCOUNT_OPTIONS, accounts, SENDER_OPTIONS } from '../base/options/accountOptions.ts'
import { faults, NO_FAULTS } from '../base/options/faultSettings.ts'
import { FORK_OPTIONS, fork } from '../base/options/forkOptions.ts'
import {
  check,
  group,
  type OptionsInput,
  type OptionsValue,
  option,
  parseOptions,
} from '../base/options/option.ts'
import {
  address,
  alternatives,
  bigint,
  blockGas,
  boolean,
  bytes,
  chainId,
  choice,
  choices,
  clock,
  database,
  dialect,
  engine,
  extraData,
  integer,
  isManual,
  MAX_BLOCK_GAS,
  MAX_TIMEOUT,
  MIN_BLOCK_GAS,
  milliseconds,
  text,
  wei,
} from '../base/options/optionSchemas.ts'
import { createSchema, readObject, type Schema, scalar } from '../base/schema.ts'
import type { GethGenesis, Hex } from '../base/types.ts'
import { DEFAULT_HARDFORK, HARDFORKS } from '../ethereum/rules.ts'
import { ordering } from './mempool/ordering.ts'

// The result of `chain.export()`, and the check of its settings as an option. `core/open/exportedChain.ts` reads them.

/** The settings of an exported chain, as JSON. Their content may differ between versions. */
export interface ChainSettings {
  /** The version of the format of the settings. */
  readonly version: number
  readonly [part: string]: unknown
}

/** A chain as plain data: options from which an equal chain starts. Survives `JSON.stringify` and `JSON.parse`. */
export interface ExportedChain {
  readonly genesis: GethGenesis
  /** The blocks after genesis, as concatenated RLP. */
  readonly blocks: Hex
  /** Everything else: options, the settings of blocks to come, and the changes that cheats made. */
  readonly settings: ChainSettings
}

/** The schema of the option `settings`. */
export const settings: Schema<ChainSettings, ChainSettings> = createSchema(
  'the settings of chain.export()',
  (value, path) => readObject(value, path) as unknown as ChainSettings,
)

/** Parses a decimal or hex number of a genesis; undefined if it is malformed. */
export function genesisQuantity(value: unknown): bigint | undefined {
  try {
    return BigInt(value as string)
  } catch {
    return undefined
  }
}

/** The schema of a parsed geth genesis. */
export const genesis: Schema<GethGenesis, GethGenesis> = createSchema(
  'a parsed geth genesis.json',
  (value, path) => {
    if (!isObject(value)) throw new SchemaError(path, 'a parsed geth genesis.json')
    const { config, alloc, gasLimit } = value as Partial<GethGenesis>
    chainId.parse(config?.chainId, `${path}.config.chainId`)
    if (!isObject(alloc)) throw new SchemaError(`${path}.alloc`, 'an object of accounts by address')
    const gas = genesisQuantity(gasLimit)
    if (gas === undefined || gas < MIN_BLOCK_GAS || gas > MAX_BLOCK_GAS) {
      throw new SchemaError(`${path}.gasLimit`, 'a quantity from 5,000 to 2^63 - 1')
    }
    return value as GethGenesis
  },
)

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The names of contracts that a chain can have from its first block on. `core/open/predeploys/` has their codes. */
export const PREDEPLOYS = [
  'create2',
  'multicall3',
  'permit2',
  'createx',
  'entrypoint',
  'entrypoint08',
] as const

/** A predeployed contract, with the contract that its constructor creates, if any. */
export type Predeploy = (typeof PREDEPLOYS)[number]

/** The build info for Solidity stack traces: a folder, or a list of build infos. */
export type StackTraceSource = string | readonly object[]

/** `false` is the same as no value. */
const stackTraces = scalar<StackTraceSource | false, StackTraceSource | false>(
  "a folder such as 'artifacts', a list of build infos, or false",
  (value) => {
    if (value === false || (typeof value === 'string' && value !== '')) return value as string | false
    const isList = Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null)
    return isList ? value : undefined
  },
)

/** The option of Solidity stack traces. */
export const STACK_TRACE_OPTIONS = {
  /**
   * Build info for Solidity stack traces on the errors of failed calls, estimates and sends: the folder where Hardhat
   * (`'artifacts'`) or Foundry (`'out'`) writes it, which needs Node, or a list of build infos. Default: no such
   * traces.
   */
  stackTraces: option(stackTraces, {
    flag: {
      value: 'DIR',
      help: 'show lines of Solidity in errors, with the build info of this folder',
      default: 'none',
    },
  }),
}

/** When blocks are made: by the clock, after each send, or only on demand. */
export type MiningMode = 'interval' | 'auto' | 'manual'

/** Whether a chain without requests goes on, or stops until the next request. */
export type IdleMode = 'run' | 'sleep' | 'catch-up'

/** Which failure a stored block survives: the end of the process, or a power failure too. */
export type Durability = 'process' | 'disk'

/** All options of a chain; each is optional. */
export const CHAIN_OPTIONS = {
  /** EIP-155 chain id. Not together with `genesis`. */
  chainId: option(chainId, { default: 31_337, flag: { value: 'ID', help: 'EIP-155 chain id' } }),
  /**
   * Rules from the first block on: the name of a hardfork since the merge. Default: mainnet's, or a stored chain's. Not
   * together with `genesis`.
   */
  hardfork: option(choice(HARDFORKS, `one of ${HARDFORKS.join(', ')}`), {
    keptIn: 'database',
    flag: { value: 'NAME', help: alternatives(HARDFORKS), default: DEFAULT_HARDFORK },
  }),
  /**
   * Prefunded accounts: `{ count, mnemonic, balance }`, derived from a mnemonic, or a list of
   * `{ privateKey, address, balance }`. Balances are in wei, by default 10,000 ether. An `address` is optional, and
   * must be the key's. Default: 10 accounts of `test … junk`; none with a `genesis`, to whose accounts they are added.
   */
  accounts: { ...option(accounts, { keptIn: 'export' }), fields: ACCOUNT_OPTIONS },
  ...SENDER_OPTIONS,
  /** A parsed geth `genesis.json`. A genesis from before the merge needs `blocks` up to the merge. */
  genesis: option(genesis, {
    flag: { value: 'FILE', help: 'start from a genesis.json of geth', of: 'json file' },
  }),
  /**
   * Blocks to import after the genesis, as concatenated RLP, in bytes or hex. Each is executed and fully validated,
   * except its proof of work. Blocks already in the `database` are skipped, so that the same options resume a chain.
   */
  blocks: option(bytes, {
    flag: {
      value: 'FILE',
      help: 'import the RLP of these blocks after the genesis',
      of: 'binary file',
    },
  }),
  /** The settings of `chain.export()`. Given options take precedence. Only with a `genesis`, not with a `database`. */
  settings: option(settings),
  /**
   * A chain to fork: the new chain continues after one of its blocks, and reads the state of that block as needed.
   * Chain id, hardfork and gas limit default to the forked chain's.
   */
  fork: { ...option(fork), fields: FORK_OPTIONS },
  /**
   * Contracts of the first block, at their addresses on Ethereum mainnet: `'create2'`, the proxy of most deployment
   * tools, `'multicall3'`, `'permit2'`, `'createx'`, and the EntryPoints of EIP-4337, `'entrypoint'` (0.7) and
   * `'entrypoint08'`, with their SenderCreators. Default: `['create2', 'multicall3']`; none with a `genesis` or a
   * `fork`. A stored chain keeps its contracts.
   */
  predeploys: option(choices(PREDEPLOYS), {
    keptIn: 'database',
    flag: { value: 'NAMES', help: PREDEPLOYS.join(', '), default: 'create2,multicall3', of: 'names' },
  }),
  /** Gas limit of every block. Default: 30,000,000, or the genesis block's. */
  gasLimit: option(blockGas, {
    keptIn: 'export',
    flag: { value: 'GAS', help: 'gas limit of every block', default: '30000000', of: 'bigint' },
  }),
  /** Fee recipient. */
  coinbase: option(address, {
    default: ZERO_ADDRESS,
    keptIn: 'export',
    flag: { value: 'ADDRESS', help: 'fee recipient', default: 'the zero address' },
  }),
  /** Extra data in the header of every block that the chain builds: up to 32 bytes of hex. */
  extraData: option(extraData, { default: '0x', keptIn: 'export' }),
  /** Base fee of the genesis block, in wei. */
  initialBaseFeePerGas: option(wei, {
    default: 1_000_000_000n,
    flag: {
      name: 'initial-base-fee',
      value: 'WEI',
      help: 'base fee of the genesis block',
    },
  }),
  /** A fixed base fee for every block, in wei, in place of EIP-1559's adjustment. */
  fixedBaseFee: option(wei, { keptIn: 'export' }),
  /**
   * The result of eth_gasPrice in wei, and the fee of transactions that the chain's accounts send without one: their
   * gas price, or their fee cap and priority fee if their type has no gas price. Default: the base fee plus a priority
   * fee; a fee cap is twice the base fee plus the priority fee.
   */
  gasPrice: option(wei, {
    keptIn: 'export',
    flag: {
      value: 'WEI',
      help: 'result of eth_gasPrice, and fee of transactions sent without one',
      default: 'base fee and a tip',
      of: 'bigint',
    },
  }),
  /**
   * When blocks are made: `'interval'` by the clock, `'auto'` after each send, which resolves when its transaction is
   * sealed, `'manual'` only by `tick()` and `seal()`.
   */
  mining: option(choice<MiningMode>(['interval', 'auto', 'manual']), {
    default: 'interval',
    keptIn: 'both',
    flag: { value: 'MODE', help: 'interval, auto or manual' },
  }),
  /**
   * Milliseconds from seal to seal in `interval` mode. Below 50, the console warns once that the unit is not seconds,
   * unless `preconfInterval` is given or the clock is manual.
   */
  blockTime: option(milliseconds, {
    default: 2000,
    keptIn: 'both',
    flag: { value: 'MS', help: 'time from seal to seal' },
  }),
  /** Milliseconds between preconf blocks in `interval` mode. Default: 200, or `blockTime` if it is less. */
  preconfInterval: option(milliseconds, {
    keptIn: 'export',
    flag: { value: 'MS', help: 'time between preconf blocks', default: '200', of: 'number' },
  }),
  /**
   * Milliseconds that a tick of the timer may spend on execution; the rest waits for the next tick. Default: half of
   * `preconfInterval`. Does not apply to a manual clock, or to requested ticks and seals.
   */
  tickBudget: option(
    scalar<number, number>('a number > 0 (milliseconds)', (value) =>
      Number.isFinite(value) && (value as number) > 0 ? (value as number) : undefined,
    ),
  ),
  /**
   * What a chain does after `idleAfter` milliseconds without a request. `'run'`: it goes on. `'sleep'`: it stops making
   * blocks until the next request, at which a new slot begins. `'catch-up'`, only in `interval` mining: at the next
   * request, the blocks come that were due meanwhile, with their times, as if the chain had run. While the clock makes
   * blocks, the chain falls asleep only when no transaction is pre-confirmed or can be included. Snapshots that only
   * memory has keep it awake; subscriptions do not.
   */
  idle: option(choice<IdleMode>(['run', 'sleep', 'catch-up']), {
    default: 'run',
    keptIn: 'database',
    flag: { value: 'MODE', help: 'when nobody asks: run, sleep or catch-up' },
  }),
  /** After how many milliseconds without a request a chain falls asleep, by its clock. No effect if `idle` is `'run'`. */
  idleAfter: option(milliseconds, {
    default: 10_000,
    flag: { value: 'MS', help: 'time without a request until the chain sleeps' },
  }),
  /** Whether a block may have its parent's timestamp. */
  allowBlocksWithSameTimestamp: option(boolean, {
    default: false,
    keptIn: 'export',
    flag: { help: "allow a block to have its parent's timestamp" },
  }),
  /** Time and timers; `createManualClock()` for tests. */
  clock: option(clock, { default: systemClock }),
  /** Limits and order of the mempool. */
  mempool: group({
    /** Maximum number of waiting transactions. */
    maxTransactions: option(integer(1), { default: 10_000 }),
    /** Maximum number of waiting transactions of one sender. */
    maxPerSender: option(integer(1), { default: 1_000 }),
    /** Percent by which a replacement must raise both fee fields. */
    priceBump: option(integer(0), { default: 10 }),
    ordering,
  }),
  /** How far the tags `safe` and `finalized` are behind the head. */
  finality: group({
    /** How many blocks `safe` is behind the head. */
    safe: option(integer(0), { default: 0 }),
    /** How many blocks `finalized` is behind the head. */
    finalized: option(integer(0), { default: 0 }),
  }),
  /** For how many blocks behind the head history is kept. */
  history: group({
    /** For how many blocks states, receipts and logs are kept. */
    blocks: option(integer(2), { default: 100_000 }),
    /** For how many blocks state tries are kept, from which eth_getProof makes proofs. */
    proofs: option(integer(0), { default: 128 }),
  }),
  /** Limits of one request. */
  limits: group({
    /** How much gas eth_call, eth_estimateGas, debug_traceCall, or all calls of one eth_simulateV1 together may use. */
    gasCap: option(bigint(21_000n, 2n ** 64n - 1n, 'a bigint from 21,000 to 2^64 - 1'), {
      default: 50_000_000n,
    }),
    /** How many blocks the range of eth_getLogs or eth_getFilterLogs may have. */
    logBlockRange: option(integer(1), { default: 100_000 }),
    /** How many logs one answer of eth_getLogs, eth_getFilterLogs or eth_getFilterChanges may have. */
    logResults: option(integer(1), { default: 20_000 }),
    /** How many blocks eth_simulateV1 may simulate, counting the blocks that fill gaps. */
    simulateBlocks: option(integer(1), { default: 256 }),
    /** How many blocks the range of trace_filter may have. Each is executed again. */
    traceBlockRange: option(integer(1), { default: 1_000 }),
    /** How many bytes of memory the traces of one request may take, as estimated. */
    traceMemory: option(integer(1), { default: 100_000_000 }),
  }),
  /** Whether blob transactions (EIP-4844) are accepted: with blob proofs and, since Osaka, with cell proofs too. */
  blobs: option(boolean, {
    default: false,
    keptIn: 'export',
    flag: { help: 'accept blob transactions (EIP-4844)' },
  }),
  /** Whether contracts and their creation code may have any size (no EIP-170, no EIP-3860). Gas costs are unchanged. */
  allowUnlimitedContractSize: option(boolean, {
    default: false,
    keptIn: 'export',
    flag: { help: 'allow contracts of any size (no EIP-170, no EIP-3860)' },
  }),
  /**
   * Whether transactions are limited to 2^24 gas since Osaka (EIP-7825). If not, a transaction may use all the gas of a
   * block, built or imported.
   */
  transactionGasCap: option(boolean, {
    default: true,
    keptIn: 'export',
    flag: {
      name: 'no-transaction-gas-cap',
      help: 'allow transactions of more than 2^24 gas (no EIP-7825)',
      of: 'negation',
    },
  }),
  /** Whether receipts show the revert data of transactions as `revertReason`. */
  revertReason: option(boolean, {
    default: false,
    keptIn: 'export',
    flag: { help: 'show the revert data of transactions in their receipts' },
  }),
  ...STACK_TRACE_OPTIONS,
  /** Whether `console.log` calls of contracts are printed. The event `console` is emitted either way. */
  console: option(boolean, {
    default: false,
    flag: { help: 'print console.log calls of contracts, with --json to stderr' },
  }),
  /**
   * The result of web3_clientVersion. Default: `preseal/v` and the version, after `HardhatNetwork/` in the `hardhat`
   * dialect. Tools that detect nodes by name treat the chain as that node: `'HardhatNetwork/2.22.0'`, `'anvil/v1.0.0'`.
   */
  clientVersion: option(text(), {
    flag: {
      value: 'TEXT',
      help: 'result of web3_clientVersion, such as HardhatNetwork/2.22.0',
      default: 'preseal and its version',
    },
  }),
  /**
   * The store of blocks and state, such as `new ClassicLevel(path)` of `classic-level`. Default: a new `memory-level`.
   * A chain in the store resumes at its head, with its mempool and settings. The chain opens the store but does not
   * close it: close it after `chain.close()` resolves.
   */
  database: option(database, {
    flag: { value: 'DIR', help: 'keep the chain here; needs classic-level', of: 'folder' },
  }),
  /**
   * When a change of the head counts as stored: `'process'` once the database has it, so that it survives the end of
   * the process; `'disk'` once the disk has it, so that it survives a power failure too. Only with a `database`.
   */
  durability: option(choice<Durability>(['process', 'disk']), {
    default: 'process',
    flag: { value: 'MODE', help: 'process, or disk to wait for the disk at each block' },
  }),
  /**
   * Whose answers are given if they differ: this library's specification (`'preconf'`), go-ethereum's (`'geth'`), or
   * the answers that Hardhat's clients expect (`'hardhat'`).
   */
  dialect: option(dialect, {
    default: 'preconf',
    flag: { value: 'NAME', help: 'wording of answers: preconf, or geth or hardhat for theirs' },
  }),
  /**
   * The EVM, also for imported blocks: `'preseal'`, this library's own, or `'ethereumjs'`, which is many times slower
   * and also decodes the transactions.
   */
  engine: option(engine, {
    default: 'preseal',
    flag: { value: 'NAME', help: 'EVM: preseal, or ethereumjs as a second opinion' },
  }),
  /** Initial faults: a preset's name, or settings. Default: none. `chain.faults` changes them. */
  faults: option(faults, {
    default: NO_FAULTS,
    flag: {
      value: 'PRESET',
      help: 'preset of faults to inject, such as stale-pending',
      default: 'none',
    },
  }),
}

/** The options of `createChain`; each is optional. */
export interface ChainOptions extends OptionsInput<typeof CHAIN_OPTIONS> {}

type Parsed = OptionsValue<typeof CHAIN_OPTIONS>

/** Options whose default depends on other options. */
type Dependent = 'accounts' | 'gasLimit' | 'preconfInterval' | 'tickBudget'

/** Options with all defaults filled in. */
export type ResolvedOptions = Omit<Parsed, Dependent> & {
  readonly [Name in Dependent]: Exclude<Parsed[Name], undefined>
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws InvalidOptionError for the first invalid option.
 */
export function resolveOptions(options: ChainOptions = {}): ResolvedOptions {
  renameForking(options)
  const parsed = parseOptions(CHAIN_OPTIONS, options)
  const { genesis, blockTime, clock, preconfInterval = Math.min(200, blockTime) } = parsed
  for (const name of ['chainId', 'hardfork', 'initialBaseFeePerGas'] as const) {
    const isAlone = genesis === undefined || options[name] === undefined
    check(isAlone, name, 'no value if genesis is given, which sets it')
  }
  for (const name of ['genesis', 'blocks', 'settings', 'database'] as const) {
    check(parsed.fork === undefined || parsed[name] === undefined, name, 'no value if fork is given')
  }
  const isAfterGenesis = parsed.blocks === undefined || genesis !== undefined
  check(isAfterGenesis, 'blocks', 'no value unless genesis is given')
  const isStored = parsed.database !== undefined || options.durability === undefined
  check(isStored, 'durability', 'no value unless database is given')
  check(preconfInterval <= blockTime, 'preconfInterval', `at most blockTime (${blockTime})`)
  const catchesUp = parsed.idle === 'catch-up' && parsed.mining !== 'interval'
  check(!catchesUp, 'idle', "'run' or 'sleep' unless mining is 'interval'")
  check(parsed.idleAfter <= MAX_TIMEOUT, 'idleAfter', `at most ${MAX_TIMEOUT}`)
  check(preconfInterval <= MAX_TIMEOUT, 'preconfInterval', `at most ${MAX_TIMEOUT}`)
  const { tickBudget = preconfInterval / 2 } = parsed
  const resolved: ResolvedOptions = {
    ...parsed,
    chainId: genesis?.config.chainId ?? parsed.chainId,
    accounts: parsed.accounts ?? (genesis === undefined ? parseOptions(ACCOUNT_OPTIONS, {}) : []),
    gasLimit: parsed.gasLimit ?? genesisQuantity(genesis?.gasLimit) ?? 30_000_000n,
    preconfInterval,
    tickBudget: isManual(clock) ? Number.POSITIVE_INFINITY : tickBudget,
  }
  warnOfShortBlocks(options, resolved)
  return resolved
}

/** The names of the option `fork` in Hardhat and anvil. */
const FORKING = ['forking', 'forkUrl']

function renameForking(options: ChainOptions): void {
  const name = FORKING.find((name) => Object.hasOwn(options ?? {}, name))
  if (name) check(false, name, 'its name here, fork: { url }')
}

/**
 * Warns once that times are in milliseconds: on other dev chains a block time of 2 is two seconds. A manual clock or a
 * given preconf interval shows that milliseconds are meant.
 */
function warnOfShortBlocks(options: ChainOptions, { blockTime, mining, clock }: ResolvedOptions): void {
  const isIntended = blockTime >= 50 || options.preconfInterval !== undefined || isManual(clock)
  if (isIntended || mining !== 'interval' || hasWarned) return
  hasWarned = true
  // biome-ignore lint/suspicious/noConsole: no chain exists yet to emit an event.
  console.warn(
    `preseal: blockTime is in milliseconds, so a block is sealed every ${blockTime} ms; for ${blockTime} s, set it to ` +
      `${blockTime * 1000}. If ${blockTime} ms is intended, set preconfInterval too.`,
  )
}

let hasWarned = false
