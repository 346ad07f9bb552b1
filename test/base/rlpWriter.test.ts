import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bigintToBytes, bytesToHex, concatBytes } from '../../src/base/bytes.ts'
import { InvalidHexError } from '../../src/base/errors.ts'
import {
  copyRlp,
  encodeRlp,
  putByte,
  putHex,
  putInteger,
  putList,
  putString,
  type RlpItem,
  rlpMark,
  startRlp,
  writtenRlp,
} from '../../src/base/rlp.ts'

/** A string as bytes, as hex, or as an integer; or a list. */
type Value = Uint8Array | { readonly hex: Uint8Array } | bigint | readonly Value[]

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.constantFrom(0, 1, 0x7f, 0x80, 0xff).map((byte) => Uint8Array.of(byte)),
  // Beyond the size of the buffer at first.
  fc.constantFrom(255, 256, 5_000, 70_000).map((length) => new Uint8Array(length).fill(7)),
)
const integer = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc.nat().map(BigInt),
  fc
    .integer({ min: 0, max: 255 })
    .chain((bits) => fc.constantFrom(2n ** BigInt(bits), 2n ** BigInt(bits) - 1n)),
)
const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    bytes,
    bytes.map((hex) => ({ hex })),
    integer,
    fc.array(tie('value'), { maxLength: 5 }),
  ),
}))

function put(one: Value): void {
  if (typeof one === 'bigint') putInteger(one)
  else if (one instanceof Uint8Array) putString(one)
  else if ('hex' in one) putHex(bytesToHex(one.hex))
  else {
    const mark = rlpMark()
    for (const item of one.toReversed()) put(item)
    putList(mark)
  }
}

function toItem(one: Value): RlpItem {
  if (typeof one === 'bigint') return bigintToBytes(one)
  if (one instanceof Uint8Array) return one
  return 'hex' in one ? one.hex : one.map(toItem)
}

describe('rlpWriter', () => {
  test('what is written from its end equals what is encoded as a whole', () => {
    fc.assert(
      fc.property(value, (one) => {
        startRlp()
        put(one)
        expect(bytesToHex(copyRlp())).toBe(bytesToHex(encodeRlp(toItem(one))))
      }),
    )
  })

  test('a byte is written without a prefix', () => {
    startRlp()
    putInteger(1n)
    putList(0)
    putByte(0x81)
    expect(copyRlp()).toEqual(concatBytes(Uint8Array.of(0x81), encodeRlp([Uint8Array.of(1)])))
  })

  test('a copy stays when the next encoding is written', () => {
    startRlp()
    putInteger(300n)
    const copy = copyRlp()
    expect(writtenRlp()).toEqual(copy)
    startRlp()
    putInteger(77n)
    const written = writtenRlp().slice()
    expect([copy, written]).toEqual([encodeRlp(bigintToBytes(300n)), Uint8Array.of(77)])
  })

  test('a failure leaves nothing for the next encoding', () => {
    startRlp()
    putInteger(1n)
    expect(() => putHex('0xzz')).toThrow(InvalidHexError)
    startRlp()
    putInteger(2n)
    expect(writtenRlp()).toEqual(Uint8Array.of(2))
  })
})
