/** The canonical chain as a value: the hash at each number. */
import type { Hash } from '../../base/types.ts'

/** The hashes below the first number of a {@link Canonical}. @throws Missing if the hash is not loaded. */
export type EarlierHashes = (number: bigint) => Hash | undefined

/** What a {@link Canonical} begins with, if that is not the genesis block. */
export interface CanonicalStart {
  /** The number of the list's first hash. */
  readonly first: number
  /** The hashes before it. They never change. */
  readonly earlier: EarlierHashes
}

const FROM_GENESIS: CanonicalStart = { first: 0, earlier: () => undefined }

/** An append-only list of hashes, from genesis on or from a later block on. */
export class Canonical {
  readonly #hashes: Hash[]
  readonly #start: CanonicalStart
  /** How many of the shared list's hashes belong to this value. */
  readonly #length: number

  /** The chain of the first `length` hashes of a list, over what is before them. */
  constructor(hashes: Hash[], start = FROM_GENESIS, length = hashes.length) {
    this.#hashes = hashes
    this.#start = start
    this.#length = length
  }

  /** The number of blocks from genesis on. */
  get length(): number {
    return this.#start.first + this.#length
  }

  /** The hash at a number, or undefined beyond the head. @throws Missing if it is before the start and not loaded. */
  at(number: bigint): Hash | undefined {
    if (number < 0n || number >= BigInt(this.length)) return undefined
    const index = Number(number) - this.#start.first
    return index < 0 ? this.#start.earlier(number) : this.#hashes[index]
  }

  /** The hash at a number; undefined beyond the head and before the start. */
  sinceStart(number: bigint): Hash | undefined {
    return number < BigInt(this.#start.first) ? undefined : this.at(number)
  }

  /** The chain up to a block. @throws Missing if it is before the start and not loaded. */
  until(number: bigint): Canonical {
    const length = Number(number) + 1 - this.#start.first
    if (length > 0) return new Canonical(this.#hashes, this.#start, length)
    const { earlier } = this.#start
    return new Canonical([earlier(number)!], { first: Number(number), earlier })
  }

  /** The chain with one more block. The list is shared with this value, unless another value has appended to it. */
  append(hash: Hash): Canonical {
    const isNewest = this.#hashes.length === this.#length
    const hashes = isNewest ? this.#hashes : this.#hashes.slice(0, this.#length)
    hashes.push(hash)
    return new Canonical(hashes, this.#start)
  }
}
