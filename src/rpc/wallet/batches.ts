/**
 * The batches of calls that were sent (EIP-5792), by their ids.
 *
 * Owns: which transactions the last 1,000 of them are. Does not own what has become of those, which is told by where
 * they stand. The map is replaced and never changed, so that snapshots copy nothing.
 */

import type { Crypto } from '../../crypto/crypto.ts'
import { bigintToBytes32, concatBytes, hexToBytes } from '../../primitives/bytes.ts'
import type { Hash } from '../../primitives/types.ts'
import type { Transaction } from '../../protocol/transaction.ts'
import { DuplicateBatchError, UnknownBatchError } from './errors.ts'

const REMEMBERED = 1000

/** A batch of calls. */
export interface Batch {
  /** Of the chain it was sent on. */
  readonly chainId: bigint
  /** Whether all of it takes effect in one block, or nothing. */
  readonly atomic: boolean
  /** One per call, in their order. */
  readonly transactions: readonly Transaction[]
}

/** See the file's header. */
export class Batches {
  readonly #crypto: Crypto
  #sent: ReadonlyMap<string, Batch> = new Map()
  #count = 0n

  constructor(crypto: Crypto) {
    this.#crypto = crypto
  }

  /** @throws DuplicateBatchError if the id is that of another batch. */
  checkNew(id: string): void {
    if (this.#sent.has(id)) throw new DuplicateBatchError(id)
  }

  /**
   * Takes note of a batch.
   *
   * @param id - by default one that no batch had before, and the same wherever the same was sent.
   * @returns its id.
   * @throws DuplicateBatchError if the id is that of another one.
   */
  add(batch: Batch, id: string = this.#newId(batch)): string {
    this.checkNew(id)
    const sent = new Map(this.#sent).set(id, batch)
    const [oldest] = sent.keys()
    if (sent.size > REMEMBERED) sent.delete(oldest!)
    this.#sent = sent
    this.#count += 1n
    return id
  }

  /** @throws UnknownBatchError */
  get(id: string): Batch {
    const batch = this.#sent.get(id)
    if (batch === undefined) throw new UnknownBatchError(id)
    return batch
  }

  /** Remembers the batches there are; the function it gives puts them back. */
  capture(): () => void {
    const [sent, count] = [this.#sent, this.#count]
    return () => {
      this.#sent = sent
      this.#count = count
    }
  }

  /** The same transactions can be sent again, if they were dropped: it is the count that makes it new. */
  #newId({ transactions }: Batch): Hash {
    const hashes = transactions.map(({ hash }) => hexToBytes(hash))
    return this.#crypto.keccak256Hex(concatBytes(bigintToBytes32(this.#count), ...hashes))
  }
}
