/**
 * A record of what happened on the chain, from its events and the times at which this page received them.
 *
 * Owns: the records of blocks and transactions. Does not own the chain, nor anything on the page.
 *
 *   transaction ─► waiting ─ preconf ─► preconfirmed, in a preconf block of the newest block ─ block ─► sealed
 *                     ▲                      │
 *                     └────── retracted ─────┘
 */
import type { Hash, PreconfBlock, PresealRpcTransaction, Retraction, SealedBlock } from 'preseal'
import type { RemoteChain } from 'preseal/worker'
import { toNumber } from './format.ts'

/** The stage of a transaction. */
export type Stage = 'waiting' | 'preconfirmed' | 'sealed' | 'dropped'

/** A recorded transaction; times are from `performance.now()`. */
export interface Transaction {
  readonly hash: Hash
  readonly from: string
  readonly to: string | null
  /** In wei. */
  readonly value: bigint
  readonly input: string
  readonly sentAt: number
  stage: Stage
  preconfirmedAt?: number
  sealedAt?: number
  block?: number
  /** Index of the preconf block that pre-confirmed it. */
  preconfIndex?: number
  /** Its index in the block. */
  position?: number
  gasUsed?: number
  reverted?: boolean
  /** Whether it was pre-confirmed and then withdrawn, at any time. */
  retracted?: boolean
}

/** A recorded block; all but the newest one are sealed. */
export interface Block {
  readonly number: number
  /** Changes with every preconf block until the block is sealed. */
  hash: Hash
  /** Index of the last preconf block. */
  preconfIndex: number
  /** The transactions that each preconf block added, from index 1 on: preconf block 0 has none. */
  readonly columns: Transaction[][]
  transactions: number
  gasUsed: number
  sealed: boolean
  /** Whether it was sealed under the hash of its last preconf block. */
  kept: boolean
  /** How many pre-confirmations were retracted while it was being built. */
  retracted: number
}

/** The fields that are deleted if a transaction is retracted. */
const PRECONF_FIELDS = ['preconfirmedAt', 'block', 'preconfIndex', 'position', 'gasUsed', 'reverted'] as const
const BLOCKS_KEPT = 40
const TRANSACTIONS_KEPT = 3000

/** See the file's header. */
export class Story {
  /** The oldest first. */
  readonly blocks: Block[] = []
  readonly waiting = new Set<Transaction>()
  /** Incremented by every event. */
  version = 0
  /** The last transaction that was sent. */
  last: Transaction | undefined
  /** When the last preconf block arrived. */
  preconfAt = 0
  readonly #transactions = new Map<Hash, Transaction>()
  readonly #sentAt = new Map<Hash, number>()

  /** The block that is being built or was sealed last; undefined before the first preconf block. */
  get newest(): Block | undefined {
    return this.blocks.at(-1)
  }

  /** All recorded transactions, the oldest first. */
  get transactions(): Iterable<Transaction> {
    return this.#transactions.values()
  }

  /** A recorded transaction. */
  get(hash: Hash): Transaction | undefined {
    return this.#transactions.get(hash)
  }

  /** The transactions of the last preconf block that added any, if they are not sealed yet. */
  get retractable(): readonly Transaction[] {
    const { sealed = true, columns = [] } = this.newest ?? {}
    return (sealed ? undefined : columns.findLast(({ length }) => length > 0)) ?? []
  }

  /** Records that this page is about to send a transaction. */
  sending(hash: Hash, at: number): void {
    this.#sentAt.set(hash, at)
  }

  /** Listens to a chain's events. */
  follow(chain: RemoteChain): void {
    chain.on('transaction', (transaction) => this.#record((at) => this.#accept(transaction, at)))
    chain.on('preconf', (preconf) => this.#record((at) => this.#preconfirm(preconf, at)))
    chain.on('block', (sealed) => this.#record((at) => this.#seal(sealed, at)))
    chain.on('retracted', (retraction) => this.#record(() => this.#withdraw(retraction)))
    chain.on('dropped', ({ hash }) => this.#record(() => this.#drop(hash)))
  }

  #record(change: (at: number) => void): void {
    this.version += 1
    change(performance.now())
  }

  #accept({ hash, from, to, value, input }: PresealRpcTransaction, at: number): Transaction {
    const transaction: Transaction = {
      hash,
      from,
      to,
      value: BigInt(value),
      input,
      sentAt: this.#sentAt.get(hash) ?? at,
      stage: 'waiting',
    }
    this.#sentAt.delete(hash)
    this.#transactions.set(hash, transaction)
    this.waiting.add(transaction)
    this.last = transaction
    return transaction
  }

  #preconfirm({ index, block: built, receipts }: PreconfBlock, at: number): void {
    const block = this.#blockOf(built.number, built.hash)
    this.preconfAt = at
    block.hash = built.hash
    block.preconfIndex = index
    block.gasUsed = toNumber(built.gasUsed)
    block.transactions = built.transactions.length
    while (block.columns.length < index) block.columns.push([])
    for (const [position, entry] of built.transactions.entries()) {
      const transaction = this.#transactions.get(entry.hash) ?? this.#accept(entry, at)
      if (transaction.stage !== 'waiting') continue
      const { gasUsed, status } = receipts[position]!
      Object.assign(transaction, {
        stage: 'preconfirmed',
        preconfirmedAt: at,
        block: block.number,
        preconfIndex: index,
        position,
        gasUsed: toNumber(gasUsed),
        reverted: status !== '0x1',
      })
      this.waiting.delete(transaction)
      block.columns.at(-1)!.push(transaction)
    }
  }

  #seal({ block: sealed }: SealedBlock, at: number): void {
    const block = this.#blockOf(sealed.number, sealed.hash)
    block.sealed = true
    block.kept = block.hash === sealed.hash
    for (const transaction of block.columns.flat()) {
      transaction.stage = 'sealed'
      transaction.sealedAt = at
    }
    this.#forget()
  }

  /** Sealed blocks are never withdrawn here, since this page does not request reorgs. */
  #withdraw({ transactions }: Retraction): void {
    const block = this.newest
    for (const hash of transactions) {
      const transaction = this.#transactions.get(hash)
      if (block === undefined || transaction?.preconfIndex === undefined) continue
      const column = block.columns[transaction.preconfIndex - 1]!
      column.splice(column.indexOf(transaction), 1)
      block.retracted += 1
      for (const key of PRECONF_FIELDS) delete transaction[key]
      transaction.stage = 'waiting'
      transaction.retracted = true
      this.waiting.add(transaction)
    }
  }

  #drop(hash: Hash): void {
    const transaction = this.#transactions.get(hash)
    if (transaction === undefined) return
    transaction.stage = 'dropped'
    this.waiting.delete(transaction)
  }

  #blockOf(quantity: string, hash: Hash): Block {
    const number = toNumber(quantity)
    let block = this.newest
    if (block?.number !== number) {
      block = {
        number,
        hash,
        preconfIndex: 0,
        columns: [],
        transactions: 0,
        gasUsed: 0,
        sealed: false,
        kept: false,
        retracted: 0,
      }
      this.blocks.push(block)
    }
    return block
  }

  #forget(): void {
    this.blocks.splice(0, this.blocks.length - BLOCKS_KEPT)
    for (const [hash, { stage }] of this.#transactions) {
      if (this.#transactions.size <= TRANSACTIONS_KEPT) break
      if (stage === 'sealed' || stage === 'dropped') this.#transactions.delete(hash)
    }
  }
}
