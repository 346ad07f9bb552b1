/**
 * What has happened on the chain, as its events tell it, with the times at which this page learned of it.
 *
 * Owns: the blocks and transactions that are remembered. Does not own the chain, nor anything on the page.
 *
 *   transaction ─► waiting ─ preconf ─► preconfirmed, in a snapshot of the newest block ─ block ─► sealed
 *                     ▲                      │
 *                     └────── retracted ─────┘
 */
import type { Hash, PreconfBlock, Retraction, RpcTransaction, SealedBlock } from 'preseal'
import type { RemoteChain } from 'preseal/worker'
import { toNumber } from './format.ts'

/** Where a transaction stands. */
export type Stage = 'waiting' | 'preconfirmed' | 'sealed' | 'dropped'

/** A transaction as it is remembered; times are those of `performance.now()`. */
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
  /** Index of the snapshot that promised it. */
  snapshot?: number
  /** Its place in the block. */
  position?: number
  gasUsed?: number
  reverted?: boolean
  /** Whether it was promised and then withdrawn, at any time. */
  retracted?: boolean
}

/** A block as it is remembered: the newest one is still being built. */
export interface Block {
  readonly number: number
  /** Changes with every snapshot until the block is sealed. */
  hash: Hash
  /** Index of the last snapshot. */
  snapshot: number
  /** What each snapshot added, the first of which has index 1: none can be in snapshot 0. */
  readonly columns: Transaction[][]
  transactions: number
  gasUsed: number
  sealed: boolean
  /** Whether it was sealed under the hash of its last snapshot. */
  kept: boolean
  /** How many promises were broken while it was being built. */
  retracted: number
}

/** What no longer holds of a transaction whose promise is broken. */
const OF_A_PROMISE = ['preconfirmedAt', 'block', 'snapshot', 'position', 'gasUsed', 'reverted'] as const
const BLOCKS_KEPT = 40
const TRANSACTIONS_KEPT = 3000

/** See the file's header. */
export class Story {
  /** The oldest first. */
  readonly blocks: Block[] = []
  readonly waiting = new Set<Transaction>()
  /** Rises with everything that happens. */
  version = 0
  /** The one that was sent last. */
  last: Transaction | undefined
  /** When the last snapshot came. */
  heardAt = 0
  readonly #transactions = new Map<Hash, Transaction>()
  readonly #sentAt = new Map<Hash, number>()

  /** The block that is being built; none before the first snapshot was heard of. */
  get newest(): Block | undefined {
    return this.blocks.at(-1)
  }

  /** Everything that is remembered, the oldest first. */
  get transactions(): Iterable<Transaction> {
    return this.#transactions.values()
  }

  /** A remembered transaction. */
  get(hash: Hash): Transaction | undefined {
    return this.#transactions.get(hash)
  }

  /** What the last snapshot that brought anything promised, and is not sealed yet. */
  get promised(): readonly Transaction[] {
    const { sealed = true, columns = [] } = this.newest ?? {}
    return (sealed ? undefined : columns.findLast(({ length }) => length > 0)) ?? []
  }

  /** Notes that this page is about to send a transaction. */
  sending(hash: Hash, at: number): void {
    this.#sentAt.set(hash, at)
  }

  /** Listens to what a chain tells. */
  follow(chain: RemoteChain): void {
    chain.on('transaction', (told) => this.#hear((at) => this.#accept(told, at)))
    chain.on('preconf', (told) => this.#hear((at) => this.#promise(told, at)))
    chain.on('block', (told) => this.#hear((at) => this.#seal(told, at)))
    chain.on('retracted', (told) => this.#hear(() => this.#withdraw(told)))
    chain.on('dropped', ({ hash }) => this.#hear(() => this.#drop(hash)))
  }

  #hear(take: (at: number) => void): void {
    this.version += 1
    take(performance.now())
  }

  #accept(told: RpcTransaction, at: number): Transaction {
    const { hash, from, to, value, input } = told
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

  #promise({ index, block: told, receipts }: PreconfBlock, at: number): void {
    const block = this.#blockOf(told.number, told.hash)
    this.heardAt = at
    block.hash = told.hash
    block.snapshot = index
    block.gasUsed = toNumber(told.gasUsed)
    block.transactions = told.transactions.length
    while (block.columns.length < index) block.columns.push([])
    for (const [position, entry] of told.transactions.entries()) {
      const transaction = this.#transactions.get(entry.hash) ?? this.#accept(entry, at)
      if (transaction.stage !== 'waiting') continue
      const { gasUsed, status } = receipts[position]!
      Object.assign(transaction, {
        stage: 'preconfirmed',
        preconfirmedAt: at,
        block: block.number,
        snapshot: index,
        position,
        gasUsed: toNumber(gasUsed),
        reverted: status !== '0x1',
      })
      this.waiting.delete(transaction)
      block.columns.at(-1)!.push(transaction)
    }
  }

  #seal({ block: told }: SealedBlock, at: number): void {
    const block = this.#blockOf(told.number, told.hash)
    block.sealed = true
    block.kept = block.hash === told.hash
    for (const transaction of block.columns.flat()) {
      transaction.stage = 'sealed'
      transaction.sealedAt = at
    }
    this.#forget()
  }

  /** Nothing that is sealed is ever withdrawn here: this page asks for no other chain. */
  #withdraw({ transactions }: Retraction): void {
    const block = this.newest
    for (const hash of transactions) {
      const transaction = this.#transactions.get(hash)
      if (block === undefined || transaction?.snapshot === undefined) continue
      const column = block.columns[transaction.snapshot - 1]!
      column.splice(column.indexOf(transaction), 1)
      block.retracted += 1
      for (const key of OF_A_PROMISE) delete transaction[key]
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
        snapshot: 0,
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
