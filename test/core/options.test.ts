import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { InvalidOptionError } from '../../src/base/errors.ts'
import { createManualClock } from '../../src/base/manualClock.ts'
import { DEFAULT_MNEMONIC } from '../../src/base/options/accountOptions.ts'
import type { GethGenesis } from '../../src/base/types.ts'
import { type ChainOptions, resolveOptions } from '../../src/core/options.ts'
import { HARDFORKS, hardforkConfig } from '../../src/ethereum/rules.ts'
import { createChain } from '../../src/index.ts'

const genesis: GethGenesis = { config: hardforkConfig(5, 'cancun'), alloc: {}, gasLimit: '0x1c9c380' }
const zero = `0x${'00'.repeat(20)}`

/** Options without type checks, as JavaScript passes them. */
const loose = (options: object) => options as ChainOptions

const DEFAULTS = {
  chainId: 31_337,
  hardfork: undefined,
  accounts: { count: 10, mnemonic: DEFAULT_MNEMONIC, balance: 10_000n * 10n ** 18n },
  autoImpersonate: false,
  genesis: undefined,
  blocks: undefined,
  settings: undefined,
  fork: undefined,
  predeploys: undefined,
  gasLimit: 30_000_000n,
  coinbase: zero,
  extraData: '0x',
  initialBaseFeePerGas: 1_000_000_000n,
  fixedBaseFee: undefined,
  gasPrice: undefined,
  mining: 'interval',
  blockTime: 2000,
  preconfInterval: 200,
  tickBudget: 100,
  idle: 'run',
  idleAfter: 10_000,
  allowBlocksWithSameTimestamp: false,
  clock: systemClock,
  mempool: { maxTransactions: 10_000, maxPerSender: 1_000, priceBump: 10, ordering: 'fees' },
  finality: { safe: 0, finalized: 0 },
  history: { blocks: 100_000, proofs: 128 },
  limits: {
    gasCap: 50_000_000n,
    logBlockRange: 100_000,
    logResults: 20_000,
    simulateBlocks: 256,
    traceBlockRange: 1_000,
    traceMemory: 100_000_000,
  },
  blobs: false,
  allowUnlimitedContractSize: false,
  transactionGasCap: true,
  revertReason: false,
  stackTraces: undefined,
  console: false,
  clientVersion: undefined,
  database: undefined,
  durability: 'process',
  dialect: 'preconf',
  engine: 'preseal',
  faults: {},
}

const A_DATABASE =
  'an abstract-level database, such as new ClassicLevel(path) of classic-level; a name is for preseal/worker only'

describe('resolveOptions', () => {
  it('has a default for every option', () => {
    expect(resolveOptions()).toEqual(DEFAULTS)
    expect(resolveOptions({})).toEqual(DEFAULTS)
  })

  it('treats undefined as omitted, at every level', () => {
    const undefineds = (of: object) => Object.fromEntries(Object.keys(of).map((key) => [key, undefined]))
    expect(resolveOptions(undefineds(DEFAULTS))).toEqual(DEFAULTS)
    const nested = {
      accounts: undefineds(DEFAULTS.accounts),
      mempool: undefineds(DEFAULTS.mempool),
      finality: undefineds(DEFAULTS.finality),
      history: undefineds(DEFAULTS.history),
      limits: undefineds(DEFAULTS.limits),
    }
    expect(resolveOptions(nested)).toEqual(DEFAULTS)
  })

  it('keeps given options', () => {
    const given = {
      chainId: 1,
      hardfork: 'osaka',
      accounts: { count: 0, mnemonic: 'x', balance: 0n },
      autoImpersonate: true,
      gasLimit: 5000n,
      coinbase: `0x${'ab'.repeat(20)}`,
      extraData: `0x${'cd'.repeat(32)}`,
      initialBaseFeePerGas: 0n,
      fixedBaseFee: 0n,
      gasPrice: 0n,
      mining: 'auto',
      blockTime: 1,
      preconfInterval: 1,
      tickBudget: 0.5,
      idle: 'sleep',
      idleAfter: 1,
      allowBlocksWithSameTimestamp: true,
      clock: { ...systemClock },
      mempool: { maxTransactions: 1, maxPerSender: 1, priceBump: 0, ordering: 'fifo' },
      finality: { safe: 1, finalized: 2 },
      history: { blocks: 2, proofs: 0 },
      limits: {
        gasCap: 21_000n,
        logBlockRange: 1,
        logResults: 1,
        simulateBlocks: 1,
        traceBlockRange: 1,
        traceMemory: 1,
      },
      blobs: true,
      allowUnlimitedContractSize: true,
      transactionGasCap: false,
      revertReason: true,
      stackTraces: 'artifacts',
      console: true,
      clientVersion: 'anvil/v1.0.0',
      dialect: 'geth',
      engine: 'ethereumjs',
      faults: { zeroHash: true, dropEvery: 2 },
    } as const
    const rest = { genesis: undefined, database: undefined, durability: 'process' }
    expect(resolveOptions(given)).toEqual({ ...given, ...rest })
  })

  it('does not change the given object', () => {
    const options = Object.freeze({
      mempool: Object.freeze({ priceBump: 5 }),
      accounts: Object.freeze({ count: 1 }),
    })
    expect(resolveOptions(options).mempool).toEqual({ ...DEFAULTS.mempool, priceBump: 5 })
  })

  it('converts addresses, keys and data to lower case', () => {
    const accounts = [{ address: `0x${'AB'.repeat(20)}`, privateKey: `0x${'CD'.repeat(32)}` }] as const
    const resolved = resolveOptions({ accounts, coinbase: `0x${'EF'.repeat(20)}`, extraData: '0xFF' })
    expect([resolved.accounts, resolved.coinbase, resolved.extraData]).toEqual([
      [{ address: `0x${'ab'.repeat(20)}`, privateKey: `0x${'cd'.repeat(32)}` }],
      `0x${'ef'.repeat(20)}`,
      '0xff',
    ])
  })

  it('takes chain id and gas limit from a genesis, and has no accounts then', () => {
    const { chainId, gasLimit, accounts } = resolveOptions({ genesis: { ...genesis, gasLimit: '25000000' } })
    expect([chainId, gasLimit, accounts]).toEqual([5, 25_000_000n, []])
    expect(resolveOptions({ genesis, accounts: { count: 1 } }).accounts).toMatchObject({ count: 1 })
    expect(resolveOptions({ genesis, gasLimit: 6000n }).gasLimit).toBe(6000n)
  })

  it('accepts the longest interval of timers', () => {
    const longest = 2 ** 31 - 1
    expect(resolveOptions({ blockTime: 2 ** 32, preconfInterval: longest }).preconfInterval).toBe(longest)
  })

  it('has no tick budget under a manual clock, whose time stands still during a tick', () => {
    expect(resolveOptions({ clock: createManualClock(), tickBudget: 5 }).tickBudget).toBe(
      Number.POSITIVE_INFINITY,
    )
  })

  it('ticks at least as often as it seals, and spends at most half of the time', () => {
    const { preconfInterval, tickBudget } = resolveOptions({ blockTime: 50 })
    expect([preconfInterval, tickBudget]).toEqual([50, 25])
  })

  const withGenesis = 'no value if genesis is given, which sets it'
  it.each<[string, object, string, string]>([
    ['a chain id with a genesis', { genesis, chainId: 5 }, 'chainId', withGenesis],
    ['a hardfork with a genesis', { genesis, hardfork: 'cancun' }, 'hardfork', withGenesis],
    ['a base fee with a genesis', { genesis, initialBaseFeePerGas: 1n }, 'initialBaseFeePerGas', withGenesis],
    ['a genesis as text', { genesis: '{}' }, 'genesis', 'a parsed geth genesis.json'],
    ['a genesis of null', { genesis: null }, 'genesis', 'a parsed geth genesis.json'],
    ['a genesis without config', { genesis: {} }, 'genesis.config.chainId', 'an integer from 1 to 2^53 - 1'],
    [
      'a genesis of chain 0',
      { genesis: { config: { chainId: 0 } } },
      'genesis.config.chainId',
      'an integer from 1 to 2^53 - 1',
    ],
    ['chain 0', { chainId: 0 }, 'chainId', 'an integer from 1 to 2^53 - 1'],
    ['a chain id as text', { chainId: '1' }, 'chainId', 'an integer from 1 to 2^53 - 1'],
    ['a chain id beyond what is exact', { chainId: 2 ** 53 }, 'chainId', 'an integer from 1 to 2^53 - 1'],
    ['an early hardfork', { hardfork: 'london' }, 'hardfork', `one of ${HARDFORKS.join(', ')}`],
    [
      'a gas limit below the minimum of headers',
      { gasLimit: 4999n },
      'gasLimit',
      'a bigint from 5,000 to 2^63 - 1',
    ],
    [
      'a gas limit above the maximum of headers',
      { gasLimit: 2n ** 63n },
      'gasLimit',
      'a bigint from 5,000 to 2^63 - 1',
    ],
    ['a gas limit as a number', { gasLimit: 30_000_000 }, 'gasLimit', 'a bigint from 5,000 to 2^63 - 1'],
    [
      'a genesis without gas limit',
      { genesis: { config: genesis.config, alloc: {} } },
      'genesis.gasLimit',
      'a quantity from 5,000 to 2^63 - 1',
    ],
    [
      'a genesis with too low a gas limit, although another is given',
      { genesis: { ...genesis, gasLimit: '0x1387' }, gasLimit: 5000n },
      'genesis.gasLimit',
      'a quantity from 5,000 to 2^63 - 1',
    ],
    [
      'a genesis whose gas limit is no number',
      { genesis: { ...genesis, gasLimit: 'much' } },
      'genesis.gasLimit',
      'a quantity from 5,000 to 2^63 - 1',
    ],
    [
      'a genesis without alloc',
      { genesis: { config: genesis.config, gasLimit: '0x1c9c380' } },
      'genesis.alloc',
      'an object of accounts by address',
    ],
    ['a short coinbase', { coinbase: '0xaa' }, 'coinbase', 'a 20-byte address'],
    ['a coinbase without 0x', { coinbase: 'aa'.repeat(20) }, 'coinbase', 'a 20-byte address'],
    [
      '33 bytes of extra data',
      { extraData: `0x${'aa'.repeat(33)}` },
      'extraData',
      'a hex string of up to 32 bytes',
    ],
    ['half a byte of extra data', { extraData: '0xa' }, 'extraData', 'a hex string of up to 32 bytes'],
    [
      'a negative base fee',
      { initialBaseFeePerGas: -1n },
      'initialBaseFeePerGas',
      'a bigint from 0 to 2^256 - 1',
    ],
    [
      'a base fee as a number',
      { initialBaseFeePerGas: 7 },
      'initialBaseFeePerGas',
      'a bigint from 0 to 2^256 - 1',
    ],
    [
      'a base fee above 256 bits',
      { fixedBaseFee: 2n ** 256n },
      'fixedBaseFee',
      'a bigint from 0 to 2^256 - 1',
    ],
    ['a negative gas price', { gasPrice: -1n }, 'gasPrice', 'a bigint from 0 to 2^256 - 1'],
    [
      'more ether than a balance can hold',
      { accounts: { balance: 2n ** 256n } },
      'accounts.balance',
      'a bigint from 0 to 2^256 - 1',
    ],
    [
      'more accounts than are derived',
      { accounts: { count: 10_001 } },
      'accounts.count',
      'an integer from 0 to 10000',
    ],
    ['an unknown mining mode', { mining: 'instant' }, 'mining', "'interval', 'auto' or 'manual'"],
    ['a block time of 0', { blockTime: 0 }, 'blockTime', 'an integer >= 1 (milliseconds)'],
    ['half a millisecond', { preconfInterval: 0.5 }, 'preconfInterval', 'an integer >= 1 (milliseconds)'],
    [
      'an interval above the block time',
      { preconfInterval: 201, blockTime: 200 },
      'preconfInterval',
      'at most blockTime (200)',
    ],
    ['an unknown idle mode', { idle: 'doze' }, 'idle', "'run', 'sleep' or 'catch-up'"],
    [
      'catching up without a timer',
      { idle: 'catch-up', mining: 'manual' },
      'idle',
      "'run' or 'sleep' unless mining is 'interval'",
    ],
    ['sleep after no time', { idleAfter: 0 }, 'idleAfter', 'an integer >= 1 (milliseconds)'],
    ['sleep after 25 days', { idleAfter: 2 ** 31 }, 'idleAfter', `at most ${2 ** 31 - 1}`],
    ['no time for a tick', { tickBudget: 0 }, 'tickBudget', 'a number > 0 (milliseconds)'],
    [
      'endless time for a tick',
      { tickBudget: Number.POSITIVE_INFINITY },
      'tickBudget',
      'a number > 0 (milliseconds)',
    ],
    ['a mempool of zero', { mempool: { maxTransactions: 0 } }, 'mempool.maxTransactions', 'an integer >= 1'],
    [
      'no transaction per sender',
      { mempool: { maxPerSender: 0 } },
      'mempool.maxPerSender',
      'an integer >= 1',
    ],
    ['a negative bump', { mempool: { priceBump: -1 } }, 'mempool.priceBump', 'an integer >= 0'],
    ['a negative distance of safe', { finality: { safe: -1 } }, 'finality.safe', 'an integer >= 0'],
    ['half a block to finalized', { finality: { finalized: 0.5 } }, 'finality.finalized', 'an integer >= 0'],
    ['a history of no block', { history: { blocks: 0 } }, 'history.blocks', 'an integer >= 2'],
    ['a history of one block', { history: { blocks: 1 } }, 'history.blocks', 'an integer >= 2'],
    ['a negative number of proofs', { history: { proofs: -1 } }, 'history.proofs', 'an integer >= 0'],
    [
      'less call gas than any call needs',
      { limits: { gasCap: 20_999n } },
      'limits.gasCap',
      'a bigint from 21,000 to 2^64 - 1',
    ],
    [
      'a gas cap as a number',
      { limits: { gasCap: 50_000_000 } },
      'limits.gasCap',
      'a bigint from 21,000 to 2^64 - 1',
    ],
    ['a range of no block', { limits: { logBlockRange: 0 } }, 'limits.logBlockRange', 'an integer >= 1'],
    [
      'a simulation of no block',
      { limits: { simulateBlocks: 0 } },
      'limits.simulateBlocks',
      'an integer >= 1',
    ],
    [
      'any size as a number',
      { allowUnlimitedContractSize: 1 },
      'allowUnlimitedContractSize',
      'true or false',
    ],
    ['a number as gas cap', { transactionGasCap: 5 as never }, 'transactionGasCap', 'true or false'],
    ['an account to impersonate', { autoImpersonate: zero as never }, 'autoImpersonate', 'true or false'],
    ['blobs as text', { blobs: 'yes' as never }, 'blobs', 'true or false'],
    ['revert reasons as text', { revertReason: 'yes' as never }, 'revertReason', 'true or false'],
    [
      'build info itself',
      { stackTraces: {} as never },
      'stackTraces',
      "a folder such as 'artifacts', a list of build infos, or false",
    ],
    ['the console itself', { console: {} as never }, 'console', 'true or false'],
    ['no client version', { clientVersion: '' }, 'clientVersion', 'a string that is not empty'],
    ['a client version as a number', { clientVersion: 1 }, 'clientVersion', 'a string that is not empty'],
    ['an unknown engine', { engine: 'revm' as never }, 'engine', "'preseal' or 'ethereumjs'"],
    ['an unknown dialect', { dialect: 'parity' as never }, 'dialect', "'preconf', 'geth' or 'hardhat'"],
    ['blocks without a genesis', { blocks: new Uint8Array() }, 'blocks', 'no value unless genesis is given'],
    ['blocks of text', { blocks: '0xz' as never }, 'blocks', 'a Uint8Array, or its hex'],
    ['settings of text', { settings: 'x' as never }, 'settings', 'an object'],
    ['an answer of no log', { limits: { logResults: 0 } }, 'limits.logResults', 'an integer >= 1'],
    ['a clock without methods', { clock: {} }, 'clock', 'a Clock'],
    ['a number as clock', { clock: 5 }, 'clock', 'a Clock'],
    ...['now', 'setTimeout', 'clearTimeout', 'yield'].map((method): [string, object, string, string] => [
      `a clock without ${method}`,
      { clock: { ...systemClock, [method]: undefined } },
      'clock',
      'a Clock',
    ]),
    [
      'an interval that is too long for timers',
      { blockTime: 2 ** 32, preconfInterval: 2 ** 31 },
      'preconfInterval',
      'at most 2147483647',
    ],
    ['an object as database', { database: {} }, 'database', A_DATABASE],
    [
      'a durability without a database',
      { durability: 'disk' },
      'durability',
      'no value unless database is given',
    ],
    ['another durability', { durability: 'fsync' }, 'durability', "'process' or 'disk'"],
    ['the path of a database', { database: './x' }, 'database', A_DATABASE],
    ['a node to fork by its URL alone', { fork: 'http://localhost:8545' }, 'fork', 'an object'],
    ['a fork of nothing', { fork: {} }, 'fork', 'an object with either provider or url'],
    [
      'a fork of two nodes',
      { fork: { url: 'http://a', provider: { request: async () => null } } },
      'fork',
      'an object with either provider or url',
    ],
    [
      'headers for a provider',
      { fork: { provider: { request: async () => null }, headers: { a: 'b' } } },
      'fork.headers',
      'no value unless url is given',
    ],
    [
      'a fork at a pending block',
      { fork: { url: 'http://a', block: 'pending' } },
      'fork.block',
      "'latest', 'safe', 'finalized', a block number or a block hash",
    ],
    ['a check as text', { fork: { url: 'http://a', verify: 'yes' } }, 'fork.verify', 'true or false'],
    [
      'a fork with blocks',
      { fork: { url: 'http://a' }, blocks: new Uint8Array(1) },
      'blocks',
      'no value if fork is given',
    ],
    ['the name of other dev chains', { forking: { url: '' } }, 'forking', 'its name here, fork: { url }'],
    ["anvil's option of a fork", { forkUrl: '' }, 'forkUrl', 'its name here, fork: { url }'],
    [
      'same-second blocks as text',
      { allowBlocksWithSameTimestamp: 'no' },
      'allowBlocksWithSameTimestamp',
      'true or false',
    ],
    [
      'an account without key',
      { accounts: [{ address: zero }] },
      'accounts[0]',
      'an object with a 20-byte address and a 32-byte privateKey',
    ],
    [
      'an account of null',
      { accounts: [null] },
      'accounts[0]',
      'an object with a 20-byte address and a 32-byte privateKey',
    ],
    [
      'a balance that is no amount',
      { accounts: [{ privateKey: `0x${'01'.repeat(32)}`, balance: -1n }] },
      'accounts[0].balance',
      'a bigint from 0 to 2^256 - 1',
    ],
    ['a negative count', { accounts: { count: -1 } }, 'accounts.count', 'an integer from 0 to 10000'],
    ['a mnemonic that is no text', { accounts: { mnemonic: 1 } }, 'accounts.mnemonic', 'a BIP-39 mnemonic'],
    [
      'a negative balance',
      { accounts: { balance: -1n } },
      'accounts.balance',
      'a bigint from 0 to 2^256 - 1',
    ],
    ['a number as accounts', { accounts: 3 }, 'accounts', 'a list of accounts, or an object'],
    ['a number as mempool', { mempool: 3 }, 'mempool', 'an object'],
    ['a history of null', { history: null }, 'history', 'an object'],
    ...(
      [
        ['blocktime', 'blockTime'],
        ['minning', 'mining'],
        // Of a group.
        ['balance', 'accounts.balance'],
      ] as const
    ).map(([given, meant]): [string, object, string, string] => [
      `the unknown option ${given}`,
      { [given]: 1 },
      given,
      `one of ${Object.keys(DEFAULTS).join(', ')}; did you mean ${meant}?`,
    ]),
    ['another unknown option', { other: 500 }, 'other', `one of ${Object.keys(DEFAULTS).join(', ')}`],
    [
      'an option with the name of a method of objects',
      { toString: 1 },
      'toString',
      `one of ${Object.keys(DEFAULTS).join(', ')}`,
    ],
    ...(['accounts', 'mempool', 'finality', 'history', 'limits'] as const).map(
      (group): [string, object, string, string] => [
        `an unknown option in ${group}`,
        { [group]: { size: 1 } },
        `${group}.size`,
        `one of ${Object.keys(DEFAULTS[group]).join(', ')}`,
      ],
    ),
    ['options of null', null as never, 'options', 'an object'],
    ['options as text', 'auto' as never, 'options', 'an object'],
  ])('refuses %s', (_name, options, option, expected) => {
    const refusal = new InvalidOptionError(option, expected)
    expect(refusal.message).toBe(`invalid option ${option}: expected ${expected}`)
    expect(() => resolveOptions(loose(options))).toThrow(refusal)
  })
})

describe('createChain', () => {
  it('refuses an invalid option before it starts anything', async () => {
    await expect(createChain({ blockTime: 0 })).rejects.toThrow(
      new InvalidOptionError('blockTime', 'an integer >= 1 (milliseconds)'),
    )
  })
})

describe('a block time below 50 ms', () => {
  const warn = vi.spyOn(console, 'warn')
  beforeEach(() => {
    warn.mockReset().mockImplementation(() => {})
  })
  afterAll(() => {
    warn.mockRestore()
  })

  /** A new instance of the module, which has not warned yet. */
  const fresh = (name: string): Promise<typeof import('../../src/core/options.ts')> =>
    import(/* @vite-ignore */ `../../src/core/options.ts?fresh=${name}`)

  it('causes one warning, since other dev chains take seconds', async () => {
    const { resolveOptions } = await fresh('once')
    for (const blockTime of [2, 12]) expect(resolveOptions({ blockTime })).toMatchObject({ blockTime })
    expect(warn.mock.calls).toEqual([
      [
        'preseal: blockTime is in milliseconds, so a block is sealed every 2 ms; for 2 s, set it to 2000. If 2 ms is ' +
          'intended, set preconfInterval too.',
      ],
    ])
  })

  it.each<[string, ChainOptions]>([
    ['a manual clock', { blockTime: 2, clock: createManualClock() }],
    ['a preconf interval as well', { blockTime: 20, preconfInterval: 10 }],
    ['manual mining', { blockTime: 2, mining: 'manual' }],
    ['50 ms', { blockTime: 50 }],
  ])('causes no warning with %s', async (name, options) => {
    const { resolveOptions } = await fresh(name)
    resolveOptions(options)
    expect(warn.mock.calls).toEqual([])
    resolveOptions({ blockTime: 2 })
    expect(warn.mock.calls).toHaveLength(1)
  })
})
