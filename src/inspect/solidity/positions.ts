/** Positions in a source by their offset in bytes, as source maps state them. */
import { TextDecoder, TextEncoder } from '../../base/textEncoding.ts'

/** A position as editors show it; both count from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Bytes that are converted at once: a number of arguments that every host accepts. */
const BATCH = 4096

const [LF, CR] = [0x0a, 0x0d] as const

/** The text of a source, addressed by bytes. */
export class SourceText {
  /** One character for each byte of the text. */
  readonly characters: string
  readonly #bytes: Uint8Array
  readonly #lines: number[] = [0]

  constructor(text: string) {
    this.#bytes = new TextEncoder().encode(text)
    // In most sources each character is one byte.
    this.characters = this.#bytes.length === text.length ? text : toCharacters(this.#bytes)
    for (let at = 0; at < this.#bytes.length; at++) {
      const isEnd = this.#bytes[at] === LF || (this.#bytes[at] === CR && this.#bytes[at + 1] !== LF)
      if (isEnd) this.#lines.push(at + 1)
    }
  }

  /** The position of a byte; undefined beyond the text. */
  positionOf(offset: number): Position | undefined {
    if (offset < 0 || offset > this.#bytes.length) return undefined
    let [low, high] = [0, this.#lines.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#lines[middle]! <= offset) low = middle
      else high = middle
    }
    const before = new TextDecoder().decode(this.#bytes.subarray(this.#lines[low]!, offset))
    return { line: low + 1, column: before.length + 1 }
  }
}

function toCharacters(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += BATCH) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + BATCH)))
  }
  return parts.join('')
}
