import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TextDecoder, TextEncoder, Utf8Decoder, Utf8Encoder } from '../../src/base/textEncoding.ts'

/** Bytes that are often nearly well-formed: pieces of texts, cut and joined anywhere. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 64 }),
  fc
    .array(
      fc
        .tuple(fc.string({ unit: 'binary', maxLength: 4 }), fc.nat(4))
        .map(([text, cut]) => new globalThis.TextEncoder().encode(text).slice(cut)),
      { maxLength: 8 },
    )
    .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part]))),
)

function outcome(decode: () => string): string | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}

describe('textEncoding', () => {
  it("is the host's if it has one", () => {
    expect(TextEncoder).toBe(globalThis.TextEncoder)
    expect(TextDecoder).toBe(globalThis.TextDecoder)
  })

  it('encodes as the host does, including lone surrogates', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) }), (text) => {
        expect(new Utf8Encoder().encode(text)).toEqual(new globalThis.TextEncoder().encode(text))
      }),
    )
    expect(new Utf8Encoder().encode()).toEqual(new Uint8Array(0))
  })

  it('encodes into an existing array', () => {
    const target = new Uint8Array(4)
    new Utf8Encoder().encodeInto('0x', target)
    expect(target).toEqual(Uint8Array.of(48, 120, 0, 0))
  })

  it('decodes as the host does, including malformed bytes', () => {
    fc.assert(
      fc.property(bytes, (value) => {
        const fatal = { fatal: true }
        expect(new Utf8Decoder().decode(value)).toBe(new globalThis.TextDecoder().decode(value))
        expect(outcome(() => new Utf8Decoder('utf-8', fatal).decode(value))).toBe(
          outcome(() => new globalThis.TextDecoder('utf-8', fatal).decode(value)),
        )
      }),
      { numRuns: 2000 },
    )
    expect(new Utf8Decoder().decode()).toBe('')
  })

  it('decodes more bytes than a call may have arguments, and a part of a buffer', () => {
    const long = 'é'.repeat(300_000)
    expect(new Utf8Decoder().decode(new Utf8Encoder().encode(long))).toBe(long)
    expect(new Utf8Decoder().decode(Uint16Array.of(0x7830, 0x3130, 0xffff).subarray(0, 2))).toBe('0x01')
  })
})
