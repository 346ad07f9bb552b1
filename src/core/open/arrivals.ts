/**
 * Signed transactions on their way into the mempool: each is decoded, its sender is recovered, and it is added.
 *
 *   a few at a time   decode ─► recover ─► enter                                  at once
 *   dozens            queue ─► decode ─► recover, also in workers ─► enter        in the order in which they were sent
 *
 * Each enters in its turn: after the changes and its sender's sends that arrived before it.
 *
 * Owns: the queue of those that wait, and this chain's use of the workers. Does not own the mempool.
 */

import type { Address, MaybePromise } from '../../base/types.ts'
import { beginWork, createYielder, whenLoaded } from '../../base/waiting.ts'
import {
  decodeFields,
  decodeTransaction,
  recoverSender,
  toTransaction,
} from '../../ethereum/decodeTransaction.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { BlobsRefusedError } from '../mempool/errors.ts'
import { DisconnectedError } from '../sequencer/errors.ts'
import type { SendTurn } from '../sequencer/order.ts'
import { type Arrival, type ArrivalParts, ArrivalQueue } from './arrivalQueue.ts'
import type { Helpers } from './recoveryHelpers.ts'

/** As many transactions as must wait at once before workers are started for them. */
export const BURST = 24

/** See the file's header. */
export class Arrivals {
  readonly #parts: ArrivalParts
  readonly #queue = new ArrivalQueue()
  /** Transactions that wait for a microtask, so that those of the same turn are counted. */
  #coming = 0
  #draining = false
  /** Whether it is known that no worker can help. */
  #isAlone = false
  #helpers: Promise<Helpers | undefined> | undefined
  #closed = false

  constructor(parts: ArrivalParts) {
    this.#parts = parts
  }

  /** Decodes a transaction, a blob transaction with its sidecar, and adds it to the mempool in its turn. */
  async add(raw: Uint8Array, turn: SendTurn): Promise<Transaction> {
    const changes = turn.afterChanges()
    if (changes !== undefined) await changes
    this.#coming += 1
    await undefined
    this.#coming -= 1
    // Another decoder recovers the sender itself. Blobs take much longer than a sender.
    const isPlain = this.#parts.decode === decodeTransaction && !this.#hasBlobs(raw)
    const isBurst = !this.#isAlone && this.#coming + 1 >= BURST
    if (isPlain && (isBurst || this.#queue.length > 0)) return this.#wait(raw, turn)
    const decoded = this.#decode(raw, (sender) => turn.name(sender))
    return this.#enter(decoded instanceof Promise ? await decoded : decoded, turn)
  }

  /** Decodes transactions without adding them. @param raws - by block. */
  async decode(raws: readonly (readonly Uint8Array[])[]): Promise<Transaction[][]> {
    return Promise.all(raws.map((block) => Promise.all(block.map(async (raw) => this.#decode(raw)))))
  }

  /** Resolves after `earlier`, once the transactions that wait for their senders now have had their turn in the queue. */
  before(earlier: Promise<unknown>): Promise<unknown> {
    const settled = this.#settled()
    return settled === undefined ? earlier : Promise.all([settled, earlier])
  }

  /** Refuses those that wait, and ends the use of the workers. */
  async close(): Promise<void> {
    this.#closed = true
    while (this.#queue.length > 0) {
      const { reject, onAdmitted } = this.#queue.shift()
      reject(new DisconnectedError())
      onAdmitted?.()
    }
    await (await this.#helpers)?.close()
  }

  /** @param onSender - called with the sender as soon as it is known, if that is before the transaction is decoded. */
  #decode(raw: Uint8Array, onSender?: (sender: Address) => void): MaybePromise<Transaction> {
    const { decode, crypto } = this.#parts
    if (!this.#hasBlobs(raw)) return decode(raw, this.#parts.rules(), crypto)
    if (!this.#parts.blobs) throw new BlobsRefusedError()
    return import('../import/blobSidecar.ts').then(({ decodeBlobTransaction }) =>
      decodeBlobTransaction(raw, this.#parts.rules(), crypto, decode, onSender),
    )
  }

  /** Undefined unless so many wait that turns of the event loop pass until they are added. */
  #settled(): Promise<unknown> | undefined {
    if (this.#queue.length + this.#coming < (this.#draining ? 1 : BURST)) return undefined
    const last = () => {
      const arrival = this.#queue.last
      return (
        arrival &&
        new Promise<void>((resolve) => {
          const earlier = arrival.onAdmitted
          arrival.onAdmitted = () => {
            earlier?.()
            resolve()
          }
        })
      )
    }
    return this.#coming > 0 ? Promise.resolve().then(last) : last()
  }

  #hasBlobs(raw: Uint8Array): boolean {
    return raw[0] === 3 && this.#parts.rules().fork.cancun
  }

  #enter(tx: Transaction, turn: SendTurn): MaybePromise<Transaction> {
    turn.name(tx.from)
    const earlier = turn.begin()
    if (earlier !== undefined) return earlier.then(() => this.#enter(tx, turn))
    const entered = whenLoaded(() => this.#parts.enter(tx, turn))
    return entered instanceof Promise ? entered.then(() => tx) : tx
  }

  #wait(raw: Uint8Array, turn: SendTurn): Promise<Transaction> {
    const arrival = this.#queue.push(raw, turn)
    if (!this.#draining) void this.#drain()
    return arrival.entered
  }

  async #drain(): Promise<void> {
    this.#draining = true
    const end = beginWork()
    const pause = createYielder(this.#parts.clock)
    let helpers: Helpers | undefined
    this.#helpers ??= this.#loadHelpers()
    this.#helpers.then((loaded) => {
      helpers = loaded
    })
    // Those of the same turn are queued first.
    await undefined
    while (this.#queue.length > 0) {
      if (helpers?.areReady) await helpers.drain(this.#queue, this.#admit)
      else {
        this.#admit(this.#queue.shift())
        if (!this.#isAlone) await pause()
      }
    }
    this.#draining = false
    end()
  }

  /** Loaded on first use, since most chains never have so many transactions at once. */
  async #loadHelpers(): Promise<Helpers | undefined> {
    try {
      const { openHelpers } = await import('./recoveryHelpers.ts')
      const helpers = await openHelpers(this.#parts, () => this.#closed)
      this.#isAlone = helpers?.areNone !== false
      return helpers
    } catch {
      // A page that can no longer fetch the chunk goes on without it.
      this.#isAlone = true
      return undefined
    }
  }

  readonly #admit = ({ raw, turn, decoded, sender, resolve, reject, onAdmitted }: Arrival): void => {
    const { rules, crypto } = this.#parts
    try {
      const now = rules()
      const isCurrent = decoded?.rules === now
      const { fields, signed } = isCurrent ? decoded : decodeFields(raw, now, crypto)
      const from = isCurrent && sender !== undefined ? sender : recoverSender(signed, crypto)
      resolve(this.#enter(toTransaction(fields, from, false), turn))
    } catch (error) {
      reject(error as Error)
    }
    onAdmitted?.()
  }
}
