/**
 * Sent batches of calls (EIP-5792), by id.
 *
 * Owns: the transactions of the last 1,000 batches. Does not own their status, which follows from the stages of the
 * transactions. The map is replaced, never modified, so that snapshots copy nothing.
 */

import { bigintToBytes32, concatBytes, hexToBytes } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Hash } from '../../base/types.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { DuplicateBatchError, UnknownBatchError } from './errors.ts'

const MAX_BATCHES = 1000

/** A batch of calls that was sent (EIP-5792). */
export interface Batch {
  /** Id of the chain on which it was sent. */
  readonly chainId: bigint
  /** Whether either all its calls take effect, in one block, or none. */
  readonly atomic: boolean
  /** One per call, in order. */
  readonly transactions: readonly Transaction[]
}

/** Keeps the batches sent on a chain, of all connections. */
export class Batches {
  readonly #crypto: Crypto
  #sent: ReadonlyMap<string, Batch> = new Map()

  constructor(crypto: Crypto) {
    this.#crypto = crypto
  }

  checkNew(id: string): void {
    if (this.#sent.has(id)) throw new DuplicateBatchError(id)
  }

  /** Records a batch and returns its id, by default from its hashes. @throws DuplicateBatchError */
  add(batch: Batch, id: string = this.#newId(batch)): string {
    this.checkNew(id)
    const sent = new Map(this.#sent).set(id, batch)
    const [oldest] = sent.keys()
    if (sent.size > MAX_BATCHES) sent.delete(oldest!)
    this.#sent = sent
    return id
  }

  get(id: string): Batch {
    const batch = this.#sent.get(id)
    if (batch === undefined) throw new UnknownBatchError(id)
    return batch
  }

  /** Removes a batch whose transactions could not be stored. */
  remove(id: string): void {
    if (!this.#sent.has(id)) return
    const sent = new Map(this.#sent)
    sent.delete(id)
    this.#sent = sent
  }

  /** Captures the batches; the returned function restores them. */
  capture(): () => void {
    const sent = this.#sent
    return () => {
      this.#sent = sent
    }
  }

  /** Derives an id from the hashes and a counter, since dropped transactions can be sent again in a new batch. */
  #newId({ transactions }: Batch): Hash {
    const hashes = transactions.map(({ hash }) => hexToBytes(hash))
    for (let before = 0n; ; before += 1n) {
      const id = this.#crypto.keccak256Hex(concatBytes(bigintToBytes32(before), ...hashes))
      if (!this.#sent.has(id)) return id
    }
  }
}
