/** What an endpoint sees: the sealed chain, and on preconf the block under construction as its tail. */

import type { Address, BlockTag, Hash, MaybePromise, ViewKind } from '../../base/types.ts'
import type { Pause } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import type { BlockEnv } from '../../ethereum/evm/executor.ts'
import type { StateReader } from '../../ethereum/state/account.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import { updateStateTrie } from '../../ethereum/state/stateTrie.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { nextBaseFee } from '../block/attributes.ts'
import type { Payload, PayloadParent } from '../block/payload.ts'
import type { PrunedBlock, SealedEntry, TransactionPlace } from '../ledger/ledger.ts'
import { type IndexedLog, indexLogs, type LogQuery, matchesFilter } from '../ledger/logIndex.ts'
import type { Faults } from '../sequencer/faults.ts'
import type { Tip, TipRetraction } from '../sequencer/tip.ts'
import { type BlockView, BlockViews } from './blockView.ts'
import { HeaderNotFoundError, InvalidBlockRangeError } from './errors.ts'
import type { BlockPosition, BlockReference, ViewOptions, ViewSources } from './sources.ts'

/**
 * One captured tip, as an endpoint sees it: the one place that resolves block tags. A request captures the tip once and resolves all
 * blocks and transactions through it, so that methods do not depend on the endpoint.
 */
export class ViewedTip {
  readonly tip: Tip
  readonly kind: ViewKind
  readonly #options: ViewOptions
  readonly #blocks: BlockViews
  /** What `pending` names on preconf: a snapshot, or the number of a sealed block. Undefined on standard. */
  readonly #shown: Payload | bigint | undefined
  /** The number of the block in whose context calls on `pending` execute; undefined for `pending` itself. */
  readonly #context: bigint | undefined

  constructor(
    kind: ViewKind,
    tip: Tip,
    options: ViewOptions,
    sources: ViewSources,
    shown: Payload | bigint | undefined,
    context?: bigint,
  ) {
    this.kind = kind
    this.tip = tip
    this.#options = options
    this.#blocks = new BlockViews(tip, options, sources)
    this.#shown = shown
    this.#context = context
  }

  /** The block under construction as this endpoint shows it; undefined if it shows none. */
  get snapshot(): Payload | undefined {
    return typeof this.#shown === 'bigint' ? undefined : this.#shown
  }

  /** The block a request names, by default the connection's; undefined if there is no such block. */
  find(reference: BlockReference | undefined): MaybePromise<BlockView | undefined> {
    if (reference === undefined) return this.#atTag(this.#options.defaultBlock)
    if (reference.kind === 'tag') return this.#atTag(reference.tag)
    if (reference.kind === 'number') return this.#atNumber(reference.number)
    return this.#atHash(reference.hash, reference.requireCanonical)
  }

  /** The number a request names, by default the connection's block; undefined for a block under construction. */
  numberOf(position: BlockPosition | undefined): bigint | undefined {
    const end = this.#rangeEnd(position)
    if (end !== 'pending') return end
    return typeof this.#shown === 'bigint' ? this.#shown : undefined
  }

  /** @throws HeaderNotFoundError if there is no such block. */
  require(reference: BlockReference | undefined): MaybePromise<BlockView> {
    // Without a promise where the block is in memory: almost every request about state comes through here.
    const block = this.find(reference)
    return block instanceof Promise ? block.then(existing) : existing(block)
  }

  /**
   * The block of an estimate: the one a request names, by default the connection's, or on standard the candidate, in
   * whose context the transaction will be executed.
   *
   * @throws HeaderNotFoundError if there is no such block.
   */
  requireForEstimate(reference: BlockReference | undefined): MaybePromise<BlockView> {
    return reference === undefined && this.kind === 'standard'
      ? this.#blocks.candidate()
      : this.require(reference)
  }

  /** The newest sealed block. */
  get head(): BlockView {
    return this.#blocks.sealed(this.tip.head)
  }

  /** The block that waiting transactions would enter: the newest snapshot, or on standard the candidate. */
  get pending(): BlockView {
    return this.kind === 'preconf' ? this.#blocks.preconf(this.tip.preconf) : this.#blocks.candidate()
  }

  /** A transaction's block and index, if this view shows it. @throws Missing if the database has to be read. */
  findTransaction(hash: Hash): FoundTransaction | undefined {
    const recent = this.findRecent(hash)
    if (recent !== undefined) return recent
    const place = this.tip.base.ledger.findStored(hash)
    return place && this.#isCanonical(place.block) ? sealedAt(place) : undefined
  }

  /** {@link findTransaction} of one that was sent since the chain was started. */
  findRecent(hash: Hash): FoundTransaction | undefined {
    const { snapshot } = this
    const index = snapshot && indexOf(snapshot.block, hash)
    if (snapshot !== undefined && index !== undefined) return { block: snapshot.block, index, sealed: false }
    let place = this.tip.base.ledger.findTransaction(hash)
    while (place !== undefined && !this.#isCanonical(place.block)) place = place.older
    return place && sealedAt(place)
  }

  /** {@link findTransaction} by sender and nonce, as far back as the history goes. */
  findByNonce(sender: Address, nonce: bigint): FoundTransaction | undefined {
    const { tip, snapshot } = this
    const { world, ledger } = tip.base
    const pending = snapshot && findInBlock(snapshot.block, sender, nonce, false)
    if (pending !== undefined) return pending
    // A nonce can be used again after a cheat lowered it: the newest use counts.
    for (const position of world.nonceRises(sender, nonce)) {
      const place = findInBlock(this.#firstSealedFrom(position), sender, nonce, true)
      if (place !== undefined) return place
    }
    for (const number of ledger.storedNonceRises(sender, nonce)) {
      const block = ledger.get(tip.canonical.at(number)!, number)?.block
      const place = block && findInBlock(block, sender, nonce, true)
      if (place !== undefined) return place
    }
    return undefined
  }

  /** A pre-confirmed transaction; endpoints that do not show its block show it as waiting. */
  findPending(hash: Hash): Transaction | undefined {
    const { block } = this.tip.preconf
    const index = indexOf(block, hash)
    return index === undefined ? undefined : block.transactions[index]
  }

  /** {@link findPending} by sender and nonce. */
  findPendingByNonce(sender: Address, nonce: bigint): Transaction | undefined {
    return this.tip.preconf.block.transactions.find((tx) => tx.from === sender && tx.nonce === nonce)
  }

  /** The nonce after all transactions of a sender that are pre-confirmed, or wait without a gap. */
  nextNonce(sender: Address): bigint {
    return this.#blocks.contiguousNonce(sender, this.pending.state.account(sender)?.nonce ?? 0n)
  }

  /**
   * The parent of further blocks: the block a request names, or the head in place of a candidate; and the chain id that
   * those blocks would have.
   *
   * @throws HeaderNotFoundError if there is no such block.
   * @throws StateUnavailableError for a block older than the history.
   */
  async requireParent(
    reference: BlockReference | undefined,
  ): Promise<PayloadParent & { readonly chainId: bigint }> {
    const view = await this.require(reference)
    const { chainId } = view.env.rules
    const { kind, executed: block } = view.kind === 'candidate' ? this.head : view
    const hashAt = (number: bigint) => this.tip.canonical.at(number)
    if (kind === 'preconf') {
      return { block, state: view.state, stateTrie: view.stateTrie, hashAt, chainId }
    }
    const { block: sealed, state, stateTrie } = this.#requireEntry(block.hash, block.number)
    // Roots are kept for fewer blocks than states.
    const { config, world } = this.tip.base
    const trie =
      stateTrie ?? updateStateTrie(config.baseTrie ?? null, world.everythingAt(state), config.crypto)
    return { block: sealed, state, stateTrie: trie, hashAt, chainId }
  }

  /** The state a block starts from. @throws StateUnavailableError if its parent is older than the history. */
  stateBefore({ block }: BlockView): StateReader {
    return this.#requireEntry(block.header.parentHash, block.number - 1n).state
  }

  /** The block context that a block's own transactions were executed in. */
  contextOf(block: PrunedBlock): BlockEnv {
    return this.#blocks.contextOf(block)
  }

  /** Wei per gas of the block after this one. */
  nextBaseFee(block: PrunedBlock): bigint {
    const { base, head, settings } = this.tip
    const { number, timestamp, header } = block
    const { fork } = base.config.rules.at(number + 1n, timestamp + 1n, header.difficulty)
    const set = block.hash === head.block.hash ? settings.nextBaseFee : undefined
    return fork.london ? (set ?? nextBaseFee(base.options, block)) : 0n
  }

  /** The newest sealed blocks, newest first, at most `count`. */
  recent(count: number): Block[] {
    const blocks: Block[] = []
    let entry: SealedEntry | undefined = this.tip.head
    while (entry !== undefined && blocks.length < count) {
      blocks.push(entry.block)
      const number: bigint = entry.block.number - 1n
      const hash = this.tip.canonical.at(number)
      entry = hash === undefined ? undefined : this.tip.base.ledger.get(hash, number)
    }
    return blocks
  }

  /**
   * Resolves the ends of a range of logs, clipped to the chain; undefined if no block can lie in it.
   * @throws InvalidBlockRangeError if it runs backwards.
   */
  logRange(from: BlockPosition | undefined, to: BlockPosition | undefined): LogRange | undefined {
    return toLogRange(this.#rangeEnd(from), this.#rangeEnd(to), this.tip.head.block.number, this.#shown)
  }

  /** Whether a position is the number of a block that this endpoint does not show yet. */
  isBeyond(position: BlockPosition | undefined): boolean {
    const newest = (this.snapshot ?? this.tip.head).block.number
    return position?.kind === 'number' && position.number > newest
  }

  /** Whether a range that ends at this position includes the pending block. */
  endsInPending(to: BlockPosition | undefined): boolean {
    return this.#rangeEnd(to) === 'pending'
  }

  /**
   * The logs of a range of blocks, sealed ones first, each once.
   *
   * @param limit - the most sealed logs.
   * @throws TooManyLogsError
   * @throws StateUnavailableError for a block older than the history: pruned logs are not an empty result.
   */
  logs(query: LogQuery, range: LogRange, limit: number, pause: Pause): MaybePromise<IndexedLog[]> {
    const sealed = range.from > range.to ? [] : this.#sealedLogs(query, range, limit, pause)
    return range.pending ? this.#withPendingLogs(sealed, query) : sealed
  }

  #sealedLogs(
    query: LogQuery,
    { from, to }: LogRange,
    limit: number,
    pause: Pause,
  ): MaybePromise<IndexedLog[]> {
    const { base, canonical } = this.tip
    // A revert to an older head does not restore what was pruned.
    this.#requireEntry(canonical.at(from) ?? '0x', from)
    return base.ledger.queryLogs(query, from, to, (at) => canonical.at(BigInt(at)), limit, pause)
  }

  async #withPendingLogs(sealed: MaybePromise<IndexedLog[]>, query: LogQuery): Promise<IndexedLog[]> {
    return [...(await sealed), ...this.pendingLogs(query)]
  }

  /** The snapshot's logs; none if this endpoint shows no snapshot. */
  pendingLogs(query: LogQuery): IndexedLog[] {
    if (this.snapshot === undefined) return []
    return indexLogs(this.snapshot.block).filter((log) => matchesFilter(log, query))
  }

  #rangeEnd(position: BlockPosition = { kind: 'tag', tag: this.#options.defaultBlock }): LogRangeEnd {
    if (position.kind === 'number') return position.number
    return position.tag === 'pending' ? 'pending' : this.#tagNumber(position.tag)
  }

  #tagNumber(tag: Exclude<BlockTag, 'pending'>): bigint {
    const head = this.tip.head.block.number
    if (tag === 'latest') return head
    if (tag === 'earliest') return 0n
    const behind = head - BigInt(this.tip.base.options.finality[tag])
    return behind < 0n ? 0n : behind
  }

  #atTag(tag: BlockTag): MaybePromise<BlockView | undefined> {
    if (tag !== 'pending') return this.#atNumber(this.#tagNumber(tag))
    if (this.#shown === undefined) return this.#blocks.candidate()
    return typeof this.#shown === 'bigint'
      ? this.#atNumber(this.#shown)
      : this.#blocks.pending(this.#shown, this.#context)
  }

  #atNumber(number: bigint): MaybePromise<BlockView | undefined> {
    const { base, head, canonical } = this.tip
    if (number === head.block.number) return this.head
    if (number > head.block.number) {
      return number === this.snapshot?.block.number
        ? this.#blocks.pending(this.snapshot, this.#context)
        : undefined
    }
    const hash = canonical.at(number)!
    const entry = base.ledger.get(hash, number)
    return entry === undefined ? this.#requirePruned(hash) : this.#blocks.sealed(entry)
  }

  #atHash(hash: Hash, requireCanonical: boolean): MaybePromise<BlockView | undefined> {
    const { base, canonical, preconf, snapshots, previousSnapshots } = this.tip
    const entry = base.ledger.get(hash)
    if (entry !== undefined) {
      const isCanonical = canonical.at(entry.block.number) === hash
      return isCanonical || !requireCanonical ? this.#blocks.sealed(entry) : undefined
    }
    // An endpoint that hides the newest snapshot or its hash finds none. No block continues the others.
    if (this.#shown === preconf) {
      const candidates = requireCanonical ? [preconf] : [...previousSnapshots, ...snapshots]
      const snapshot = candidates.find(({ block }) => block.hash === hash)
      if (snapshot !== undefined) return this.#blocks.preconf(snapshot)
    }
    return this.#blocks.pruned(hash)
  }

  /** A block of the captured chain that is no longer stored has been withdrawn since. */
  async #requirePruned(hash: Hash): Promise<BlockView> {
    const view = await this.#blocks.pruned(hash)
    if (view === undefined) throw new StateUnavailableError()
    return view
  }

  #isCanonical({ number, hash }: Block): boolean {
    return this.tip.canonical.at(number) === hash
  }

  /** The first sealed block whose state is at this position or after it; the head if there is none. */
  #firstSealedFrom(position: number): Block {
    const { tip } = this
    const { ledger } = tip.base
    let first: SealedEntry = tip.head
    let low = ledger.first
    while (low < first.block.number) {
      const middle = (low + first.block.number) / 2n
      const hash = tip.canonical.sinceStart(middle)
      const entry = hash && ledger.get(hash)
      if (entry !== undefined && entry.state.position >= position) first = entry
      else low = middle + 1n
    }
    return first.block
  }

  #requireEntry(hash: Hash, number: bigint): SealedEntry {
    const entry = this.tip.base.ledger.get(hash, number)
    if (entry === undefined) throw new StateUnavailableError()
    return entry
  }
}

function existing(block: BlockView | undefined): BlockView {
  if (block === undefined) throw new HeaderNotFoundError()
  return block
}

// Block ranges of log requests.

/** A range of blocks that may end in the snapshot. */
export interface LogRange {
  readonly from: bigint
  readonly to: bigint
  /** Whether the snapshot's logs follow. */
  readonly pending: boolean
}

/** An end of a range: the number of a block, or the block under construction. */
export type LogRangeEnd = bigint | 'pending'

/**
 * A range of logs, clipped to the chain; undefined if no block can lie in it.
 *
 * @param pending - what `pending` names: a snapshot, or the number of a sealed block.
 * @throws InvalidBlockRangeError if it runs backwards, and begins at the head or before it.
 */
export function toLogRange(
  start: LogRangeEnd,
  end: LogRangeEnd,
  head: bigint,
  pending: Payload | bigint | undefined,
): LogRange | undefined {
  if (typeof pending === 'bigint' && (start === 'pending' || end === 'pending')) {
    return toSealedRange(start, end, head, pending)
  }
  const first = start === 'pending' ? head + 1n : start
  if (end === 'pending') return { from: first, to: head, pending: first <= head + 1n }
  if (start === 'pending') {
    // `latest` ends at the head; only a number beyond it includes the snapshot.
    return end > head ? { from: first, to: head, pending: true } : undefined
  }
  if (start > end) {
    // Nothing is there yet; `latest` is a number below the start then.
    if (start > head) return undefined
    throw new InvalidBlockRangeError()
  }
  return { from: start, to: end < head ? end : head, pending: end > head && start <= head + 1n }
}

/** The range if `pending` is a sealed block: a range from a number to `pending` still ends at the head. */
function toSealedRange(start: LogRangeEnd, end: LogRangeEnd, head: bigint, pending: bigint): LogRange {
  const from = start === 'pending' ? pending : start
  const to = end === 'pending' ? (start === 'pending' ? pending : head) : end
  return { from, to: to < head ? to : head, pending: false }
}

// Finds transactions by hash, or by sender and nonce.

/** A transaction's block, and its index there. */
export interface FoundTransaction extends TransactionPlace {
  /** False in the block under construction. */
  readonly sealed: boolean
}

function sealedAt({ block, index }: TransactionPlace): FoundTransaction {
  return { block, index, sealed: true }
}

function findInBlock(
  block: Block,
  sender: Address,
  nonce: bigint,
  sealed: boolean,
): FoundTransaction | undefined {
  const index = block.transactions.findIndex((tx) => tx.from === sender && tx.nonce === nonce)
  return index < 0 ? undefined : { block, index, sealed }
}

const indices = new WeakMap<Block, Map<Hash, number>>()

function indexOf(block: Block, hash: Hash): number | undefined {
  let index = indices.get(block)
  if (index === undefined) {
    index = new Map(block.transactions.map((tx, i) => [tx.hash, i]))
    indices.set(block, index)
  }
  return index.get(hash)
}

/** The stage of a transaction that a view finds in no block: one pre-confirmed in a hidden snapshot still waits. */
export function toWaitingStage(stage: 'queued' | 'pending' | 'preconfirmed'): 'queued' | 'pending' {
  return stage === 'preconfirmed' ? 'pending' : stage
}

// The views.

/** An endpoint's view of the chain, one capture per request. */
export class View {
  readonly kind: ViewKind
  protected readonly options: ViewOptions
  protected readonly sources: ViewSources

  constructor(kind: ViewKind, options: ViewOptions, sources: ViewSources) {
    this.kind = kind
    this.options = options
    this.sources = sources
  }

  /** Captures the current tip for one request; later changes do not affect it. */
  capture(): ViewedTip {
    const { kind, options, sources } = this
    const { tip } = sources.sequencer
    return new ViewedTip(kind, tip, options, sources, kind === 'preconf' ? tip.preconf : undefined)
  }

  /** The snapshots that subscriptions receive for one that was just published, one per delivery. */
  deliveries(payload: Payload): readonly Payload[] {
    return [payload]
  }

  /** A retraction as this view announces it. */
  retracted(retraction: TipRetraction): TipRetraction {
    return retraction
  }

  /** Whether a request that sent a transaction misses its receipt. */
  missesReceipt(): boolean {
    return false
  }
}

// The preconf view of a chain with faults: the one place where faults change what a view shows.

/** The preconf view, changed by the faults that are on. */
export class FaultyView extends View {
  readonly #faults: Faults

  constructor(options: ViewOptions, sources: ViewSources, faults: Faults) {
    super('preconf', options, sources)
    this.#faults = faults
  }

  override capture(): ViewedTip {
    const { options, sources } = this
    const { tip } = sources.sequencer
    const shown = this.#faults.pendingOf(tip)
    return new ViewedTip('preconf', tip, options, sources, shown, this.#faults.contextOf(tip))
  }

  override deliveries(payload: Payload): readonly Payload[] {
    return this.#faults.deliveriesOf(payload, this.sources.sequencer.tip)
  }

  override retracted(retraction: TipRetraction): TipRetraction {
    return this.#faults.shownRetraction(retraction)
  }

  /** Every call counts as one request. */
  override missesReceipt(): boolean {
    return this.#faults.missesReceipt()
  }
}
