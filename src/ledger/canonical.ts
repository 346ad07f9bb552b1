/** The canonical chain as a value: the hash at each number. */
import type { Hash } from '../primitives/types.ts'

/** An append-only list of hashes from genesis on. */
export class Canonical {
  readonly #hashes: Hash[]
  /** How many of the shared list's hashes belong to this value. */
  readonly length: number

  /** The chain of the first `length` hashes, from genesis on. */
  constructor(hashes: Hash[], length = hashes.length) {
    this.#hashes = hashes
    this.length = length
  }

  /** The hash at a number, or undefined beyond the head. */
  at(number: bigint): Hash | undefined {
    return number >= 0n && number < BigInt(this.length) ? this.#hashes[Number(number)] : undefined
  }

  /** The chain up to a block. */
  until(number: bigint): Canonical {
    return new Canonical(this.#hashes, Number(number) + 1)
  }

  /** The chain with one more block. The list is shared with this value, unless another value has appended to it. */
  append(hash: Hash): Canonical {
    const hashes = this.#hashes.length === this.length ? this.#hashes : this.#hashes.slice(0, this.length)
    hashes.push(hash)
    return new Canonical(hashes)
  }
}
