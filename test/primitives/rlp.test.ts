import { RLP } from '@ethereumjs/rlp'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesToHex } from '../../src/primitives/bytes.ts'
import {
  encodeRlp,
  isRlpWithin,
  type RlpItem,
  rlpListPrefix,
  rlpSize,
  rlpSizeOf,
} from '../../src/primitives/rlp.ts'

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
})
