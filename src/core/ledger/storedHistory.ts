/**
 * The blocks before the start of a resumed chain that are within its history.
 *
 * Owns: which they are, and the bloom filters it has read of them. Blocks that were read belong to the ledger.
 */
import type { Hash, Hex } from '../../base/types.ts'
import type { StoredBlock } from '../../ethereum/block.ts'
import { EMPTY_BLOOM } from '../../ethereum/header.ts'
import { DatabaseCorruptError } from './errors.ts'
import type { DatabaseFormat } from './format/databaseFormat.ts'
import { StoredIndex } from './storedIndex.ts'
import { type StoredBase, StoredVersions } from './storedVersions.ts'

/** See the file's header. */
export class StoredHistory {
  readonly format: DatabaseFormat
  readonly index: StoredIndex
  readonly versions: StoredVersions
  readonly #blooms = new Map<Hash, Hex>()

  /** @param first - the oldest block within the history. */
  constructor(format: DatabaseFormat, base: StoredBase, first: number) {
    this.format = format
    this.index = new StoredIndex(format, base.number)
    this.versions = new StoredVersions(format, base, first)
  }

  /** Whether a block is one of these. */
  has(number: number): boolean {
    return number >= this.versions.first && number < this.versions.base.number
  }

  /**
   * The bloom filter of a block's logs; undefined if the block was withdrawn or has left the history.
   *
   * @throws DatabaseCorruptError if it is missing.
   */
  async bloomOf(
    hash: Hash,
    number: number,
    read: (hash: Hash) => Promise<Pick<StoredBlock, 'header'> | undefined>,
  ): Promise<Hex | undefined> {
    const known = this.#blooms.get(hash)
    if (known !== undefined) return known
    const bloom = (await read(hash))?.header.logsBloom
    if (bloom === undefined) {
      if (this.has(number)) throw new DatabaseCorruptError(`block ${number}`)
      return undefined
    }
    this.#blooms.set(hash, bloom === EMPTY_BLOOM ? EMPTY_BLOOM : bloom)
    return bloom
  }
}
