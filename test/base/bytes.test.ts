import { bigIntToUnpaddedBytes, bytesToBigInt, hexToBytes as utilHexToBytes } from '@ethereumjs/util'
import * as fc from 'fast-check'
import { toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  bigintToBytes,
  bigintToBytes32,
  bytesToBigint,
  bytesToHex,
  concatBytes,
  hexToBytes,
  knownHexToBytes,
  quantity,
} from '../../src/base/bytes.ts'
import { InvalidHexError } from '../../src/base/errors.ts'
import type { Hex } from '../../src/base/types.ts'

const anyBytes = fc.uint8Array({ maxLength: 70 })
const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const small = fc.bigInt({ min: 0n, max: 2n ** 66n })

describe('bytes and hex', () => {
  test('hex and bytes convert back and forth', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const hex = bytesToHex(bytes)
        expect(hex).toBe(`0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`)
        expect(hexToBytes(hex)).toEqual(bytes)
        expect(hexToBytes(`0x${hex.slice(2).toUpperCase()}`)).toEqual(bytes)
      }),
    )
  })

  test('hex of any length, shorter after longer, is that of its bytes', () => {
    for (const length of [3, 15, 16, 511, 512, 30_000, 1_000, 16]) {
      const bytes = Uint8Array.from({ length }, (_, i) => i * 7)
      expect(bytesToHex(bytes)).toBe(toHex(bytes))
    }
  })

  test('long hex gives the same bytes with every decoder of the host, in a buffer of their own', () => {
    const hex = toHex(Uint8Array.from({ length: 5_000 }, (_, i) => i * 7))
    const decode = () => {
      const bytes = knownHexToBytes(hex)
      expect(bytes.constructor).toBe(Uint8Array)
      expect(bytes.buffer.byteLength).toBe(bytes.length)
      expect(bytes).toEqual(hexToBytes(hex))
    }
    decode()
    const host: Record<string, unknown> = globalThis
    const ofNode = host['Buffer']
    const native = Object.getOwnPropertyDescriptor(Uint8Array, 'fromHex')
    try {
      Reflect.deleteProperty(Uint8Array, 'fromHex')
      decode()
      host['Buffer'] = undefined
      decode()
      const fromHex = (digits: string) => hexToBytes(`0x${digits}`)
      Object.defineProperty(Uint8Array, 'fromHex', { value: fromHex, configurable: true })
      decode()
    } finally {
      host['Buffer'] = ofNode
      Reflect.deleteProperty(Uint8Array, 'fromHex')
      if (native) Object.defineProperty(Uint8Array, 'fromHex', native)
    }
  })

  test('an odd number of digits has an implied leading zero', () => {
    fc.assert(
      fc.property(small, (n) => {
        const hex: Hex = `0x${n.toString(16)}`
        expect(hexToBytes(hex)).toEqual(utilHexToBytes(hex))
      }),
    )
    expect(hexToBytes('0xabc')).toEqual(Uint8Array.of(0x0a, 0xbc))
  })

  test.each(['', '0', 'ab', '0Xab', '0xg0', '0x0g', '0xg', '0x 1', '0x0\u0130', '0x0\u{1f600}', '1x00'])(
    '%j is not a hex string',
    (text) => {
      expect(() => hexToBytes(text as Hex)).toThrow(InvalidHexError)
    },
  )

  test('integers and their shortest bytes convert back and forth', () => {
    fc.assert(
      fc.property(fc.oneof(word, small), (n) => {
        const bytes = bigintToBytes(n)
        expect(bytes).toEqual(n === 0n ? new Uint8Array(0) : bigIntToUnpaddedBytes(n))
        expect(bytesToBigint(bytes)).toBe(n)
      }),
    )
    expect(bigintToBytes(0n)).toEqual(new Uint8Array(0))
  })

  test('integers and their 32 bytes convert back and forth', () => {
    fc.assert(
      fc.property(fc.oneof(word, small), (n) => {
        const bytes = bigintToBytes32(n)
        expect(bytesToHex(bytes)).toBe(`0x${n.toString(16).padStart(64, '0')}`)
        expect(bytesToBigint(bytes)).toBe(n)
      }),
    )
  })

  test('32-byte results do not share memory', () => {
    const one = bigintToBytes32(2n ** 255n)
    const other = bigintToBytes32(1n)
    expect([bytesToBigint(one), bytesToBigint(other)]).toEqual([2n ** 255n, 1n])
    expect([one.buffer.byteLength, other.buffer.byteLength]).toEqual([32, 32])
  })

  test('bytes of any length, also from the middle of a buffer, convert to an integer', () => {
    fc.assert(
      fc.property(anyBytes, fc.integer({ min: 1, max: 8 }), (bytes, offset) => {
        const view = concatBytes(new Uint8Array(offset).fill(0xff), bytes, Uint8Array.of(0xff))
        const end = offset + bytes.length
        const expected = bytesToBigInt(bytes)
        expect(bytesToBigint(view.subarray(offset, end))).toBe(expected)
        expect(bytesToBigint(view.subarray(1), offset - 1, end - 1)).toBe(expected)
      }),
    )
  })

  test('quantities have no leading zeros', () => {
    expect([0, 0n, 15, 16n, 2 ** 53 - 1, 2n ** 256n - 1n].map(quantity)).toEqual([
      '0x0',
      '0x0',
      '0xf',
      '0x10',
      '0x1fffffffffffff',
      `0x${'f'.repeat(64)}`,
    ])
  })

  test('concatenation copies, even a single part', () => {
    const part = Uint8Array.of(1, 2)
    const joined = [concatBytes(), concatBytes(part), concatBytes(part, new Uint8Array(0), Uint8Array.of(3))]
    part.fill(9)
    expect(joined).toEqual([new Uint8Array(0), Uint8Array.of(1, 2), Uint8Array.of(1, 2, 3)])
  })
})
