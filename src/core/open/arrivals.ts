/**
 * Sends, from their handlers to the mempool: a signed transaction is decoded, its sender is recovered, and it is added.
 *
 *   sendRaw, a few at a time   decode ─► recover ─► enter                              at once
 *   sendRaw, dozens            queue ─► decode ─► recover, also in workers ─► enter    in the order in which they were sent
 *   send                       enter                                                   at once: it was signed here
 *
 * Each enters in its turn: after the changes and its sender's sends that arrived before it.
 *
 * Owns: the queue of those that wait, and this chain's use of the workers. Does not own the mempool.
 */

import type { Emitter } from '../../base/emitter.ts'
import type { Address, MaybePromise } from '../../base/types.ts'
import { beginWork, createYielder, whenLoaded } from '../../base/waiting.ts'
import {
  type DecodeTransaction,
  decodeFields,
  decodeTransaction,
  recoverSender,
  toTransaction,
} from '../../ethereum/decodeTransaction.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { PoolStore } from '../ledger/poolStore.ts'
import { BlobsRefusedError } from '../mempool/errors.ts'
import type { Dropped, Mempool } from '../mempool/mempool.ts'
import { addTogether } from '../mempool/requeue.ts'
import { DisconnectedError } from '../sequencer/errors.ts'
import type { Mining } from '../sequencer/mining.ts'
import type { SendTurn } from '../sequencer/order.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'
import { type Arrival, ArrivalQueue, type RecoveryParts } from './arrivalQueue.ts'
import type { Helpers } from './recoveryHelpers.ts'

/** As many transactions as must wait at once before workers are started for them. */
export const BURST = 24

/** The parts of a chain that sends need. */
export interface ArrivalParts extends RecoveryParts {
  readonly decode: DecodeTransaction
  /** Whether blob transactions are accepted. */
  readonly blobs: boolean
  readonly mempool: Mempool
  readonly sequencer: Pick<Sequencer, 'events' | 'wake'>
  readonly mining: Pick<Mining, 'automine' | 'sealEntered'>
  /** Undefined without a database. */
  readonly journal: PoolStore | undefined
  readonly transactions: Emitter<{ added: (transaction: Transaction) => void }>
}

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

  /**
   * Decodes a transaction, a blob transaction with its sidecar, and adds it to the mempool in its turn, which ends even if the
   * transaction is refused; in `auto` mining it resolves once the transaction is sealed.
   */
  readonly sendRaw = async (raw: Uint8Array, turn: SendTurn): Promise<Transaction> => {
    try {
      const changes = turn.afterChanges()
      if (changes !== undefined) await changes
      this.#coming += 1
      await undefined
      this.#coming -= 1
      // Another decoder recovers the sender itself. Blobs take much longer than a sender.
      const isPlain = this.#parts.decode === decodeTransaction && !this.#hasBlobs(raw)
      const isBurst = !this.#isAlone && this.#coming + 1 >= BURST
      let entered: MaybePromise<Transaction>
      if (isPlain && (isBurst || this.#queue.length > 0)) entered = this.#wait(raw, turn)
      else {
        const decoded = this.#decode(raw, (sender) => turn.name(sender))
        entered = this.#enter(decoded instanceof Promise ? await decoded : decoded, turn)
      }
      // Awaited even if it has entered, so that those that are sealed together share one run of the seal.
      return await this.#finish(await entered, turn)
    } catch (error) {
      turn.end()
      throw error
    }
  }

  /**
   * Adds a transaction to the mempool, synchronously, which ends its turn; in `auto` mining it resolves once the transaction is
   * sealed.
   *
   * @throws DisconnectedError if the turn was given up.
   */
  readonly send = async (tx: Transaction, turn: SendTurn): Promise<Transaction> => {
    await whenLoaded(() => this.#add(tx, turn))
    return this.#finish(tx, turn)
  }

  /**
   * Adds transactions to the mempool, all of them or none, which ends their turn; seals nothing.
   *
   * @throws DisconnectedError if the turn was given up.
   */
  readonly sendTogether = (transactions: readonly Transaction[], turn: SendTurn): void => {
    turn.check()
    this.#added(transactions, addTogether(this.#parts.mempool, transactions, undefined, turn.place), turn)
  }

  /** Decodes a transaction, a blob transaction with its sidecar. */
  readonly decode = async (raw: Uint8Array): Promise<Transaction> => this.#decode(raw)

  /** Resolves once a transaction that was added is stored, if the chain has a database. @throws DatabaseWriteError */
  readonly stored = (tx: Transaction): MaybePromise<void> => this.#parts.journal?.answer(tx)

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

  /**
   * Resolves once the transactions that wait for their senders now have had their turn in the queue; undefined unless so many
   * wait that turns of the event loop pass until then.
   */
  readonly #settled = (): Promise<unknown> | undefined => {
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
    const added = whenLoaded(() => this.#add(tx, turn))
    return added instanceof Promise ? added.then(() => tx) : tx
  }

  #add(tx: Transaction, turn: SendTurn): void {
    turn.check()
    this.#added([tx], this.#parts.mempool.add(tx, undefined, turn.place), turn)
  }

  /** Ends the turn of a send that is in the mempool, and emits its events: with a database, once it is stored. */
  #added(transactions: readonly Transaction[], displaced: readonly Dropped[], turn: SendTurn): void {
    const { sequencer, mining, journal, transactions: listeners } = this.#parts
    turn.enter(mining.automine)
    sequencer.wake()
    const onLost = (drops: readonly Dropped[]): void => {
      for (const { transaction, reason } of drops) sequencer.events.emit('dropped', transaction.hash, reason)
    }
    const announce = (): void => {
      onLost(displaced)
      for (const tx of transactions) listeners.emit('added', tx)
    }
    if (journal === undefined) announce()
    else journal.admitted({ transactions, displaced, announce, onLost }, this.#settled)
  }

  async #finish(tx: Transaction, turn: SendTurn): Promise<Transaction> {
    const { journal, mining } = this.#parts
    if (journal !== undefined) await journal.answer(tx)
    const sealed = mining.sealEntered(turn)
    if (sealed !== undefined) await sealed
    return tx
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
