/**
 * Every request whose parameters can make it long has a limit, or yields to the event loop.
 *
 * Real time moves by 1 ms each time it is read, so work that reads it after each of its steps yields every ten steps,
 * however fast the machine is.
 */
import { describe, expect, it, onTestFinished } from 'vitest'
import { realNow, replaceRealTime } from '../src/base/clock.ts'
import { createManualClock, type ManualClock } from '../src/base/manualClock.ts'
import { YIELD_AFTER_MS } from '../src/base/waiting.ts'
import { compilation } from '../src/ethereum/evm/engine/hotCode.ts'
import type { RunnableMethod } from '../src/rpc/method.ts'
import { methods } from '../src/rpc/table.ts'
import { send } from './core/sequencer/support.ts'
import { startChain, type TestChain } from './harness.ts'
import { ask } from './rpc/scene.ts'

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
const address = (value: number) => `0x${value.toString(16).padStart(40, '0')}`
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))
const slots = (count: number) => Object.fromEntries(times(count, (i) => [word(i + 1), word(1)]))

/** A loop of five instructions, for 16 gas. */
const LOOP = '0x5b5f50600056'

/** Contracts. */
const EMITTER = address(0xe1)
const GAS_SLOT = address(0xe2)
const NEEDS_GAS = address(0xe3)
const READER = address(0xe4)
const LOOPING = address(0xe5)
const CODES: Readonly<Record<string, string>> = {
  // Logs a thousand times.
  [EMITTER]: '0x6103e85b5f5fa06001900380600357 00'.replace(' ', ''),
  // Reads the slot with the number of its remaining gas: a different one with each access list.
  [GAS_SLOT]: '0x5a5400',
  // Reverts with less than 1,000,000 gas.
  [NEEDS_GAS]: '0x620f42405a11600c575f5ffd5b00',
  // Reads 40 slots, none of which is what it returns.
  [READER]: `0x${times(40, (i) => `60${i.toString(16).padStart(2, '0')}5450`).join('')}60205ff3`,
  [LOOPING]: LOOP,
}
const zeros = (length: number) => `0x${'00'.repeat(length)}`
/** 3^(256^100000 - 1) modulo 7: the lengths, then the three. */
const POWER = `0x${[1, 100_000, 1].map((length) => word(length).slice(2)).join('')}03${'ff'.repeat(100_000)}07`
/** BLAKE2F with 1.5 million rounds. */
const ROUNDS = `0x0016e360${'00'.repeat(209)}`
const OUT_OF_GAS = 'error -32000 out of gas'

const BLOCKS = 60
const TRANSFERS = 20

interface Scene {
  readonly chain: TestChain
  readonly account: string
  /** Numbers of blocks with {@link TRANSFERS} transfers; each block is traced by one request only. */
  readonly full: readonly number[]
  /** The last transaction of each of these blocks. */
  readonly last: readonly string[]
  /** A transaction with logs. */
  readonly logging: string
  readonly logFilter: string
  readonly blockFilter: string
  /** The hash of the head. */
  readonly head: string
  /** How often the chain has yielded to the event loop. */
  turns(): number
}

async function startLongChain(): Promise<Scene> {
  const clock = createManualClock()
  const own = clock.yield.bind(clock)
  let turns = 0
  const counting: ManualClock = Object.assign(clock, {
    yield() {
      turns += 1
      return own()
    },
  })
  // From Osaka on a transaction and MODEXP have limits that make them short.
  const chain = await startChain({ clock: counting, accounts: { count: 4 }, hardfork: 'prague' })
  const request = (method: string, ...params: unknown[]) => chain.preconf.request({ method, params })
  for (const [contract, code] of Object.entries(CODES)) await request('anvil_setCode', contract, code)
  const logFilter = (await request('eth_newFilter', {})) as string
  const blockFilter = (await request('eth_newBlockFilter')) as string
  const account = chain.accounts[0]!.address
  const full: number[] = []
  const last: string[] = []
  let nonce = 0
  for (let block = 0; block < 6; block++) {
    let hash = ''
    for (let i = 0; i < TRANSFERS; i++) hash = await send(chain, { nonce: nonce++ })
    full.push(Number((await chain.seal()).block.number))
    last.push(hash)
  }
  let logging = ''
  for (let i = 0; i < 2; i++) {
    logging = await send(chain, { nonce: nonce++, to: EMITTER as never, value: 0n, gas: 1_000_000n })
  }
  await chain.seal()
  await request('anvil_mine', BLOCKS)
  for (let i = 0; i < TRANSFERS; i++) await send(chain, { nonce: nonce++ })
  await chain.tick()
  const { hash: head } = (await request('eth_getBlockByNumber', 'latest', false)) as { hash: string }
  return { chain, account, full, last, head, logging, logFilter, blockFilter, turns: () => turns }
}

/** A request with its largest parameters, as far as the scene allows. */
interface LongRequest {
  readonly method: string
  readonly params: (scene: Scene) => readonly unknown[]
  /** The minimum of its steps; it can yield to the event loop after each of them. */
  readonly steps: number
  /** The error that answers it, if it fails. */
  readonly error?: string
}

const number = (value: number) => `0x${value.toString(16)}`

/** In this order: the last ones change the chain. */
const LONG: readonly LongRequest[] = [
  {
    method: 'eth_feeHistory',
    params: () => ['0x400', 'latest', times(100, (i) => i)],
    steps: BLOCKS,
  },
  { method: 'eth_getLogs', params: () => [{ fromBlock: 'earliest', toBlock: 'latest' }], steps: 60 },
  { method: 'eth_getFilterLogs', params: ({ logFilter }) => [logFilter], steps: 0 },
  { method: 'eth_getFilterChanges', params: ({ logFilter }) => [logFilter], steps: 60 },
  { method: 'eth_getFilterChanges', params: ({ blockFilter }) => [blockFilter], steps: BLOCKS },
  { method: 'trace_block', params: ({ full }) => [number(full[0]!)], steps: TRANSFERS },
  { method: 'debug_traceBlockByNumber', params: ({ full }) => [number(full[1]!)], steps: TRANSFERS },
  { method: 'trace_transaction', params: ({ last }) => [last[2]], steps: TRANSFERS - 1 },
  { method: 'ots_traceTransaction', params: ({ last }) => [last[0]], steps: TRANSFERS - 1 },
  { method: 'ots_searchTransactionsBefore', params: () => [address(0xee), 0, 25], steps: 6 * TRANSFERS },
  { method: 'ots_searchTransactionsAfter', params: () => [address(0xee), 0, 25], steps: 6 * TRANSFERS },
  { method: 'trace_get', params: ({ last }) => [last[3], ['0x0']], steps: TRANSFERS - 1 },
  { method: 'debug_traceTransaction', params: ({ logging }) => [logging], steps: 9000 / 16 },
  { method: 'debug_traceCall', params: () => [{ data: LOOP, gas: '0x186a0' }, 'latest'], steps: 5000 / 16 },
  {
    method: 'trace_filter',
    params: ({ full }) => [{ fromBlock: number(full[4]!), toBlock: number(full[5]!) }],
    steps: 2 * TRANSFERS,
  },
  {
    method: 'eth_simulateV1',
    params: () => [{ blockStateCalls: times(256, () => ({ calls: [{}] })) }],
    steps: 2 * 256,
  },
  {
    method: 'testing_buildBlockV1',
    params: ({ head }) => [
      head,
      { timestamp: '0x77359400', prevRandao: word(1), suggestedFeeRecipient: address(1) },
      null,
    ],
    steps: TRANSFERS,
  },
  { method: 'eth_call', params: () => [{ to: LOOPING, gas: '0xf42400' }], steps: 1500, error: OUT_OF_GAS },
  {
    method: 'eth_sendTransaction',
    params: ({ account }) => [{ from: account, to: LOOPING }],
    steps: 2900,
    error: 'error -32000 gas required exceeds allowance (30000000)',
  },
  {
    method: 'eth_signTransaction',
    params: ({ account }) => [{ from: account, to: LOOPING }],
    steps: 2900,
    error: 'error -32000 gas required exceeds allowance (30000000)',
  },
  // Precompiles: MODEXP, BLAKE2F, pairings and sums of products.
  { method: 'eth_call', params: () => [{ to: address(0x05), data: POWER }], steps: 40 },
  { method: 'eth_call', params: () => [{ to: address(0x08), data: zeros(192 * 40) }], steps: 40 },
  { method: 'eth_call', params: () => [{ to: address(0x09), data: ROUNDS, gas: '0xf42400' }], steps: 20 },
  { method: 'eth_call', params: () => [{ to: address(0x0c), data: zeros(160 * 40) }], steps: 40 },
  { method: 'eth_call', params: () => [{ to: address(0x0e), data: zeros(288 * 40) }], steps: 40 },
  { method: 'eth_call', params: () => [{ to: address(0x0f), data: zeros(384 * 40) }], steps: 40 },
  { method: 'eth_estimateGas', params: () => [{ to: NEEDS_GAS }], steps: 10 },
  { method: 'eth_fillTransaction', params: ({ account }) => [{ from: account, to: NEEDS_GAS }], steps: 10 },
  {
    method: 'eth_createAccessList',
    params: () => [{ to: GAS_SLOT }],
    steps: 1000,
    error: 'error -32000 access list did not converge',
  },
  { method: 'eth_getProof', params: () => [EMITTER, times(1024, word)], steps: 1024 },
  {
    method: 'anvil_dealERC20',
    params: () => [address(1), READER, '0x1'],
    steps: 40,
    error: `error -32000 no storage slot of token ${READER} controls this value`,
  },
  {
    method: 'anvil_loadState',
    params: () => [{ accounts: { [address(0xac)]: { balance: '0x1', storage: slots(400) } } }],
    steps: 400,
  },
  { method: 'anvil_dumpState', params: () => [], steps: 400 },
  // Rebuilds the block under construction.
  { method: 'anvil_setBalance', params: () => [address(1), '0x1'], steps: TRANSFERS },
  {
    method: 'wallet_sendCalls',
    params: ({ chain }) => [
      {
        version: '2.0.0',
        from: chain.accounts[1]!.address,
        chainId: '0x7a69',
        atomicRequired: false,
        calls: times(40, () => ({ to: address(1) })),
      },
    ],
    steps: 40,
  },
  { method: 'anvil_mine', params: () => [20], steps: 20 },
  { method: 'hardhat_mine', params: () => [20], steps: 20 },
  { method: 'anvil_reorg', params: () => [40], steps: 40 },
]

/** Keeps code from being compiled, until the returned function is called. */
function refuseCompiling(): () => void {
  const { isRefused } = compilation
  compilation.isRefused = true
  return () => {
    compilation.isRefused = isRefused
  }
}

describe('limits', () => {
  describe('a request with parameters that make it long', () => {
    it('yields to the event loop while it is answered', async () => {
      const scene = await startLongChain()
      let now = realNow()
      onTestFinished(replaceRealTime(() => ++now))
      // Compiled code looks at the clock after other steps than the loop.
      onTestFinished(refuseCompiling())
      const few: unknown[] = []
      const unexpected: unknown[] = []
      for (const { method, params, steps, error } of LONG) {
        const given = params(scene)
        const before = scene.turns()
        const answer = await ask(scene.chain.preconf, method, given)
        const turns = scene.turns() - before
        // A turn that the answer before it has given can be part of the first stretch.
        if (turns + 1 < Math.floor(steps / YIELD_AFTER_MS)) few.push({ method, given, turns })
        const failed = typeof answer === 'string' && answer.startsWith('error') ? answer : undefined
        if (failed !== error) unexpected.push({ method, answer })
      }
      expect({ few, unexpected }).toEqual({ few: [], unexpected: [] })
    })
  })

  /** Requests beyond a limit, and the message of each refusal. */
  const REFUSED: readonly (readonly [method: string, params: readonly unknown[], message: string])[] = [
    [
      'eth_feeHistory',
      ['0x1', 'latest', times(101, () => 0)],
      'invalid argument 2: expected at most 100 items',
    ],
    [
      'eth_getLogs',
      [{ address: times(1001, address) }],
      'invalid argument 0.address: expected at most 1000 items',
    ],
    [
      'eth_getLogs',
      [{ topics: [times(1001, word)] }],
      'invalid argument 0.topics[0]: expected at most 1000 items',
    ],
    [
      'eth_newFilter',
      [{ address: times(1001, address) }],
      'invalid argument 0.address: expected at most 1000 items',
    ],
    ['eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x4' }], 'block range too large: 5, limit 4'],
    ['trace_filter', [{}], 'block range too large: 5, limit 4'],
    [
      'trace_filter',
      [{ fromAddress: times(10_001, address) }],
      'invalid argument 0.fromAddress: expected at most 10000 items',
    ],
    ['eth_getProof', [EMITTER, times(1025, word)], 'invalid argument 1: expected at most 1024 items'],
    [
      'eth_simulateV1',
      [{ blockStateCalls: [{ calls: times(10_001, () => ({})) }] }],
      'invalid argument 0.blockStateCalls[0].calls: expected at most 10000 items',
    ],
    [
      'eth_call',
      [{ to: EMITTER }, 'latest', { [EMITTER]: { stateDiff: slots(10_000) } }],
      'invalid argument 2: expected at most 10000 accounts and slots',
    ],
    [
      'eth_call',
      [{ to: EMITTER }, 'latest', { [EMITTER]: { stateDiff: slots(10_001) } }],
      `invalid argument 2.${EMITTER}.stateDiff: expected at most 10000 keys`,
    ],
    [
      'eth_call',
      [{ to: EMITTER, accessList: times(10_001, () => ({ address: EMITTER, storageKeys: [] })) }],
      'invalid argument 0.accessList: expected at most 10000 items',
    ],
    ['web3_sha3', [`0x${'00'.repeat(2 ** 24 + 1)}`], 'invalid argument 0: expected at most 16777216 bytes'],
    ['anvil_reorg', [1001], 'invalid argument depth: expected at most 1000'],
    [
      'anvil_reorg',
      [{ depth: 9_007_199_254_740, txBlockPairs: [['0x01', 10_000_000]] }],
      'invalid argument depth: expected at most 1000',
    ],
    ['anvil_rollback', [1001], 'invalid argument depth: expected at most 1000'],
    [
      'anvil_setBalance',
      [EMITTER, '0'.repeat(79)],
      'invalid argument 1: expected an integer >= 0 of up to 256 bits',
    ],
    [
      'anvil_setBalance',
      [EMITTER, `0x${'0'.repeat(65)}`],
      'invalid argument 1: expected an integer >= 0 of up to 256 bits',
    ],
    ['evm_increaseTime', ['0'.repeat(79)], 'invalid argument 0: expected an integer >= 0'],
    [
      'anvil_loadState',
      [{ accounts: { [EMITTER]: { storage: slots(100_001) } } }],
      `invalid state: accounts.${EMITTER} has more than 100000 slots`,
    ],
    [
      'anvil_loadState',
      [{ accounts: Object.fromEntries(times(100_001, (i) => [address(i), {}])) }],
      'invalid state: more than 100000 accounts and slots',
    ],
    [
      'anvil_loadState',
      [{ accounts: { [EMITTER]: { balance: '0'.repeat(79) } } }],
      `invalid state: accounts.${EMITTER}.balance is not an integer >= 0 of up to 256 bits`,
    ],
    ['anvil_mine', [1_000_001], 'too many blocks: 1000001, limit 1000000'],
    [
      'debug_traceCall',
      [{ data: LOOP }, 'latest'],
      'trace too large: more than 100000 bytes of memory (limits.traceMemory)',
    ],
  ]

  describe('a request beyond a limit', () => {
    it('is refused with -32602 and the limit', async () => {
      const limits = { logBlockRange: 4, traceBlockRange: 4, traceMemory: 100_000 }
      const { preconf } = await startChain({ limits })
      await preconf.request({ method: 'anvil_mine', params: [4] })
      const answers: unknown[] = []
      for (const [method, params] of REFUSED) answers.push([method, await ask(preconf, method, params)])
      expect(answers).toEqual(REFUSED.map(([method, , message]) => [method, `error -32602 ${message}`]))
    })

    it('is refused for the number of typed values, of structs or of digits', async () => {
      const chain = await startChain()
      const { address: account } = chain.accounts[0]!
      const typed = (types: object, message: object) =>
        ask(chain.preconf, 'eth_signTypedData_v4', [
          account,
          { types, primaryType: 'T', domain: {}, message },
        ])
      const list = { T: [{ name: 'a', type: 'uint256[]' }] }
      expect(await typed(list, { a: times(5000, () => '1') })).toBe(
        'error -32602 invalid typed data: more than 4096 values',
      )
      expect(await typed(list, { a: ['0'.repeat(80)] })).toBe(
        'error -32602 invalid typed data: a value of type uint256 is not an integer of up to 256 bits',
      )
      const many = Object.fromEntries(times(64, (i) => [`T${i}`, []]))
      expect(await typed({ ...many, T: [] }, {})).toBe('error -32602 invalid typed data: more than 64 types')
    })

    it('is refused for a transaction with nested lists, or with too many items', async () => {
      const chain = await startChain()
      const rejected = 'error -32000 rlp: more than 100000 items, or lists nested deeper than 8'
      const sendRaw = (raw: string) => ask(chain.preconf, 'eth_sendRawTransaction', [raw])
      // Each prefix has the length of the rest.
      const nested = times(9, (i) => (0xc0 + 8 - i).toString(16)).join('')
      expect(await sendRaw(`0x${nested}`)).toBe(rejected)
      expect(await sendRaw(`0x02${nested}`)).toBe(rejected)
      expect(await sendRaw(`0x02fa${(100_000).toString(16).padStart(6, '0')}${'01'.repeat(100_000)}`)).toBe(
        rejected,
      )
    })
  })

  /** What parameters of one size must be: they make no request longer. */
  const OF_ONE_SIZE =
    /^(a (20-byte address|32-byte hash|block number|boolean|hex quantity|hex string of up to|gas limit|time since|URL)|the (id|name) of|an integer (>= 0 of|from 1 to 2))/

  /** Methods whose parameters cannot make them long. Tracing has to be tested all the same. */
  const isShort = ({ class: kind, params }: RunnableMethod) =>
    kind !== 'debug' && params.every(({ expected }) => OF_ONE_SIZE.test(expected))

  /** Never long: what their parameters name is bounded. */
  const BOUNDED = `
  debug_getRawBlock debug_getRawHeader debug_getRawReceipts debug_getRawTransaction eth_getStorageValues eth_sign eth_subscribe
  ots_getBlockTransactions ots_getTransactionBySenderAndNonce personal_sign wallet_addEthereumChain wallet_getCallsStatus
  wallet_getCapabilities wallet_requestPermissions wallet_revokePermissions wallet_showCallsStatus wallet_switchEthereumChain
  wallet_watchAsset`

  /** These are limited by the mempool alone (`mempool.maxTransactions`), and do not yield. */
  const POOL = 'eth_pendingTransactions txpool_content txpool_contentFrom txpool_inspect txpool_status'

  /** These replace the state in one step, or rebuild the block under construction as `anvil_setBalance` does, which yields. */
  const REBUILDING = `
  anvil_reset anvil_setBlockTimestampInterval anvil_setCode anvil_setIntervalMining anvil_setNonce evm_setIntervalMining
  evm_setNextBlockTimestamp hardhat_setBlockTimestampInterval miner_start`

  /** These do the same as a method above. */
  const ALIKE = `
  debug_traceBlock debug_traceBlockByHash eth_sendTransactionSync eth_sendUnsignedTransaction eth_signTypedData_v4 evm_mine
  ots_getContractCreator ots_getInternalOperations ots_getTransactionError`

  /** These wait for ticks at most, which yield. */
  const WAITING = 'eth_sendRawTransaction eth_sendRawTransactionSync'

  it('are listed or tested for every method that parameters can make long', () => {
    const listed = [BOUNDED, POOL, REBUILDING, ALIKE, WAITING].flatMap((names) => names.trim().split(/\s+/))
    const tested = [...LONG, ...REFUSED.map(([method]) => ({ method }))].map(({ method }) => method)
    const known = new Set([...listed, ...tested].map((name) => methods.get(name)))
    const others = [...methods].filter(([, method]) => !known.has(method) && !isShort(method))
    expect(others.map(([name]) => name)).toEqual([])
    expect(listed.filter((name) => !methods.has(name) || isShort(methods.get(name)!))).toEqual([])
  })
})
