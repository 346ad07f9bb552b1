import fc from 'fast-check'
import { keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../../../src/base/bytes.ts'
import type { Address } from '../../../../../src/base/types.ts'
import { runs } from '../../../../full.ts'
import { slotKey, TARGET } from '../../setup.ts'
import { call, gasOf, returning } from '../assembly.ts'
import { execute } from '../execution.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`
const MAX = 2n ** 256n - 1n
/** 0x00 to 0x1f. */
const PATTERN = `0x${Array.from({ length: 32 }, (_, i) => i.toString(16).padStart(2, '0')).join('')}`

describe('a range of memory', () => {
  /** Instructions with a range at an offset. */
  const RANGES: readonly (readonly [name: string, code: (offset: bigint, size: number) => string])[] = [
    ['KECCAK256', (offset, size) => `${size} ${offset} KECCAK256 POP`],
    ['CALLDATACOPY', (offset, size) => `${size} 0 ${offset} CALLDATACOPY`],
    ['CODECOPY', (offset, size) => `${size} 0 ${offset} CODECOPY`],
    ['EXTCODECOPY', (offset, size) => `${size} 0 ${offset} ${OTHER} EXTCODECOPY`],
    ['RETURNDATACOPY', (offset, size) => `${size} 0 ${offset} RETURNDATACOPY`],
    ['MCOPY to it', (offset, size) => `${size} 0 ${offset} MCOPY`],
    ['MCOPY from it', (offset, size) => `${size} ${offset} 0 MCOPY`],
    ['LOG1', (offset, size) => `0 ${size} ${offset} LOG1`],
    ['CREATE', (offset, size) => `${size} ${offset} 0 CREATE POP`],
    ['CREATE2', (offset, size) => `0 ${size} ${offset} 0 CREATE2 POP`],
    ['the input of a call', (offset, size) => `${call('CALL', OTHER, { input: [offset, size] })} POP`],
    [
      'the output of a call',
      (offset, size) => `${call('STATICCALL', OTHER, { output: [offset, size] })} POP`,
    ],
    ['RETURN', (offset, size) => `${size} ${offset} RETURN`],
    ['REVERT', (offset, size) => `${size} ${offset} REVERT`],
  ]
  /** A call that returns a byte, for RETURNDATACOPY. */
  const accounts = { [OTHER]: { code: '1 0 RETURN' } }
  const RETURNED = `${call('STATICCALL', OTHER)} POP`

  test.each(RANGES)('of no bytes extends nothing, wherever it is: %s', async (_, code) => {
    for (const offset of [2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, MAX]) {
      const { error, words } = await execute(`${code(offset, 0)} ${returning('MSIZE')}`, { accounts })
      expect([undefined, 'execution reverted']).toContain(error)
      expect(words.filter((size) => size !== 0n)).toEqual([])
    }
  })

  test.each(RANGES)('of a byte is out of gas beyond 2^32: %s', async (_, code) => {
    for (const offset of [2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, MAX]) {
      const { endings } = await execute(`${RETURNED} ${code(offset, 1)}`, { accounts })
      expect(endings).toEqual([undefined, 'out of gas'])
    }
  })

  const lasting = RANGES.filter(([name]) => name !== 'RETURN' && name !== 'REVERT')
  test.each(lasting)('of a byte extends memory by a word: %s', async (_, code) => {
    const { words } = await execute(`${RETURNED} ${code(64n, 1)} ${returning('MSIZE')}`, { accounts })
    expect(words).toEqual([96n])
  })
})

describe('MLOAD, MSTORE and MSTORE8', () => {
  test('access any offset, big-endian, and extend memory', async () => {
    const source = `${PATTERN} 1 MSTORE 0x0fab 40 MSTORE8 ${returning('0 MLOAD', '1 MLOAD', '9 MLOAD')}`
    const bytes = new Uint8Array(64)
    bytes.set(hexToBytes(PATTERN as `0x${string}`), 1)
    bytes[40] = 0xab
    expect((await execute(source)).words.map(slotKey)).toEqual(
      [0, 1, 9].map((at) => bytesToHex(bytes.subarray(at, at + 32))),
    )
  })

  test.each([
    ['0 MLOAD', 3n + 3n + 3n],
    ['1 MLOAD', 3n + 3n + 6n],
    ['0 31 MSTORE8 MSIZE', 6n + 3n + 3n + 2n],
    ['0 32 MSTORE8 MSIZE', 6n + 3n + 6n + 2n],
    ['1023 MLOAD', 3n + 3n + 33n * 3n + 2n],
  ])('%s costs %s gas', async (source, price) => {
    expect((await execute(returning(gasOf(source)))).words).toEqual([price])
  })
})

describe('copies', () => {
  test('of calldata and code have zeros beyond the end, wherever they start', async () => {
    const data = Uint8Array.of(1, 2, 3)
    const copied = [0, 1, 3, 2n ** 53n, MAX].map((from) => `0 NOT 0 MSTORE 32 ${from} 0 CALLDATACOPY 0 MLOAD`)
    const { words } = await execute(returning(...copied), { tx: { data } })
    expect(words).toEqual([
      BigInt(`0x010203${'00'.repeat(29)}`),
      BigInt(`0x0203${'00'.repeat(30)}`),
      0n,
      0n,
      0n,
    ])
    const other = { [OTHER]: { code: '#5b5b' } }
    const code = await execute(returning(`0 NOT 0 MSTORE 31 1 0 ${OTHER} EXTCODECOPY 0 MLOAD`), {
      accounts: other,
    })
    expect(code.words).toEqual([BigInt(`0x5b${'00'.repeat(30)}ff`)])
  })

  test('MCOPY copies overlapping ranges as if there were a copy between', async () => {
    const range = fc.nat(60)
    await fc.assert(
      fc.asyncProperty(range, range, fc.nat(40), async (to, from, size) => {
        const memory = new Uint8Array(128)
        memory.set(hexToBytes(PATTERN as `0x${string}`), 16)
        memory.set(memory.slice(from, from + size), to)
        const { output } = await execute(`${PATTERN} 16 MSTORE ${size} ${from} ${to} MCOPY 128 0 RETURN`)
        expect(bytesToHex(output)).toBe(bytesToHex(memory))
      }),
      runs(60, 3000),
    )
  })

  test.each([
    ['CALLDATACOPY', 3n],
    ['CODECOPY', 3n],
    ['MCOPY', 3n],
    ['KECCAK256', 6n],
  ])('%s costs 3 gas per word, and a hash 6: %s', async (name, price) => {
    const used = [0, 1, 32, 33].map((size) =>
      name === 'KECCAK256' ? gasOf(`${size} 0 KECCAK256`) : gasOf(`${size} 0 0 ${name} MSIZE`),
    )
    const { words } = await execute(`0 96 MSTORE ${returning(...used)}`)
    const base = name === 'KECCAK256' ? 6n + 30n : 9n + 3n + 2n
    expect(words).toEqual([0n, 1n, 1n, 2n].map((count) => base + count * price))
  })

  test('KECCAK256 hashes the bytes of its range', async () => {
    const { words } = await execute(`${PATTERN} 0 MSTORE ${returning('0 9 KECCAK256', '5 3 KECCAK256')}`)
    expect(words).toEqual([keccak256('0x'), keccak256('0x0304050607')].map(BigInt))
  })

  test('EXTCODECOPY pays for the access and the words together', async () => {
    const cold = gasOf(`33 0 0 ${OTHER} EXTCODECOPY MSIZE`)
    const { words } = await execute(`0 96 MSTORE ${returning(cold, cold)}`, { accounts: { [TARGET]: {} } })
    expect(words).toEqual([12n + 2n + 2_600n + 6n, 12n + 2n + 100n + 6n])
  })
})
