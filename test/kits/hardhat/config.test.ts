import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolveOptions } from '../../../src/core/options.ts'
import { HARDFORKS, NEWEST } from '../../../src/ethereum/rules.ts'
import {
  findProblems,
  type ResolvedNetwork,
  resolveNetwork,
  type UserNetwork,
} from '../../../src/kits/hardhat/config.ts'
import { runs } from '../../full.ts'

const forking = { url: 'http://node.example' }
const secret = (text: string) => ({ get: async () => text })

/** Networks that cannot be kept, by the option that is reported. No two of them have an option in common. */
const REFUSED: Readonly<Record<string, readonly [network: object, expected: string]>> = {
  'preseal.chainId': [{ preseal: { chainId: 1 } }, 'no value: the option chainId of the network sets it'],
  'preseal.accounts': [{ preseal: { accounts: [] } }, 'no value: the option accounts of the network sets it'],
  'preseal.gasLimit': [
    { preseal: { gasLimit: 1n } },
    'no value: the option blockGasLimit of the network sets it',
  ],
  'preseal.blockTime': [
    { preseal: { blockTime: 1 } },
    'no value: the option mining.interval of the network sets it',
  ],
  'preseal.database': [
    { preseal: { database: {} } },
    'no value: each connection has its own chain, which begins with the accounts of the network',
  ],
  'preseal.dialect': [
    { preseal: { dialect: 'geth' } },
    "no value: the answers are those that Hardhat's clients expect",
  ],
  'preseal.mempool.ordering': [
    { preseal: { mempool: { ordering: 'fifo' } } },
    'no value: the option mining.mempool.order of the network sets it',
  ],
  'preseal.view': [{ preseal: { view: 'sealed' } }, "'standard', 'preconf' or 'live'"],
  'preseal.clock': [{ preseal: { clock: {} } }, "'system' or 'manual'"],
  'preseal.limits.gasCap': [{ preseal: { limits: { gasCap: 1n } } }, 'a bigint from 21,000 to 2^64 - 1'],
  chainId: [{ chainId: 0 }, 'an integer from 1 to 2^53 - 1'],
  chainType: [{ chainType: 'op' }, "'generic' or 'l1', since the chain has the rules of Ethereum"],
  hardfork: [{ hardfork: 'london' }, `one of ${HARDFORKS.join(', ').replace('paris', 'merge')}`],
  blockGasLimit: [{ blockGasLimit: false }, 'a number or a bigint, since each block has a gas limit'],
  coinbase: [{ coinbase: '0x12' }, 'a 20-byte address'],
  gasEstimationMode: [{ gasEstimationMode: 'noInternalOutOfGas' }, "'topLevelSuccess' or no value"],
  loggingEnabled: [{ loggingEnabled: true }, 'false, since requests are not logged'],
  minGasPrice: [{ minGasPrice: 1n }, '0, since blocks have no lowest gas price'],
  'mining.interval': [
    { mining: { interval: [1000, 2000] } },
    'one number of milliseconds, since blocks are made at equal intervals',
  ],
  networkId: [{ networkId: 5 }, 'the same value as chainId'],
  initialDate: [
    { initialDate: '2020-01-01', forking },
    'no value, since forking is given: preseal.fork.time sets where time begins',
  ],
}

/** Several networks as one. */
function merge(networks: readonly object[]): UserNetwork {
  const preseal = Object.assign({}, ...networks.map((network) => (network as UserNetwork).preseal))
  return Object.assign({ type: 'edr-simulated' }, ...networks, { preseal })
}

const problemsOf = (network: object): readonly string[] =>
  findProblems('net', network as UserNetwork, 'generic').map(
    ({ path, message }) => `${path.slice(2).join('.')}: ${message}`,
  )

describe('a network that cannot be kept', () => {
  it.each(Object.entries(REFUSED))('is refused for %s', (option, [network, expected]) => {
    const problems = findProblems('net', merge([network]), 'generic')
    expect(problems).toEqual([
      { path: ['networks', 'net', ...option.split('.')], message: `Expected ${expected}` },
    ])
  })

  it('is refused for all its options at once', () => {
    fc.assert(
      fc.property(fc.subarray(Object.entries(REFUSED), { minLength: 2 }), (cases) => {
        const expected = cases.map(([option, [, text]]) => `${option}: Expected ${text}`)
        expect([...problemsOf(merge(cases.map(([, [network]]) => network)))].sort()).toEqual(expected.sort())
      }),
      runs(30, 500),
    )
  })

  it('is refused for an unknown option of preseal, with the names that it may have', () => {
    const [problem, ...others] = problemsOf(merge([{ preseal: { veiw: 'live' } }]))
    expect(problem).toMatch(
      /^preseal.veiw: Expected one of view, clock, autoImpersonate, .*, fork; did you mean preseal.view\?$/,
    )
    expect(others).toEqual([])
  })

  it.each([
    [{ preseal: 1 }, 'preseal: Expected true, false or an object'],
    [{ preseal: null, type: 'edr-simulated' }, 'preseal: Expected true, false or an object'],
    [
      { preseal: true, type: 'http' },
      "preseal: Expected no value: only networks of type 'edr-simulated' can be served by preseal",
    ],
    [
      { preseal: { preconfInterval: 3000 }, mining: { interval: 2000 } },
      'preseal: invalid option preconfInterval: expected at most blockTime (2000)',
    ],
    [
      { preseal: { fork: { verify: true } } },
      'preseal.fork: Expected no value unless the network has forking, and forking.enabled is not false',
    ],
    [
      { preseal: { fork: { verify: true } }, forking: { ...forking, enabled: false } },
      'preseal.fork: Expected no value unless the network has forking, and forking.enabled is not false',
    ],
    [
      { preseal: { fork: { url: 'http://other.example' } }, forking },
      'preseal.fork.url: Expected no value: the option forking.url of the network sets it',
    ],
    [
      { preseal: { fork: { offline: true } }, forking },
      'preseal: invalid option fork.offline: expected false unless cache is given',
    ],
    [
      { preseal: { fixedBaseFee: 7n }, initialBaseFeePerGas: 9 },
      'preseal.fixedBaseFee: Expected no value, since initialBaseFeePerGas is given',
    ],
    [
      { preseal: true, transactionGasCap: 5 },
      'transactionGasCap: Expected false, or no value: it is 16777216 from osaka on (EIP-7825), and there is none before',
    ],
    [
      { preseal: true, transactionGasCap: 16_777_216, hardfork: 'cancun' },
      'transactionGasCap: Expected false, or no value: it is 16777216 from osaka on (EIP-7825), and there is none before',
    ],
  ])('is refused: %o', (network, problem) => {
    expect(problemsOf({ type: 'edr-simulated', ...network })).toEqual([problem])
  })

  it('is refused for the default type of chains', () => {
    expect(findProblems('net', { type: 'edr-simulated', preseal: true }, 'op')).toHaveLength(1)
  })

  it("leaves values of a wrong type in Hardhat's own options to Hardhat", () => {
    const network = { chainId: 'x', blockGasLimit: 'x', coinbase: 5, mining: 5, forking: 'x', preseal: true }
    expect(problemsOf(network)).toEqual([])
  })
})

/** What Hardhat resolves a network to. */
const RESOLVED: ResolvedNetwork = {
  type: 'edr-simulated',
  accounts: [],
  coinbase: new Uint8Array(20).fill(0xc0),
  hardfork: 'osaka',
  throwOnCallFailures: true,
  throwOnTransactionFailures: true,
  forking: { enabled: true, url: secret(forking.url) },
  mining: { auto: true, interval: 0 },
}

const resolve = (user: UserNetwork) => resolveNetwork(user, RESOLVED)

describe('a network that can be kept', () => {
  it("has the options of Hardhat's networks by default", () => {
    const { preseal } = resolve({ preseal: true })
    expect(preseal).toEqual({
      view: 'standard',
      clock: 'system',
      options: {
        dialect: 'hardhat',
        console: true,
        blobs: true,
        chainId: 31_337,
        hardfork: 'osaka',
        coinbase: `0x${'c0'.repeat(20)}`,
        gasLimit: 60_000_000n,
        allowBlocksWithSameTimestamp: false,
        allowUnlimitedContractSize: false,
        mempool: { ordering: 'fees' },
        mining: 'auto',
      },
      startTime: undefined,
      alsoAuto: false,
      stated: { mining: RESOLVED.mining, forking: RESOLVED.forking },
    })
  })

  it('has the newest known rules if those of Hardhat are newer', () => {
    const { preseal } = resolveNetwork({ preseal: true }, { ...RESOLVED, hardfork: 'later' })
    expect(preseal!.options.hardfork).toBe(NEWEST)
  })

  it.each([
    [{}, 'auto', undefined, false],
    [{ auto: true }, 'auto', undefined, false],
    [{ auto: false }, 'manual', undefined, false],
    [{ interval: 0 }, 'manual', undefined, false],
    [{ interval: 1500 }, 'interval', 1500, false],
    [{ auto: false, interval: [3000, 3000] as const }, 'interval', 3000, false],
    [{ auto: true, interval: 1500 }, 'interval', 1500, true],
  ])('makes blocks as Hardhat does with mining: %o', (mining, mode, blockTime, alsoAuto) => {
    const { options, ...preseal } = resolve({ preseal: true, mining }).preseal!
    expect([options.mining, options.blockTime, preseal.alsoAuto]).toEqual([mode, blockTime, alsoAuto])
  })

  it('has the options that it states', () => {
    const { preseal } = resolve({
      preseal: {
        view: 'live',
        clock: 'manual',
        console: false,
        mempool: { priceBump: 5 },
        fork: { verify: true },
      },
      chainId: 5,
      hardfork: 'merge',
      blockGasLimit: 8_000_000,
      coinbase: `0x${'ab'.repeat(20)}`,
      initialBaseFeePerGas: 7,
      allowUnlimitedContractSize: true,
      transactionGasCap: false,
      allowBlocksWithSameTimestamp: true,
      mining: { interval: 100, mempool: { order: 'fifo' } },
      forking: { blockNumber: 12, httpHeaders: { key: 'value' } },
    })
    expect([preseal!.view, preseal!.clock]).toEqual(['live', 'manual'])
    expect(preseal!.options).toEqual({
      dialect: 'hardhat',
      console: false,
      blobs: true,
      chainId: 5,
      hardfork: 'paris',
      coinbase: `0x${'ab'.repeat(20)}`,
      gasLimit: 8_000_000n,
      initialBaseFeePerGas: 7n,
      allowUnlimitedContractSize: true,
      transactionGasCap: false,
      allowBlocksWithSameTimestamp: true,
      mempool: { priceBump: 5, ordering: 'fifo' },
      mining: 'interval',
      blockTime: 100,
      preconfInterval: 100,
      fork: { verify: true, block: 12n, headers: { key: 'value' } },
    })
  })

  it('begins at its initial date, as a text or as a date', () => {
    const time = Date.UTC(2030, 0, 1)
    for (const initialDate of ['2030-01-01T00:00:00Z', new Date(time)]) {
      expect(resolve({ preseal: true, initialDate }).preseal!.startTime).toBe(time)
    }
  })

  it('is idle in the configuration that Hardhat reads', () => {
    const user = { preseal: true, mining: { interval: 1500 } }
    const network = resolveNetwork(user, { ...RESOLVED, mining: { auto: false, interval: 1500 } })
    expect(network).toMatchObject({ mining: { auto: true, interval: 0 }, forking: { enabled: false } })
    expect(network.preseal!.stated.mining).toEqual({ auto: false, interval: 1500 })
    expect(network.preseal!.stated.forking).toBe(RESOLVED.forking)
  })

  it('has no problems exactly if a chain takes its options', () => {
    const preseal = fc.record(
      {
        view: fc.constantFrom('standard', 'preconf', 'live'),
        preconfInterval: fc.integer({ min: 0, max: 3000 }),
        tickBudget: fc.integer({ min: 0, max: 10 }),
        extraData: fc.constantFrom('0x', '0xabcd', `0x${'00'.repeat(33)}`),
        console: fc.constantFrom(true, false, 1),
      },
      { requiredKeys: [] },
    )
    const network = fc.record(
      {
        preseal,
        chainId: fc.integer({ min: 0, max: 10 }),
        hardfork: fc.constantFrom('merge', 'osaka'),
        blockGasLimit: fc.integer({ min: 4_000, max: 6_000 }),
        mining: fc.record({ auto: fc.boolean(), interval: fc.integer({ min: 0, max: 3000 }) }),
      },
      { requiredKeys: ['preseal'] },
    )
    fc.assert(
      fc.property(network, (network) => {
        const user = { type: 'edr-simulated', ...network }
        const { options } = resolveNetwork(user, RESOLVED).preseal!
        const isTaken = problemsOf(user).length === 0
        if (isTaken) resolveOptions(options)
        else expect(() => resolveOptions(options)).toThrow('invalid option')
      }),
      runs(50, 1000),
    )
  })
})
