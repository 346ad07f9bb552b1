/** The options of `createChain`: what they mean, their defaults, and the one place that checks them. */
import { ZERO_ADDRESS } from '../primitives/bytes.ts'
import { type Clock, systemClock } from '../primitives/clock.ts'
import type { Address, DevAccount, Dialect, GethGenesis, Hardfork, Hex } from '../primitives/types.ts'
import { CLIENT_VERSION } from '../primitives/version.ts'
import { type FaultPreset, type FaultSettings, resolveFaults } from './faultSettings.ts'
import {
  check,
  DIALECT_NAMES,
  isBigint,
  isChainId,
  isClock,
  isDatabase,
  isDialect,
  isHexOf,
  isInteger,
  isManual,
  isObject,
  MAX_UINT256,
  quantityOf,
} from './optionChecks.ts'

/** When blocks are made: by the clock, after each send, or only on demand. */
export type MiningMode = 'interval' | 'auto' | 'manual'

/** Which executable transaction goes first: the better tip, or the earlier arrival. */
export type MempoolOrdering = 'fees' | 'fifo'

/**
 * A key-value store for blocks: any abstract-level database, `memory-level`, `classic-level` and `browser-level`
 * among them. Keys and values are bytes (encoding `view`).
 */
export interface Database {
  open(): Promise<void>
  close(): Promise<void>
  get(key: never, options: never): Promise<unknown>
  batch(operations: never, options: never): Promise<void>
}

/** What `createChain` takes; every field has a default. */
export interface ChainOptions {
  /** EIP-155 chain id; 31337. Not together with `genesis`. */
  readonly chainId?: number | undefined
  /** Rules from the first block on; 'prague'. Not together with `genesis`. */
  readonly hardfork?: Hardfork | undefined
  /**
   * Prefunded accounts: a mnemonic's (10 of `test … junk`, 10,000 ether each), or exactly these, with 10,000 ether
   * each. Beside a `genesis` they are added to it, and there are none by default.
   */
  readonly accounts?:
    | {
        /** At most 10,000. */
        readonly count?: number | undefined
        readonly mnemonic?: string | undefined
        /** In wei. */
        readonly balance?: bigint | undefined
      }
    | readonly DevAccount[]
    | undefined
  /** A parsed geth `genesis.json`; of a chain that starts before the merge only with `blocks` that lead up to it. */
  readonly genesis?: GethGenesis | undefined
  /**
   * Blocks after the genesis to begin with: their RLP, one after the other. Each is executed and validated in full, but
   * for the seal of proof of work. Those that the `database` holds already are passed over, so the same options take a
   * chain up again.
   */
  readonly blocks?: Uint8Array | undefined
  /** Gas limit of every block; 30,000,000. */
  readonly gasLimit?: bigint | undefined
  /** Fee recipient; the zero address. */
  readonly coinbase?: Address | undefined
  /** Up to 32 bytes in the header of every block made; none. */
  readonly extraData?: Hex | undefined
  /** The genesis block's base fee in wei; 1 gwei. */
  readonly baseFeePerGas?: bigint | undefined
  /**
   * What eth_gasPrice answers, in wei, and what transactions of the chain's own accounts offer that name no fee: as
   * their gas price, or where their type has none as fee cap and tip. By default the base fee with a tip on it.
   */
  readonly gasPrice?: bigint | undefined
  /** Pins the base fee of every block, in wei, instead of letting EIP-1559 move it. */
  readonly fixedBaseFee?: bigint | undefined
  /** 'interval'. */
  readonly mining?: MiningMode | undefined
  /**
   * Milliseconds from seal to seal in `interval` mode; 2000. Below 50 the console warns once that these are not
   * seconds, unless `preconfInterval` is given as well or the clock is a manual one.
   */
  readonly blockTime?: number | undefined
  /** Milliseconds from snapshot to snapshot in `interval` mode; 200, or `blockTime` where that is less. */
  readonly preconfInterval?: number | undefined
  /**
   * Milliseconds a tick of the timer may execute; half of `preconfInterval`. What is left waits for the next. Not
   * applied under a manual clock, nor to ticks and seals that are asked for.
   */
  readonly tickBudget?: number | undefined
  /** Whether a block may carry its parent's timestamp; false. */
  readonly sameSecondBlocks?: boolean | undefined
  /** Time and timers; the system's. */
  readonly clock?: Clock | undefined
  /** Limits and order of the mempool. */
  readonly mempool?:
    | {
        /** 10,000. */
        readonly maxTransactions?: number | undefined
        /** 1,000. */
        readonly maxPerSender?: number | undefined
        /** Percent by which a replacement raises both fee fields; 10. */
        readonly priceBump?: number | undefined
        /** 'fees'. */
        readonly ordering?: MempoolOrdering | undefined
      }
    | undefined
  /** How many blocks behind the head the tags `safe` and `finalized` point; 0. */
  readonly finality?:
    | { readonly safe?: number | undefined; readonly finalized?: number | undefined }
    | undefined
  /** How many blocks back state, receipts and logs (100,000) and trie roots for proofs (128) are kept. */
  readonly history?: { readonly blocks?: number | undefined; readonly roots?: number | undefined } | undefined
  /** What one request may ask for. */
  readonly limits?:
    | {
        /** Gas of eth_call and eth_estimateGas; 50,000,000. */
        readonly callGas?: bigint | undefined
        /** Blocks in the range of eth_getLogs; 100,000. */
        readonly logBlockRange?: number | undefined
        /** Logs in the answer of eth_getLogs; 20,000. */
        readonly logResults?: number | undefined
        /** Blocks of eth_simulateV1, those that fill gaps included; 256. */
        readonly simulateBlocks?: number | undefined
        /** Blocks in the range of trace_filter, each of which is executed again; 1,000. */
        readonly traceBlockRange?: number | undefined
        /** Bytes of memory that the traces of one request may take, estimated; 100,000,000. */
        readonly traceMemory?: number | undefined
      }
    | undefined
  /** Whether blob transactions (EIP-4844) are accepted; false, as on a rollup. */
  readonly blobs?: boolean | undefined
  /**
   * Whether contracts and the code that creates them may be of any size (no EIP-170, no EIP-3860); false. The gas they
   * cost stays.
   */
  readonly allowUnlimitedContractSize?: boolean | undefined
  /**
   * Where blocks are stored, such as `new ClassicLevel(path)` of `classic-level`; a `memory-level` of the chain's own.
   * One that holds a chain is replayed. It is opened if it is not open, and stays open when the chain closes: it is for
   * its owner to close, once `chain.close()` has resolved.
   */
  readonly database?: Database | undefined
  /** Whether receipts tell what transactions reverted with, as `revertReason`; false. */
  readonly revertReason?: boolean | undefined
  /** Whether what contracts say by `console.log` is printed; false. The event `console` tells of it either way. */
  readonly console?: boolean | undefined
  /**
   * What web3_clientVersion answers; `preseal/v` and the version. Tools that know their nodes by name take the chain
   * for the one it is called after: `'HardhatNetwork/2.22.0'`, `'anvil/v1.0.0'`.
   */
  readonly clientVersion?: string | undefined
  /** How answers are worded where go-ethereum's differ from this library's specification; 'preconf'. */
  readonly dialect?: Dialect | undefined
  /** What goes wrong on purpose from the start, by name or in detail; nothing. `chain.faults` changes it. */
  readonly faults?: FaultPreset | FaultSettings | undefined
}

/** Options with every default filled in. */
export interface ResolvedOptions {
  readonly chainId: number
  readonly hardfork: Hardfork
  readonly accounts:
    | readonly DevAccount[]
    | { readonly count: number; readonly mnemonic: string; readonly balance: bigint }
  readonly genesis: GethGenesis | undefined
  readonly blocks: Uint8Array | undefined
  readonly gasLimit: bigint
  readonly coinbase: Address
  readonly extraData: Hex
  readonly baseFeePerGas: bigint
  readonly fixedBaseFee: bigint | undefined
  readonly gasPrice: bigint | undefined
  readonly mining: MiningMode
  readonly blockTime: number
  readonly preconfInterval: number
  readonly tickBudget: number
  readonly sameSecondBlocks: boolean
  readonly clock: Clock
  readonly mempool: {
    readonly maxTransactions: number
    readonly maxPerSender: number
    readonly priceBump: number
    readonly ordering: MempoolOrdering
  }
  readonly finality: { readonly safe: number; readonly finalized: number }
  readonly history: { readonly blocks: number; readonly roots: number }
  readonly limits: {
    readonly callGas: bigint
    readonly logBlockRange: number
    readonly logResults: number
    readonly simulateBlocks: number
    readonly traceBlockRange: number
    readonly traceMemory: number
  }
  readonly blobs: boolean
  readonly allowUnlimitedContractSize: boolean
  readonly database: Database | undefined
  readonly revertReason: boolean
  readonly console: boolean
  readonly clientVersion: string
  readonly dialect: Dialect
  readonly faults: FaultSettings
}

/** Balance of a dev account unless told otherwise: 10,000 ether, in wei. */
export const DEFAULT_BALANCE = 10_000n * 10n ** 18n

/** The mnemonic of the default dev accounts, shared by every development chain. */
export const DEFAULT_MNEMONIC = 'test test test test test test test test test test test junk'

/**
 * Checks the options and fills in the defaults.
 *
 * @throws InvalidOptionError for the first option that cannot be used.
 */
export function resolveOptions(options: ChainOptions = {}): ResolvedOptions {
  check(isObject(options), 'options', 'an object')
  checkNames(options)
  const { genesis, blocks, accounts, mempool = {}, finality = {}, history = {}, limits = {} } = options
  for (const [name, group] of Object.entries({ mempool, finality, history, limits })) {
    check(isObject(group), name, 'an object')
  }
  if (genesis !== undefined) {
    check(options.chainId === undefined, 'chainId', 'none beside genesis, which names its own')
    check(options.hardfork === undefined, 'hardfork', 'none beside genesis, which names its own')
    check(options.baseFeePerGas === undefined, 'baseFeePerGas', 'none beside genesis, which names its own')
    check(isObject(genesis), 'genesis', 'a parsed geth genesis.json')
    check(isChainId(genesis.config?.chainId), 'genesis.config.chainId', A_CHAIN_ID)
    check(isObject(genesis.alloc), 'genesis.alloc', 'accounts by address')
    const least = quantityOf(genesis.gasLimit)
    check(isBigint(least, 5000n, 2n ** 63n - 1n), 'genesis.gasLimit', 'a quantity from 5,000 to 2^63 - 1')
  }
  check(blocks === undefined || blocks instanceof Uint8Array, 'blocks', 'a Uint8Array')
  check(blocks === undefined || genesis !== undefined, 'blocks', 'none without the genesis they follow')
  const chainId = options.chainId ?? genesis?.config.chainId ?? 31_337
  check(isChainId(chainId), 'chainId', A_CHAIN_ID)
  const hardfork = options.hardfork ?? 'prague'
  check(HARDFORKS.includes(hardfork), 'hardfork', `one of ${HARDFORKS.join(', ')}`)

  const gasLimit = options.gasLimit ?? (genesis === undefined ? 30_000_000n : quantityOf(genesis.gasLimit))
  check(isBigint(gasLimit, 5000n, 2n ** 63n - 1n), 'gasLimit', 'a bigint from 5,000 to 2^63 - 1')
  const coinbase = options.coinbase ?? ZERO_ADDRESS
  check(/^0x[0-9a-f]{40}$/i.test(coinbase), 'coinbase', 'an address')
  const extraData = options.extraData ?? '0x'
  check(/^0x([0-9a-f]{2}){0,32}$/i.test(extraData), 'extraData', 'up to 32 bytes of hex')
  const baseFeePerGas = options.baseFeePerGas ?? 1_000_000_000n
  check(isBigint(baseFeePerGas, 0n, MAX_UINT256), 'baseFeePerGas', AN_AMOUNT)
  const { fixedBaseFee, gasPrice } = options
  for (const [name, wei] of Object.entries({ fixedBaseFee, gasPrice })) {
    check(wei === undefined || isBigint(wei, 0n, MAX_UINT256), name, AN_AMOUNT)
  }

  const mining = options.mining ?? 'interval'
  check(['interval', 'auto', 'manual'].includes(mining), 'mining', "'interval', 'auto' or 'manual'")
  const blockTime = options.blockTime ?? 2000
  check(isInteger(blockTime, 1), 'blockTime', 'a whole number of milliseconds from 1 on')
  const preconfInterval = options.preconfInterval ?? Math.min(200, blockTime)
  check(isInteger(preconfInterval, 1), 'preconfInterval', 'a whole number of milliseconds from 1 on')
  check(preconfInterval <= blockTime, 'preconfInterval', `at most blockTime (${blockTime})`)
  check(preconfInterval <= MAX_TIMEOUT, 'preconfInterval', `at most ${MAX_TIMEOUT}`)
  const clock = options.clock ?? systemClock
  check(isClock(clock), 'clock', 'a Clock')
  const tickBudget = options.tickBudget ?? preconfInterval / 2
  check(Number.isFinite(tickBudget) && tickBudget > 0, 'tickBudget', 'a number of milliseconds above 0')

  const resolved: ResolvedOptions = {
    chainId,
    hardfork,
    accounts: resolveAccounts(accounts, genesis !== undefined),
    genesis,
    blocks,
    gasLimit,
    coinbase: coinbase.toLowerCase() as Address,
    extraData: extraData.toLowerCase() as Hex,
    baseFeePerGas,
    fixedBaseFee,
    gasPrice,
    mining,
    blockTime,
    preconfInterval,
    tickBudget: isManual(clock) ? Number.POSITIVE_INFINITY : tickBudget,
    sameSecondBlocks: options.sameSecondBlocks ?? false,
    clock,
    mempool: {
      maxTransactions: mempool.maxTransactions ?? 10_000,
      maxPerSender: mempool.maxPerSender ?? 1_000,
      priceBump: mempool.priceBump ?? 10,
      ordering: mempool.ordering ?? 'fees',
    },
    finality: { safe: finality.safe ?? 0, finalized: finality.finalized ?? 0 },
    history: { blocks: history.blocks ?? 100_000, roots: history.roots ?? 128 },
    limits: {
      callGas: limits.callGas ?? 50_000_000n,
      logBlockRange: limits.logBlockRange ?? 100_000,
      logResults: limits.logResults ?? 20_000,
      simulateBlocks: limits.simulateBlocks ?? 256,
      traceBlockRange: limits.traceBlockRange ?? 1_000,
      traceMemory: limits.traceMemory ?? 100_000_000,
    },
    blobs: options.blobs ?? false,
    allowUnlimitedContractSize: options.allowUnlimitedContractSize ?? false,
    database: options.database,
    revertReason: options.revertReason ?? false,
    console: options.console ?? false,
    clientVersion: options.clientVersion ?? CLIENT_VERSION,
    dialect: options.dialect ?? 'preconf',
    faults: resolveFaults(options.faults),
  }
  check(isInteger(resolved.mempool.maxTransactions, 1), 'mempool.maxTransactions', 'an integer from 1 on')
  check(isInteger(resolved.mempool.maxPerSender, 1), 'mempool.maxPerSender', 'an integer from 1 on')
  check(isInteger(resolved.mempool.priceBump, 0), 'mempool.priceBump', 'an integer from 0 on')
  check(['fees', 'fifo'].includes(resolved.mempool.ordering), 'mempool.ordering', "'fees' or 'fifo'")
  check(isInteger(resolved.finality.safe, 0), 'finality.safe', 'an integer from 0 on')
  check(isInteger(resolved.finality.finalized, 0), 'finality.finalized', 'an integer from 0 on')
  check(isInteger(resolved.history.blocks, 2), 'history.blocks', 'an integer from 2 on')
  check(isInteger(resolved.history.roots, 0), 'history.roots', 'an integer from 0 on')
  check(
    isBigint(resolved.limits.callGas, 21_000n, 2n ** 64n - 1n),
    'limits.callGas',
    'a bigint from 21,000 to 2^64 - 1',
  )
  check(isInteger(resolved.limits.logBlockRange, 1), 'limits.logBlockRange', 'an integer from 1 on')
  check(isInteger(resolved.limits.logResults, 1), 'limits.logResults', 'an integer from 1 on')
  check(isInteger(resolved.limits.simulateBlocks, 1), 'limits.simulateBlocks', 'an integer from 1 on')
  check(isInteger(resolved.limits.traceBlockRange, 1), 'limits.traceBlockRange', 'an integer from 1 on')
  check(isInteger(resolved.limits.traceMemory, 1), 'limits.traceMemory', 'an integer from 1 on')
  for (const name of SWITCHES) check(typeof resolved[name] === 'boolean', name, 'true or false')
  const { clientVersion } = resolved
  check(
    typeof clientVersion === 'string' && clientVersion !== '',
    'clientVersion',
    'a string that is not empty',
  )
  check(isDialect(resolved.dialect), 'dialect', DIALECT_NAMES)
  const { database } = resolved
  check(database === undefined || isDatabase(database), 'database', A_DATABASE)
  warnOfShortBlocks(options, resolved)
  return resolved
}

/**
 * Says once that times are in milliseconds: on other dev chains a block time of 2 is two seconds. Not to callers that
 * know the unit, as a manual clock or a preconf interval beside the block time shows.
 */
function warnOfShortBlocks(options: ChainOptions, { blockTime, mining, clock }: ResolvedOptions): void {
  const isMeant = blockTime >= 50 || options.preconfInterval !== undefined || isManual(clock)
  if (isMeant || mining !== 'interval' || hasWarned) return
  hasWarned = true
  // biome-ignore lint/suspicious/noConsole: no chain is there yet that could emit an event.
  console.warn(
    `preseal: blockTime is in milliseconds, so a block is sealed every ${blockTime} ms; for ${blockTime} s it is ` +
      `${blockTime * 1000}. If ${blockTime} ms are meant, give preconfInterval as well.`,
  )
}

let hasWarned = false

const A_DATABASE = 'an abstract-level database, such as new ClassicLevel(path) of classic-level'
const SWITCHES = [
  'sameSecondBlocks',
  'blobs',
  'allowUnlimitedContractSize',
  'revertReason',
  'console',
] as const
const HARDFORKS: readonly Hardfork[] = ['paris', 'shanghai', 'cancun', 'prague', 'osaka']
const AN_AMOUNT = 'a bigint from 0 to 2^256 - 1'
const A_CHAIN_ID = 'an integer from 1 to 2^53 - 1'
/** Each account of a mnemonic takes a millisecond or more to derive. */
const MAX_ACCOUNTS = 10_000
/** Milliseconds; hosts fire timers beyond it at once. */
const MAX_TIMEOUT = 2 ** 31 - 1

/** Every option, and what those that are groups hold. */
const NAMES: Readonly<Record<keyof ChainOptions, readonly string[] | undefined>> = {
  chainId: undefined,
  hardfork: undefined,
  accounts: ['count', 'mnemonic', 'balance'],
  genesis: undefined,
  blocks: undefined,
  gasLimit: undefined,
  coinbase: undefined,
  extraData: undefined,
  baseFeePerGas: undefined,
  fixedBaseFee: undefined,
  gasPrice: undefined,
  mining: undefined,
  blockTime: undefined,
  preconfInterval: undefined,
  tickBudget: undefined,
  sameSecondBlocks: undefined,
  clock: undefined,
  mempool: ['maxTransactions', 'maxPerSender', 'priceBump', 'ordering'],
  finality: ['safe', 'finalized'],
  history: ['blocks', 'roots'],
  limits: ['callGas', 'logBlockRange', 'logResults', 'simulateBlocks', 'traceBlockRange', 'traceMemory'],
  blobs: undefined,
  allowUnlimitedContractSize: undefined,
  revertReason: undefined,
  console: undefined,
  clientVersion: undefined,
  database: undefined,
  dialect: undefined,
  // Checked, as it may also change later, by `resolveFaults`.
  faults: undefined,
}

/** What other chains call the option that makes them the copy of another. */
const FORKING = ['fork', 'forking', 'forkUrl']

/** A misspelled option would otherwise be ignored in silence. */
function checkNames(options: ChainOptions): void {
  for (const [name, value] of Object.entries(options)) {
    check(!FORKING.includes(name), name, 'none, as forking is not supported')
    check(Object.hasOwn(NAMES, name), name, `one of ${Object.keys(NAMES).join(', ')}`)
    const known = NAMES[name as keyof ChainOptions]
    if (known === undefined || !isObject(value) || Array.isArray(value)) continue
    for (const inner of Object.keys(value)) {
      check(known.includes(inner), `${name}.${inner}`, `one of ${known.join(', ')}`)
    }
  }
}

function resolveAccounts(
  accounts: ChainOptions['accounts'],
  withGenesis: boolean,
): ResolvedOptions['accounts'] {
  if (accounts === undefined && withGenesis) return []
  check(accounts === undefined || isObject(accounts), 'accounts', 'a list of accounts, or an object')
  if (Array.isArray(accounts)) {
    for (const [i, account] of (accounts as readonly DevAccount[]).entries()) {
      const valid = isHexOf(account?.address, 20) && isHexOf(account?.privateKey, 32)
      check(valid, `accounts[${i}]`, 'an address and a private key of 32 bytes')
    }
    return (accounts as readonly DevAccount[]).map(({ address, privateKey }) => ({
      address: address.toLowerCase() as Address,
      privateKey: privateKey.toLowerCase() as Hex,
    }))
  }
  const {
    count = 10,
    mnemonic = DEFAULT_MNEMONIC,
    balance = DEFAULT_BALANCE,
  } = (accounts ?? {}) as {
    count?: number
    mnemonic?: string
    balance?: bigint
  }
  check(
    isInteger(count, 0) && count <= MAX_ACCOUNTS,
    'accounts.count',
    `an integer from 0 to ${MAX_ACCOUNTS}`,
  )
  check(typeof mnemonic === 'string', 'accounts.mnemonic', 'a BIP-39 mnemonic')
  check(isBigint(balance, 0n, MAX_UINT256), 'accounts.balance', AN_AMOUNT)
  return { count, mnemonic, balance }
}
