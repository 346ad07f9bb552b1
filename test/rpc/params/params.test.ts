import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PresealRpcError } from '../../../src/base/errors.ts'
import { array, object, optional, type Schema } from '../../../src/base/schema.ts'
import type { Hex } from '../../../src/base/types.ts'
import type { BlockReference } from '../../../src/core/view/sources.ts'
import { blockParameter, blockPosition, logFilter } from '../../../src/rpc/params/block.ts'
import { blockOverrides, callObject, stateOverrides } from '../../../src/rpc/params/callObject.ts'
import { amount, blockGasLimit, integer } from '../../../src/rpc/params/dev.ts'
import {
  address,
  boolean,
  data,
  hash32,
  index,
  parseParam,
  parseParams,
  quantity,
  quantity64,
  rawTransaction,
  storageKey,
  timeoutMs,
} from '../../../src/rpc/params/params.ts'
import { word } from '../../words.ts'

const A = `0x${'Aa'.repeat(20)}` as const
const a = `0x${'aa'.repeat(20)}` as const
const b = `0x${'bb'.repeat(20)}` as const
const H = `0x${'Cd'.repeat(32)}` as const
const h = `0x${'cd'.repeat(32)}` as const
const max = (bits: number): bigint => 2n ** BigInt(bits) - 1n
const toHex = (n: bigint): Hex => `0x${n.toString(16)}`
const bytes = (...values: number[]) => Uint8Array.from(values)

function failure(run: () => unknown): { code: number; message: string } {
  try {
    run()
  } catch (error) {
    if (error instanceof PresealRpcError) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('nothing was thrown')
}

/** Tests a parser with good values and their results, then bad ones and their messages. */
function table<T>(
  name: string,
  param: Schema<T>,
  good: readonly (readonly [value: unknown, parsed: T])[],
  bad: readonly (readonly [value: unknown, message: string])[],
) {
  describe(name, () => {
    it.each(good)('accepts %o', (value, parsed) => {
      expect(parseParam(value, 0, param)).toStrictEqual(parsed)
    })
    it.each(bad)('refuses %o: %s', (value, message) => {
      expect(failure(() => parseParam(value, 0, param))).toEqual({
        code: -32602,
        message: `invalid argument ${message}`,
      })
    })
  })
}

/** Each of the values with the same message. */
const each = (message: string, ...values: unknown[]) => values.map((value) => [value, message] as const)

table(
  'address',
  address,
  [
    [A, a],
    [`0X${a.slice(2)}`, a],
  ],
  each(
    '0: expected a 20-byte address',
    ...[undefined, null, 1, {}, [a], '', '0x', a.slice(2), `${a}0`, `${a.slice(0, -1)}g`, `${a}\n`, h],
  ),
)

table(
  'hash32',
  hash32,
  [[H, h]],
  each('0: expected a 32-byte hash', undefined, null, '0x', a, h.slice(2), `${h}00`),
)

table(
  'data',
  data,
  [
    ['0x', bytes()],
    ['0x00ff', bytes(0, 255)],
    ['0x0aBcDE9f', bytes(0x0a, 0xbc, 0xde, 0x9f)],
  ],
  each(
    '0: expected a hex string of whole bytes',
    ...[undefined, null, 0, '', '0', '00', '0x0', '0x000', '0x0g', '0xg0', '0x /', '0x:`', '0x\u0130\u0130'],
    bytes(1),
  ),
)

table(
  'quantity',
  quantity,
  [
    ['0x0', 0n],
    ['0xA', 10n],
    [toHex(max(256)), max(256)],
  ],
  each(
    '0: expected a hex quantity of up to 256 bits',
    ...[undefined, null, 1, 1n, '', '0x', '0x00', '0x01', '1', '-0x1', '0x-1', '0x1.0', toHex(max(256) + 1n)],
  ),
)

table(
  'quantity64',
  quantity64,
  [
    ['0x0', 0n],
    [toHex(max(64)), max(64)],
  ],
  each('0: expected a hex quantity of up to 64 bits', '0x00', toHex(max(64) + 1n), 1),
)

table(
  'index',
  index,
  [
    ['0x0', 0],
    [toHex(max(53)), Number.MAX_SAFE_INTEGER],
  ],
  each('0: expected a hex quantity of up to 53 bits', '0x00', toHex(max(53) + 1n), toHex(max(64) + 1n), 1),
)

table(
  'boolean',
  boolean,
  [
    [true, true],
    [false, false],
  ],
  each('0: expected a boolean', undefined, null, 0, 'true'),
)

table(
  'storageKey',
  storageKey,
  [
    ['0x', word(0)],
    ['0x0', word(0)],
    ['0x00', word(0)],
    ['0xA', word(10)],
    ['0x00a', word(10)],
    [word(10), word(10)],
    [H, h],
  ],
  each('0: expected a hex string of up to 32 bytes', undefined, null, 0, '', '0', '0xasdf', `${h}0`),
)

table(
  'rawTransaction',
  rawTransaction,
  [['0x02', bytes(2)]],
  each('0: expected a hex string of at least one byte', undefined, null, '0x', '0x0', '02'),
)

table(
  'timeoutMs',
  timeoutMs,
  [
    [0, 0],
    [1500, 1500],
    ['0x5dc', 1500],
  ],
  each(
    '0: expected an integer >= 0 (milliseconds)',
    ...[undefined, null, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1500', '0x', '0x05', true],
  ),
)

table(
  'integer',
  integer,
  [
    [0, 0],
    ['0x', 0],
    ['0x00', 0],
    ['0x0A', 10],
    ['10', 10],
    [9_007_199_254_740, 9_007_199_254_740],
  ],
  each(
    '0: expected an integer >= 0',
    ...[undefined, null, -1, 0.5, Number.NaN, 9_007_199_254_741, '', '-1', '0xg', '1e3', 10n, true],
  ),
)

table(
  'amount',
  amount,
  [
    [0, 0n],
    ['0x', 0n],
    ['0x00', 0n],
    ['0x0A', 10n],
    ['10', 10n],
    [2 ** 53 - 1, max(53)],
    [toHex(max(256)), max(256)],
  ],
  each(
    '0: expected an integer >= 0 of up to 256 bits',
    ...[
      undefined,
      null,
      -1,
      0.5,
      Number.NaN,
      2 ** 53,
      '',
      '-1',
      '0xg',
      '1e3',
      toHex(max(256) + 1n),
      10n,
      true,
    ],
  ),
)

table(
  'blockGasLimit',
  blockGasLimit,
  [
    [5000, 5000n],
    ['0x1c9c380', 30_000_000n],
  ],
  each('0: expected a gas limit >= 5000', undefined, null, 0, 4999, '0x', -1, 'all'),
)

table(
  'blockPosition',
  blockPosition,
  [
    ['latest', { kind: 'tag', tag: 'latest' }],
    ['0x0', { kind: 'number', number: 0n }],
  ],
  each('0: expected a block number or tag', undefined, null, 0, 'Latest', '0x00', h, { blockNumber: '0x1' }),
)

table<BlockReference>(
  'blockParameter',
  blockParameter,
  [
    ...(['latest', 'pending', 'safe', 'finalized', 'earliest'] as const).map(
      (tag) => [tag, { kind: 'tag', tag }] as const,
    ),
    ['0x0', { kind: 'number', number: 0n }],
    ['0xAb', { kind: 'number', number: 171n }],
    [toHex(max(64)), { kind: 'number', number: max(64) }],
    [H, { kind: 'hash', hash: h, requireCanonical: false }],
    [{ blockHash: H }, { kind: 'hash', hash: h, requireCanonical: false }],
    [
      { blockHash: h, requireCanonical: true },
      { kind: 'hash', hash: h, requireCanonical: true },
    ],
    [
      { blockHash: h, blockNumber: null, requireCanonical: undefined },
      { kind: 'hash', hash: h, requireCanonical: false },
    ],
    [
      { blockNumber: '0x1', requireCanonical: true },
      { kind: 'number', number: 1n },
    ],
    [{ blockNumber: 'pending' }, { kind: 'tag', tag: 'pending' }],
  ],
  [
    ...each(
      '0: expected a block number, tag or hash',
      ...[undefined, null, 1, 1n, true, [], '', 'Latest', 'head', '0x', '0x01', '1', toHex(max(64) + 1n), a],
    ),
    ...each('0: expected either blockNumber or blockHash', {}, { blockNumber: '0x1', blockHash: h }),
    [{ blockNumber: 1 }, '0.blockNumber: expected a block number or tag'],
    [{ blockHash: '0x1' }, '0.blockHash: expected a 32-byte hash'],
    [{ blockHash: h, requireCanonical: 'yes' }, '0.requireCanonical: expected a boolean'],
  ],
)

table(
  'optional',
  optional(quantity),
  [
    [undefined, undefined],
    [null, undefined],
    ['0x1', 1n],
  ],
  each('0: expected a hex quantity of up to 256 bits', '', 0, false),
)

table(
  'array',
  array(quantity, { max: 2 }),
  [
    [[], []],
    [
      ['0x1', '0x2'],
      [1n, 2n],
    ],
  ],
  [
    ...each('0: expected an array', undefined, null, '0x1', {}, { length: 1 }),
    [['0x1', 2], '0[1]: expected a hex quantity of up to 256 bits'],
    [[null], '0[0]: expected a hex quantity of up to 256 bits'],
    [new Array(1), '0[0]: expected a hex quantity of up to 256 bits'],
    [['0x1', '0x2', '0x3'], '0: expected at most 2 items'],
  ],
)

table(
  'object',
  object({ to: address, count: optional(index), bytes: optional(data) }, { to: 'address', bytes: 'input' }),
  [
    [{ to: A }, { to: a }],
    [
      { address: a, to: undefined, count: '0x1', other: 1 },
      { to: a, count: 1 },
    ],
    [{ address: A, to: a, count: null }, { to: a }],
    [
      { to: a, input: '0x0A', bytes: '0x0a' },
      { to: a, bytes: bytes(10) },
    ],
  ],
  [
    ...each('0: expected an object', undefined, null, 1, 'a', [], [{}]),
    ...each('0.to: expected a 20-byte address', {}, { to: null }, { to: '0x', address: a }),
    [{ address: '0x' }, '0.address: expected a 20-byte address'],
    [{ to: a, address: '0x' }, '0.address: expected a 20-byte address'],
    [{ to: a, address: b }, '0.address: expected the same value as to'],
    [{ to: a, bytes: '0x01', input: '0x02' }, '0.input: expected the same value as bytes'],
    [{ to: a, bytes: '0x01', input: '0x0100' }, '0.input: expected the same value as bytes'],
    [{ to: a, count: 1 }, '0.count: expected a hex quantity of up to 53 bits'],
  ],
)

const authorization = { chainId: '0x1', address: A, nonce: '0x0', yParity: '0x1', r: word(7), s: '0x8' }

table(
  'callObject',
  callObject,
  [
    [{}, {}],
    [{ from: undefined, to: null, data: null, value: undefined, colour: 'blue' }, {}],
    [
      {
        from: A,
        to: b,
        gas: '0x5208',
        gasPrice: '0x1',
        value: '0x0',
        nonce: '0x2',
        type: '0x0',
        chainId: '0x7a69',
        input: '0x01',
      },
      {
        from: a,
        to: b,
        gas: 21000n,
        gasPrice: 1n,
        value: 0n,
        nonce: 2n,
        type: 0,
        chainId: 31337n,
        data: bytes(1),
      },
    ],
    [
      { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2', gasPrice: null },
      { maxFeePerGas: 1n, maxPriorityFeePerGas: 2n },
    ],
    [
      { accessList: [{ address: A, storageKeys: [H] }], authorizationList: [authorization] },
      {
        accessList: [{ address: a, storageKeys: [h] }],
        authorizationList: [{ chainId: 1n, address: a, nonce: 0n, yParity: 1, r: 7n, s: 8n }],
      },
    ],
    [
      { maxFeePerBlobGas: '0xa', blobVersionedHashes: [H] },
      { maxFeePerBlobGas: 10n, blobVersionedHashes: [h] },
    ],
    [{ data: '0xAB', input: '0xab' }, { data: bytes(0xab) }],
  ],
  [
    ...each('0: expected an object', undefined, null, '0x', []),
    [{ from: '0x1' }, '0.from: expected a 20-byte address'],
    [{ to: '' }, '0.to: expected a 20-byte address'],
    [{ gas: 21000 }, '0.gas: expected a hex quantity of up to 64 bits'],
    [{ value: '0x00' }, '0.value: expected a hex quantity of up to 256 bits'],
    [{ data: '0x1' }, '0.data: expected a hex string of whole bytes'],
    [{ input: 'abcd' }, '0.input: expected a hex string of whole bytes'],
    [{ data: '0x01', input: '0x' }, '0.input: expected the same value as data'],
    [{ gasPrice: '0x1', maxFeePerGas: '0x1' }, '0.maxFeePerGas: expected no value if gasPrice is given'],
    [
      { gasPrice: '0x0', maxPriorityFeePerGas: '0x0' },
      '0.maxPriorityFeePerGas: expected no value if gasPrice is given',
    ],
    [{ accessList: {} }, '0.accessList: expected an array'],
    [{ accessList: [{ address: a }] }, '0.accessList[0].storageKeys: expected an array'],
    [
      { accessList: [{ address: a, storageKeys: [h, '0x0'] }] },
      '0.accessList[0].storageKeys[1]: expected a 32-byte hash',
    ],
    [
      { authorizationList: [authorization, { ...authorization, yParity: 1 }] },
      '0.authorizationList[1].yParity: expected a hex quantity of up to 53 bits',
    ],
    [
      { authorizationList: [{ ...authorization, s: undefined }] },
      '0.authorizationList[0].s: expected a hex string of up to 32 bytes',
    ],
  ],
)

table(
  'stateOverrides',
  stateOverrides,
  [
    [{}, new Map()],
    [{ [a]: undefined, [b]: null }, new Map()],
    [{ [a]: {} }, new Map([[a, {}]])],
    [
      {
        [A]: { balance: '0x1', nonce: '0x2', code: '0xFE', state: { '0x0': '0x1' }, stateDiff: null },
        [b]: { stateDiff: { [H]: word(2), '0x1': undefined }, movePrecompileToAddress: A },
      },
      new Map<Hex, object>([
        [a, { balance: 1n, nonce: 2n, code: bytes(0xfe), state: new Map([[word(0), word(1)]]) }],
        [b, { stateDiff: new Map([[h, word(2)]]), movePrecompileToAddress: a }],
      ]),
    ],
    [{ [a]: { state: {} } }, new Map([[a, { state: new Map() }]])],
  ],
  [
    ...each('0: expected an object', undefined, null, [], 'x'),
    [{ '0x1': {} }, '0.0x1: expected a 20-byte address'],
    [{ '0x1': null }, '0.0x1: expected a 20-byte address'],
    [JSON.parse('{"__proto__":{}}'), '0.__proto__: expected a 20-byte address'],
    [{ [a]: 1 }, `0.${a}: expected an object`],
    [{ [A]: {}, [a]: {} }, `0.${a}: expected each key only once`],
    [{ [a]: { balance: 1 } }, `0.${a}.balance: expected a hex quantity of up to 256 bits`],
    [{ [a]: { state: {}, stateDiff: {} } }, `0.${a}.stateDiff: expected no value if state is given`],
    [{ [a]: { state: { key: '0x1' } } }, `0.${a}.state.key: expected a hex string of up to 32 bytes`],
    [{ [a]: { stateDiff: { '0x1': 1 } } }, `0.${a}.stateDiff.0x1: expected a hex string of up to 32 bytes`],
    [
      { [a]: { stateDiff: { '0x1': '0x1', '0x01': '0x2' } } },
      `0.${a}.stateDiff.0x01: expected each key only once`,
    ],
    [
      { [a]: { movePrecompileToAddress: '0x9' } },
      `0.${a}.movePrecompileToAddress: expected a 20-byte address`,
    ],
  ],
)

table(
  'blockOverrides',
  blockOverrides,
  [
    [{}, {}],
    [
      {
        number: '0x1',
        time: '0x2',
        gasLimit: '0x3',
        feeRecipient: A,
        prevRandao: '0x4',
        baseFeePerGas: '0x5',
        blobBaseFee: '0x6',
        difficulty: '0x7',
        beaconRoot: H,
        withdrawals: [],
        unknown: 1,
      },
      {
        number: 1n,
        time: 2n,
        gasLimit: 3n,
        feeRecipient: a,
        prevRandao: word(4),
        baseFeePerGas: 5n,
        blobBaseFee: 6n,
        difficulty: 7n,
        beaconRoot: h,
        withdrawals: [],
      },
    ],
    [
      { timestamp: '0x2', coinbase: A, random: H, baseFee: '0x5' },
      { time: 2n, feeRecipient: a, prevRandao: h, baseFeePerGas: 5n },
    ],
    [{ time: '0x2', timestamp: '0x2' }, { time: 2n }],
    [
      { withdrawals: [{ index: '0x0', validatorIndex: '0x1', address: A, amount: '0x2' }] },
      { withdrawals: [{ index: 0n, validatorIndex: 1n, address: a, amount: 2n }] },
    ],
  ],
  [
    ...each('0: expected an object', undefined, null, []),
    [{ time: '0x2', timestamp: '0x3' }, '0.timestamp: expected the same value as time'],
    [{ coinbase: '0x' }, '0.coinbase: expected a 20-byte address'],
    [{ number: toHex(max(64) + 1n) }, '0.number: expected a hex quantity of up to 64 bits'],
    [{ beaconRoot: '0x0' }, '0.beaconRoot: expected a 32-byte hash'],
    [{ withdrawals: {} }, '0.withdrawals: expected an array'],
  ],
)

table(
  'logFilter',
  logFilter,
  [
    [{}, { blocks: { kind: 'range' } }],
    [
      { fromBlock: null, toBlock: undefined, blockHash: null, address: null, topics: null },
      { blocks: { kind: 'range' } },
    ],
    [
      { fromBlock: '0x1', toBlock: 'pending', address: A },
      {
        address: [a],
        blocks: {
          kind: 'range',
          from: { kind: 'number', number: 1n },
          to: { kind: 'tag', tag: 'pending' },
        },
      },
    ],
    [{ address: [A, b] }, { address: [a, b], blocks: { kind: 'range' } }],
    [
      { topics: [null, H, [H, word(1)], [], [H, null], null] },
      { topics: [null, [h], [h, word(1)], [], null, null], blocks: { kind: 'range' } },
    ],
    [{ blockHash: H }, { blocks: { kind: 'hash', hash: h, rangeGiven: false } }],
    [
      { blockHash: h, fromBlock: 'anything', topics: [] },
      { topics: [], blocks: { kind: 'hash', hash: h, rangeGiven: true } },
    ],
    [{ blockHash: h, toBlock: '0x1' }, { blocks: { kind: 'hash', hash: h, rangeGiven: true } }],
  ],
  [
    ...each('0: expected an object', undefined, null, []),
    [{ fromBlock: 1 }, '0.fromBlock: expected a block number or tag'],
    [{ toBlock: h }, '0.toBlock: expected a block number or tag'],
    [{ blockHash: '0x1' }, '0.blockHash: expected a 32-byte hash'],
    [{ address: 'x' }, '0.address: expected a 20-byte address'],
    [{ address: [a, '0x'] }, '0.address[1]: expected a 20-byte address'],
    [{ topics: h }, '0.topics: expected an array'],
    [{ topics: [h, '0x1'] }, '0.topics[1]: expected a 32-byte hash'],
    [{ topics: [h, [h, 1]] }, '0.topics[1][1]: expected a 32-byte hash'],
  ],
)

describe('parseParams', () => {
  const specs = [address, optional(blockParameter), optional(boolean)] as const
  const latest = { kind: 'tag', tag: 'latest' }

  it.each<[unknown, unknown]>([
    [[A], [a, undefined, undefined]],
    [
      [A, 'latest'],
      [a, latest, undefined],
    ],
    [
      [A, null, null],
      [a, undefined, undefined],
    ],
    [
      [A, undefined, true, undefined],
      [a, undefined, true],
    ],
  ])('accepts %j', (params, parsed) => {
    expect(parseParams(params, specs)).toEqual(parsed)
  })

  it.each([
    [{ 0: A }, 'invalid argument params: expected an array'],
    ['latest', 'invalid argument params: expected an array'],
    [undefined, 'invalid argument count: expected 1 to 3, got 0'],
    [[undefined, undefined], 'invalid argument count: expected 1 to 3, got 0'],
    [[A, 'latest', true, null], 'invalid argument count: expected 1 to 3, got 4'],
    [[null], 'invalid argument 0: expected a 20-byte address'],
    [[undefined, 'latest'], 'invalid argument 0: expected a 20-byte address'],
    [[A, 'newest'], 'invalid argument 1: expected a block number, tag or hash'],
  ])('refuses %j', (params, message) => {
    expect(failure(() => parseParams(params, specs))).toEqual({ code: -32602, message })
  })

  it('accepts absent params if none are required', () => {
    for (const params of [undefined, null, [], [undefined]]) expect(parseParams(params, [])).toEqual([])
    expect(failure(() => parseParams([1], [])).message).toBe('invalid argument count: expected 0, got 1')
  })

  it('names nested positions below their parameter', () => {
    const bad = [A, 'latest', { topics: [null, 'x'] }]
    expect(failure(() => parseParams(bad, [address, blockParameter, logFilter])).message).toBe(
      'invalid argument 2.topics[1]: expected a 32-byte hash',
    )
  })

  it('counts an optional parameter before a required one as required', () => {
    expect(failure(() => parseParams(['0x1'], [optional(quantity), address])).message).toBe(
      'invalid argument count: expected 2, got 1',
    )
    expect(parseParams([null, A], [optional(quantity), address])).toEqual([undefined, a])
  })
})

describe('every parser', () => {
  const parsers: Record<string, Schema<unknown>> = {
    ...{ address, hash32, data, quantity, quantity64, index, boolean, storageKey, rawTransaction, timeoutMs },
    ...{ blockPosition, blockParameter, callObject, stateOverrides, blockOverrides, logFilter },
    optional: optional(callObject),
    array: array(logFilter, { max: 3 }),
  }
  const hex = fc.stringMatching(/^0[xX][0-9a-fA-F]{0,66}$/)
  const scalar = fc.oneof(
    hex,
    fc.constantFrom(a, A, h, H, word(1), '0x0', '0x1', '0x', 'latest', 'pending'),
    fc.constantFrom(null, undefined, true, 0, 1, -1, 0.5, ''),
  )
  const keys = fc.constantFrom(
    ...['blockNumber', 'blockHash', 'requireCanonical', 'fromBlock', 'toBlock', 'address', 'topics'],
    ...['from', 'to', 'data', 'input', 'gasPrice', 'maxFeePerGas', 'accessList', 'storageKeys', 'time'],
    ...['timestamp', 'balance', 'state', 'stateDiff', '__proto__', a, A, h, '0x0', '0x00'],
  )
  const { likely } = fc.letrec((tie) => ({
    likely: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.array(tie('likely'), { maxLength: 4 }),
      fc.dictionary(keys, tie('likely'), { maxKeys: 4 }),
    ),
  }))

  function deepFreeze<T>(value: T): T {
    if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)
    return value
  }

  /** The result, or the code of a PresealRpcError; any other error fails the test. */
  function outcome(run: () => unknown): unknown {
    try {
      return { parsed: run() }
    } catch (error) {
      if (!(error instanceof PresealRpcError)) throw error
      return { code: error.code }
    }
  }

  it.each(Object.entries(parsers))('%s: parses or fails with -32602, keeping its input', (_name, param) => {
    fc.assert(
      fc.property(fc.oneof(likely, fc.jsonValue()), (value) => {
        const before = structuredClone(value)
        const first = outcome(() => parseParam(deepFreeze(value), 0, param))
        if (!Object.hasOwn(first as object, 'parsed')) expect(first).toEqual({ code: -32602 })
        expect(value).toEqual(before)
        expect(outcome(() => parseParam(value, 0, param))).toEqual(first)
      }),
      { numRuns: 300 },
    )
  })

  it('returns hex in lower case', () => {
    const digits = fc.array(fc.constantFrom(...'0123456789abcdefABCDEF'), { minLength: 64, maxLength: 64 })
    fc.assert(
      fc.property(digits, (chosen) => {
        const given = chosen.join('')
        const lower = `0x${given.toLowerCase()}`
        expect(hash32.parse(`0x${given}`, '0')).toBe(lower)
        expect(storageKey.parse(`0x${given}`, '0')).toBe(lower)
        expect(address.parse(`0x${given.slice(24)}`, '0')).toBe(`0x${lower.slice(26)}`)
        const pairs = given.match(/../g)!.map((pair) => Number.parseInt(pair, 16))
        expect(data.parse(`0x${given}`, '0')).toEqual(Uint8Array.from(pairs))
      }),
    )
  })

  it('accepts a quantity exactly if it has no leading zero and fits', () => {
    const anyHex = fc.tuple(fc.constantFrom('', '0', '00'), fc.bigInt({ min: 0n, max: max(260) }))
    fc.assert(
      fc.property(anyHex, ([zeros, n]) => {
        const value = `0x${zeros}${n.toString(16)}`
        for (const [param, bits] of [
          [quantity, 256],
          [quantity64, 64],
        ] as const) {
          const good = zeros === '' && n <= max(bits)
          expect(outcome(() => parseParam(value, 0, param))).toEqual(good ? { parsed: n } : { code: -32602 })
        }
      }),
    )
  })
})
