/**
 * Brings sent transactions from their handlers to the mempool.
 *
 *   sendRaw   decode and recover the sender ─► its turn ─► send
 *   send      mempool.add ─► stored, with a database ─► sealed, in `auto` mining
 *
 * A send enters in its turn, after earlier changes and earlier sends of its sender. Owns nothing.
 */

import type { Emitter } from '../../base/emitter.ts'
import type { Address, MaybePromise } from '../../base/types.ts'
import { whenLoaded } from '../../base/waiting.ts'
import type { DecodeTransaction } from '../../ethereum/decodeTransaction.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { PoolStore } from '../ledger/poolStore.ts'
import { BlobsRefusedError } from '../mempool/errors.ts'
import type { Dropped, Mempool } from '../mempool/mempool.ts'
import { addTogether } from '../mempool/requeue.ts'
import type { Mining } from '../sequencer/mining.ts'
import type { SendTurn } from '../sequencer/order.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'

interface ArrivalParts {
  readonly decode: DecodeTransaction
  readonly mempool: Mempool
  readonly sequencer: Pick<Sequencer, 'tip' | 'events' | 'timer'>
  readonly mining: Pick<Mining, 'automine' | 'sealEntered'>
  readonly journal: PoolStore | undefined
  readonly transactions: Emitter<{ added: (transaction: Transaction) => void }>
}

/** See the file's header. */
export class Arrivals {
  readonly #parts: ArrivalParts

  constructor(parts: ArrivalParts) {
    this.#parts = parts
  }

  /**
   * Decodes a transaction, and sends it in its turn, which ends even if the transaction is refused. A blob transaction
   * comes with its sidecar.
   *
   * @param check - called in the turn; throws to refuse the transaction.
   * @throws TransactionRejectedError if the transaction is malformed or refused.
   * @throws DisconnectedError if the turn was given up.
   */
  readonly sendRaw = async (
    raw: Uint8Array,
    turn: SendTurn,
    check?: (tx: Transaction) => void,
  ): Promise<Transaction> => {
    try {
      await turn.afterChanges()
      const decoded = this.#decode(raw, turn)
      const tx = decoded instanceof Promise ? await decoded : decoded
      turn.name(tx.from)
      const earlier = turn.begin()
      if (earlier !== undefined) await earlier
      check?.(tx)
      return await this.send(tx, turn)
    } catch (error) {
      turn.end()
      throw error
    }
  }

  /**
   * Adds a transaction to the mempool, synchronously unless something must be loaded first, and ends its turn. In
   * `auto` mining, resolves when the transaction is sealed.
   *
   * @throws TransactionRejectedError if the mempool refuses the transaction.
   * @throws DisconnectedError if the turn was given up.
   */
  readonly send = async (tx: Transaction, turn: SendTurn): Promise<Transaction> => {
    const { mempool, journal, mining } = this.#parts
    // Awaited even if nothing had to be loaded: further sends enter meanwhile, and share one seal.
    await whenLoaded(() => {
      turn.check()
      this.#added([tx], mempool.add(tx, turn.place), turn)
    })
    if (journal !== undefined) await journal.answer(tx)
    const sealed = mining.sealEntered(turn)
    if (sealed !== undefined) await sealed
    return tx
  }

  /** Adds all of the transactions, or none, and ends their turn. Seals nothing. @throws DisconnectedError as `send`. */
  readonly sendTogether = (transactions: readonly Transaction[], turn: SendTurn): void => {
    turn.check()
    this.#added(transactions, addTogether(this.#parts.mempool, transactions, turn.place), turn)
  }

  readonly decode = async (raw: Uint8Array): Promise<Transaction> => this.#decode(raw)

  /** Resolves when an added transaction is stored; undefined without a database. @throws DatabaseWriteError */
  readonly stored = (tx: Transaction): MaybePromise<void> => this.#parts.journal?.answer(tx)

  /** @param turn - gets the sender of a blob transaction before the sidecar is verified, which is slow. */
  #decode(raw: Uint8Array, turn?: SendTurn): MaybePromise<Transaction> {
    const { decode, sequencer } = this.#parts
    const { base, preconf } = sequencer.tip
    const { crypto } = base.config
    const { rules } = preconf.env
    if (raw[0] !== 3 || !rules.fork.cancun) return decode(raw, rules, crypto)
    if (!base.options.blobs) throw new BlobsRefusedError()
    return import('../import/blobSidecar.ts').then(({ decodeBlobTransaction }) => {
      const onSender = (sender: Address) => turn?.name(sender)
      return decodeBlobTransaction(raw, sequencer.tip.preconf.env.rules, crypto, decode, onSender)
    })
  }

  /** Ends the turn of added transactions, and emits their events. With a database, emits them after they are stored. */
  #added(transactions: readonly Transaction[], displaced: readonly Dropped[], turn: SendTurn): void {
    const { sequencer, mining, journal, transactions: listeners } = this.#parts
    turn.enter(mining.automine)
    sequencer.timer.wake()
    const onLost = (drops: readonly Dropped[]): void => {
      for (const { transaction, reason } of drops) sequencer.events.emit('dropped', transaction.hash, reason)
    }
    const announce = (): void => {
      onLost(displaced)
      for (const tx of transactions) listeners.emit('added', tx)
    }
    if (journal === undefined) announce()
    else journal.admitted({ transactions, displaced, announce, onLost })
  }
}
