/**
 * `TextEncoder` and `TextDecoder` for hosts that lack them, such as jest-environment-jsdom. The build replaces the
 * globals with these in all built files, libraries included.
 */

const REPLACEMENT = 0xfffd
const BYTE_ORDER_MARK = 0xfeff
/** How many code points are converted in one call: as many arguments as every host accepts. */
const BATCH = 4096

/** The Encoding Standard's UTF-8 encoder. */
export class Utf8Encoder {
  encode(text = ''): Uint8Array<ArrayBuffer> {
    const bytes: number[] = []
    for (const character of text) {
      const point = character.codePointAt(0)!
      if (point < 0x80) bytes.push(point)
      // A lone surrogate has no encoding: U+FFFD takes its place.
      else if (point >= 0xd800 && point < 0xe000) bytes.push(0xef, 0xbf, 0xbd)
      else if (point < 0x800) bytes.push(0xc0 | (point >> 6), tail(point))
      else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), tail(point >> 6), tail(point))
      else bytes.push(0xf0 | (point >> 18), tail(point >> 12), tail(point >> 6), tail(point))
    }
    return Uint8Array.from(bytes)
  }

  encodeInto(text: string, target: Uint8Array): void {
    target.set(this.encode(text))
  }
}

/** The Encoding Standard's UTF-8 decoder; removes a byte order mark. */
export class Utf8Decoder {
  readonly #fatal: boolean

  /** @param options - `fatal`: malformed bytes are an error, not U+FFFD. */
  constructor(_label = 'utf-8', { fatal = false }: { readonly fatal?: boolean } = {}) {
    this.#fatal = fatal
  }

  /** @throws TypeError for malformed bytes if `fatal` is set. */
  decode(view: ArrayBufferView = new Uint8Array(0)): string {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
    const points: number[] = []
    for (let at = 0; at < bytes.length; ) {
      const { point, length } = readPoint(bytes, at)
      if (point === undefined && this.#fatal) throw new TypeError('The encoded data was not valid utf-8')
      points.push(point ?? REPLACEMENT)
      at += length
    }
    if (points[0] === BYTE_ORDER_MARK) points.shift()
    let text = ''
    for (let at = 0; at < points.length; at += BATCH)
      text += String.fromCodePoint(...points.slice(at, at + BATCH))
    return text
  }
}

function tail(point: number): number {
  return 0x80 | (point & 0x3f)
}

/** Reads the code point at `at` and its length; for malformed bytes undefined, and the number of bytes to skip. */
function readPoint(bytes: Uint8Array, at: number): { point: number | undefined; length: number } {
  const first = bytes[at]!
  if (first < 0x80) return { point: first, length: 1 }
  const tails = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3
  let point = first & (0x3f >> tails)
  for (let read = 1; read <= tails; read++) {
    const byte = bytes[at + read] ?? 0
    const [lowest, highest] = rangeAfter(first, read)
    if (byte < lowest || byte > highest) return { point: undefined, length: read }
    point = (point << 6) | (byte & 0x3f)
  }
  return tails === 0 ? { point: undefined, length: 1 } : { point, length: tails + 1 }
}

/** The lowest and the highest valid next byte: overlong forms and surrogates are malformed. */
function rangeAfter(first: number, place: number): readonly [lowest: number, highest: number] {
  if (place > 1) return [0x80, 0xbf]
  if (first === 0xe0) return [0xa0, 0xbf]
  if (first === 0xed) return [0x80, 0x9f]
  if (first === 0xf0) return [0x90, 0xbf]
  return first === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf]
}

const host = globalThis as unknown as {
  readonly TextEncoder?: typeof Utf8Encoder
  readonly TextDecoder?: typeof Utf8Decoder
}

/** The host's `TextEncoder`, or {@link Utf8Encoder} if it has none. */
export const TextEncoder = host.TextEncoder ?? Utf8Encoder
/** The host's `TextDecoder`, or {@link Utf8Decoder} if it has none. */
export const TextDecoder = host.TextDecoder ?? Utf8Decoder
