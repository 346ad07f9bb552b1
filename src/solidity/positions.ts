/** Positions in a source by their offset in bytes, as source maps state them. */
import { TextDecoder, TextEncoder } from '../primitives/textEncoding.ts'

/** A position as editors show it; both count from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Bytes that are converted at once: a number of arguments that every host accepts. */
const BATCH = 4096

/** The text of a source, addressed by bytes. */
export class SourceText {
  /** One character for each byte of the text. */
  readonly characters: string
  readonly #bytes: Uint8Array
  readonly #lines: number[] = [0]

  constructor(text: string) {
    this.#bytes = new TextEncoder().encode(text)
    const parts: string[] = []
    for (let at = 0; at < this.#bytes.length; at += BATCH) {
      parts.push(String.fromCharCode(...this.#bytes.subarray(at, at + BATCH)))
    }
    this.characters = parts.join('')
    for (const { index, 0: end } of this.characters.matchAll(/\r\n|\r|\n/g))
      this.#lines.push(index + end.length)
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
