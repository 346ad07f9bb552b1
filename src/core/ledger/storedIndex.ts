/**
 * The hashes of the blocks before the start of a resumed chain, and of their transactions.
 *
 * Owns: what it has read of the database, in parts, which it keeps.
 */
import { Missing } from '../../base/missing.ts'
import type { Hash } from '../../base/types.ts'
import type { DatabaseFormat } from './format/databaseFormat.ts'

/** How many blocks a part has: as many as BLOCKHASH reaches. */
const PART = 256

interface Part {
  readonly hashes: readonly Hash[]
  /** The numbers of the blocks that have a transaction, ascending. */
  readonly transactions: ReadonlyMap<Hash, readonly number[]>
}

/** See the file's header. */
export class StoredIndex {
  readonly #format: DatabaseFormat
  /** The newest block when the chain started. */
  readonly #newest: number
  readonly #parts = new Map<number, Part>()

  constructor(format: DatabaseFormat, newest: number) {
    this.#format = format
    this.#newest = newest
  }

  /** The hash of a block. @throws Missing */
  readonly hashAt = (number: bigint): Hash => {
    const at = Number(number)
    return this.#part(Math.floor(at / PART)).hashes[at % PART]!
  }

  /** The number of the block with this hash, down to `first`; undefined if none has it. @throws Missing */
  numberOf(hash: Hash, first: number): number | undefined {
    for (let part = Math.floor(this.#newest / PART); part >= Math.floor(first / PART); part--) {
      const place = this.#part(part).hashes.indexOf(hash)
      if (place >= 0) return part * PART + place
    }
    return undefined
  }

  /** The numbers of the blocks that have a transaction, newest first, down to `first`. @throws Missing */
  *blocksWith(hash: Hash, first: number): Iterable<number> {
    for (let part = Math.floor(this.#newest / PART); part >= Math.floor(first / PART); part--) {
      const numbers = this.#part(part).transactions.get(hash) ?? []
      for (let i = numbers.length - 1; i >= 0; i--) if (numbers[i]! >= first) yield numbers[i]!
    }
  }

  /** Reads the parts with the blocks from `first` on. @throws DatabaseCorruptError if an entry is missing or damaged. */
  async read(first: number): Promise<void> {
    for (let part = Math.floor(first / PART); part <= Math.floor(this.#newest / PART); part++)
      await this.#read(part)
  }

  #part(part: number): Part {
    const read = this.#parts.get(part)
    if (read === undefined) throw new Missing(() => this.#read(part))
    return read
  }

  async #read(part: number): Promise<void> {
    if (this.#parts.has(part)) return
    const from = part * PART
    const blocks = await this.#format.indices(from, Math.min(from + PART - 1, this.#newest))
    const transactions = new Map<Hash, number[]>()
    for (const [i, block] of blocks.entries()) {
      for (const hash of block.transactions) {
        const numbers = transactions.get(hash)
        if (numbers === undefined) transactions.set(hash, [from + i])
        else numbers.push(from + i)
      }
    }
    this.#parts.set(part, { hashes: blocks.map(({ hash }) => hash), transactions })
  }
}
