import { RLP } from '@ethereumjs/rlp'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesToHex, concatBytes } from '../../src/base/bytes.ts'
import { InvalidRlpError } from '../../src/base/errors.ts'
import {
  decodeFirstRlp,
  decodeRlp,
  encodeRlp,
  isRlpWithin,
  RlpCursor,
  type RlpItem,
  rlpListPrefix,
  rlpSize,
  rlpSizeOf,
} from '../../src/base/rlp.ts'

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 3 }),
  fc.uint8Array({ minLength: 54, maxLength: 58 }),
  fc.constantFrom(0, 1, 0x7f, 0x80, 0xff).map((byte) => Uint8Array.of(byte)),
  fc.constantFrom(255, 256, 65_535, 65_536).map((length) => new Uint8Array(length).fill(7)),
)
const { item } = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof({ depthSize: 'small' }, bytes, fc.array(tie('item'), { maxLength: 5 })),
}))

describe('rlp', () => {
  test('encodings and sizes equal those of stock @ethereumjs', () => {
    fc.assert(
      fc.property(item, (value) => {
        const encoded = encodeRlp(value)
        expect(bytesToHex(encoded)).toBe(bytesToHex(RLP.encode(value as Uint8Array)))
        expect(rlpSize(value)).toBe(encoded.length)
      }),
    )
  })

  test('the size of a list follows from the length of its contents', () => {
    for (const content of [0, 1, 55, 56, 255, 256, 65_535, 65_536, 20_000_000]) {
      const header = content < 56 ? 1 : 1 + Math.ceil(Math.log2(content + 1) / 8)
      expect(rlpSizeOf(content)).toBe(header + content)
      expect(rlpListPrefix(content)).toHaveLength(header)
    }
  })

  test('items and the depth of lists are counted before anything is decoded', () => {
    const itemsIn = (value: RlpItem): number =>
      value instanceof Uint8Array ? 1 : 1 + value.reduce((sum, one) => sum + itemsIn(one), 0)
    const depthOf = (value: RlpItem): number =>
      value instanceof Uint8Array ? 0 : 1 + Math.max(0, ...value.map(depthOf))
    fc.assert(
      fc.property(item, (value) => {
        const [encoded, items, depth] = [encodeRlp(value), itemsIn(value), depthOf(value)]
        expect(isRlpWithin(encoded, items, depth)).toBe(true)
        expect(isRlpWithin(encoded, items - 1, depth)).toBe(false)
        if (depth > 0) expect(isRlpWithin(encoded, items, depth - 1)).toBe(false)
      }),
    )
  })

  /** An item with strings as hex, which compares faster. */
  type Shown = string | readonly Shown[]
  const show = (value: RlpItem): Shown => (value instanceof Uint8Array ? bytesToHex(value) : value.map(show))

  /** Encodings, and bytes that differ from one in a few places. */
  const nearlyRlp = fc
    .tuple(item, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }), fc.nat(2), fc.nat(2))
    .map(([value, edits, cut, added]) => {
      const encoded = encodeRlp(value)
      for (const [at, byte] of edits) encoded[at % encoded.length] = byte
      return concatBytes(encoded.subarray(0, encoded.length - cut), new Uint8Array(added))
    })
    .filter(({ length }) => length > 0)
  const attempt = (decode: () => unknown, isRefusal: (error: Error) => boolean) => {
    try {
      return decode()
    } catch (error) {
      if (!isRefusal(error as Error)) throw error
      return 'refused'
    }
  }
  const isInvalid = (error: Error) => error instanceof InvalidRlpError

  test('decodes and refuses what stock @ethereumjs does', () => {
    fc.assert(
      fc.property(nearlyRlp, (bytes) => {
        const decoded = attempt(() => show(decodeRlp(bytes)), isInvalid)
        expect(decoded).toEqual(
          attempt(
            () => show(RLP.decode(bytes)),
            ({ message }) => message.startsWith('invalid RLP'),
          ),
        )
      }),
    )
  })

  test('a cursor finds the items that decoding gives, where they are, and refuses what decoding does', () => {
    const listed = (cursor: RlpCursor, at: number, limit: number): RlpItem => {
      cursor.read(at, limit)
      const { isList, start, end } = cursor
      if (!isList) return cursor.bytes.slice(start, end)
      const items: RlpItem[] = []
      for (let next = start; next < end; next = cursor.end) items.push(listed(cursor, next, end))
      return items
    }
    fc.assert(
      fc.property(nearlyRlp, fc.uint8Array({ maxLength: 3 }), (bytes, before) => {
        const cursor = new RlpCursor(concatBytes(before, bytes))
        const [start, limit] = [before.length, cursor.bytes.length]
        const whole = attempt(() => {
          cursor.readWhole(start, limit)
          const { isList, start: content, end } = cursor
          return { size: cursor.size(), isList, content: content - start, end: end - start }
        }, isInvalid)
        const expected = attempt(() => {
          const { item, end } = decodeFirstRlp(bytes)
          const size = item instanceof Uint8Array ? item.length : end - prefixOf(bytes)
          return { size, isList: !(item instanceof Uint8Array), content: end - size, end }
        }, isInvalid)
        expect(whole).toEqual(expected)
        if (whole !== 'refused')
          expect(show(listed(cursor, start, limit))).toEqual(show(decodeFirstRlp(bytes).item))
      }),
    )
  })
})

/** The length of the prefix of a list. */
function prefixOf([first]: Uint8Array): number {
  return first! < 0xf8 ? 1 : first! - 0xf6
}
