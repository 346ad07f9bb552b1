/** Readers of a forked node's answers. */
import { describe, expect, it } from 'vitest'
import { SchemaError } from '../../../src/base/errors.ts'
import {
  address,
  block,
  blockAt,
  blockOrNull,
  hexOfSize,
  hexUpTo,
  listOf,
  orNull,
  quantity,
  type Reader,
  storageWord,
} from '../../../src/core/fork/answers.ts'
import { log, receipt, transaction } from '../../../src/rpc/fork/shapes.ts'
import { startChain } from '../../harness.ts'
import { transferFrom } from './support.ts'

const HASH = `0x${'ab'.repeat(32)}` as const

/** What a reader says about a value: the result, or where it expects something else. */
function readingOf(read: Reader<unknown>, value: unknown): unknown {
  try {
    return read(value)
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return `${error.path}: ${error.expected}`
  }
}

describe('a quantity', () => {
  it.each<[unknown, unknown]>([
    ['0x0', 0n],
    ['0x00ff', 255n],
    ['0xffffffffffffffff', 2n ** 64n - 1n],
  ])('%j is accepted', (value, expected) => {
    expect(quantity(64)(value)).toBe(expected)
  })

  it.each([
    '0x',
    '0x10000000000000000',
    '0xg',
    '12',
    'ff',
    '',
    ' 0x1',
    '0x1 ',
    '-0x1',
    `0x${'0'.repeat(65)}`,
    12,
    0,
    null,
    undefined,
    true,
    [],
    ['0x1'],
    {},
    { toString: () => '0x1' },
  ])('%j is not one', (value) => {
    expect(readingOf(quantity(64), value)).toBe(': a hex quantity of up to 64 bits')
  })
})

describe('hex data', () => {
  it('has whole bytes, of the right number, in lower case', () => {
    expect(hexOfSize(2)('0xABcd')).toBe('0xabcd')
    expect(hexUpTo(2)('0x')).toBe('0x')
    expect(
      ['0xabc', '0xab', '0xabcdef', '0xzzzz', 'abcd', null, 1].map((one) => readingOf(hexOfSize(2), one)),
    ).toEqual(Array(7).fill(': a hex string of 2 bytes'))
    expect(readingOf(hexUpTo(2), '0xabcdef')).toBe(': a hex string of up to 2 bytes')
  })

  it('of a storage word can be short, but not empty', () => {
    expect(storageWord('0xF')).toBe(`0x${'0'.repeat(63)}f`)
    expect(storageWord('0x')).toBe(`0x${'0'.repeat(64)}`)
    expect(readingOf(storageWord, `${HASH}00`)).toBe(': a hex string of up to 32 bytes')
  })
})

describe('the objects of a chain', () => {
  it('pass through, with all their fields', async () => {
    const chain = await startChain()
    await transferFrom(chain)
    const get = (method: string, ...params: unknown[]) =>
      chain.standard.request({ method, params } as never) as Promise<never>
    for (const full of [true, false]) {
      const shown = await get('eth_getBlockByNumber', '0x1', full)
      expect(blockOrNull(shown)).toEqual(shown)
      expect(blockAt({ hash: (shown as { hash: never }).hash }, block)(shown)).toEqual(shown)
    }
    const found = await get('eth_getBlockReceipts', '0x1')
    expect(readingOf(listOf(receipt), found)).toEqual(found)
    const [{ transactionHash }] = found as [{ transactionHash: string }]
    const sent = await get('eth_getTransactionByHash', transactionHash)
    expect(readingOf(transaction, sent)).toEqual(sent)
  })

  it('can have fields and types that no Ethereum chain has', () => {
    const deposit = {
      hash: HASH,
      type: '0x7e',
      sourceHash: HASH,
      from: `0x${'1'.repeat(40)}`,
      blockHash: null,
      blockNumber: null,
    }
    const block = blockWith({ transactions: [deposit] })
    expect(blockOrNull(block)).toEqual(block)
  })

  it.each<[string, Reader<unknown>, unknown, string]>([
    ['a block without a hash', blockOrNull, { number: '0x1' }, '.hash: a hex string of 32 bytes'],
    ['a block that is a list', blockOrNull, [], ': an object'],
    [
      'another block',
      blockAt({ hash: `0x${'cd'.repeat(32)}` }, block),
      blockWith({}),
      `.hash: 0x${'cd'.repeat(32)}`,
    ],
    [
      'a wrong transaction',
      blockOrNull,
      blockWith({ transactions: ['0x1'] }),
      '.transactions[0]: a hex string of 32 bytes',
    ],
    ['no transactions', blockOrNull, blockWith({ transactions: null }), '.transactions: an array'],
    [
      'a log without topics',
      listOf(log),
      [{ address: `0x${'1'.repeat(40)}`, data: '0x' }],
      '[0].topics: an array',
    ],
    ['receipts that are none', orNull(listOf(receipt)), [null], '[0]: an object'],
    ['no address', address, '0x', ': a hex string of 20 bytes'],
  ])('are refused: %s', (_, read, value, problem) => {
    expect(readingOf(read, value)).toBe(problem)
  })

  it('are null only where that is possible', () => {
    expect([blockOrNull(null), orNull(receipt)(null)]).toEqual([null, null])
    expect(readingOf(blockAt({ hash: HASH }, block), null)).toBe(': an object')
    expect(readingOf(listOf(receipt), null)).toBe(': an array')
  })
})

function blockWith(fields: object): unknown {
  const numbers = { number: '0x1', timestamp: '0x1', gasLimit: '0x1', gasUsed: '0x0' }
  return { hash: HASH, parentHash: HASH, stateRoot: HASH, ...numbers, transactions: [], ...fields }
}
