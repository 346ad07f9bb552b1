import type { Hash } from '../../base/types.ts'

/** The start of a {@link Canonical} that does not begin at genesis. */
interface CanonicalStart {
  /** The number of the first hash in the list. */
  readonly first: number
  /** Returns the hash at a number before `first`, always the same. @throws Missing if the hash is not loaded */
  readonly earlier: (number: bigint) => Hash | undefined
}

const FROM_GENESIS: CanonicalStart = { first: 0, earlier: () => undefined }

/** The canonical chain as an immutable value: the hash at each number. Values share an append-only list. */
export class Canonical {
  readonly #hashes: Hash[]
  readonly #start: CanonicalStart
  /** How many hashes of the shared list belong to this value. */
  readonly #length: number

  constructor(hashes: Hash[], start = FROM_GENESIS, length = hashes.length) {
    this.#hashes = hashes
    this.#start = start
    this.#length = length
  }

  /** The number of blocks, counted from genesis. */
  get length(): number {
    return this.#start.first + this.#length
  }

  /** Returns the hash at a number; undefined beyond the head. @throws Missing if the hash is not loaded */
  at(number: bigint): Hash | undefined {
    if (number < 0n || number >= BigInt(this.length)) return undefined
    const index = Number(number) - this.#start.first
    return index < 0 ? this.#start.earlier(number) : this.#hashes[index]
  }

  /** Returns the hash at a number; undefined beyond the head and before the start. */
  sinceStart(number: bigint): Hash | undefined {
    return number < BigInt(this.#start.first) ? undefined : this.at(number)
  }

  /** Returns the chain up to a block, included. @throws Missing if the block is before the start and not loaded */
  until(number: bigint): Canonical {
    const length = Number(number) + 1 - this.#start.first
    if (length > 0) return new Canonical(this.#hashes, this.#start, length)
    const { earlier } = this.#start
    return new Canonical([earlier(number)!], { first: Number(number), earlier })
  }

  /** Returns the chain with one more block. Copies the list if a sibling has appended to it. */
  append(hash: Hash): Canonical {
    const isNewest = this.#hashes.length === this.#length
    const hashes = isNewest ? this.#hashes : this.#hashes.slice(0, this.#length)
    hashes.push(hash)
    return new Canonical(hashes, this.#start)
  }
}
