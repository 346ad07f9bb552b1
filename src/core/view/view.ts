/** What an endpoint shows: the sealed chain, and on preconf the block under construction after it. */

import { getOrInsert } from '../../base/collections.ts'
import type { Address, BlockTag, Hash, MaybePromise, ViewKind } from '../../base/types.ts'
import type { Pause } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import type { BlockEnv } from '../../ethereum/evm/executor.ts'
import type { Rules } from '../../ethereum/rules.ts'
import type { StateReader } from '../../ethereum/state/account.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import { updateStateTrie } from '../../ethereum/state/stateTrie.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { executedEnv, nextBaseFee, toBlockEnv } from '../block/attributes.ts'
import type { Payload, PayloadParent } from '../block/payload.ts'
import type { PrunedBlock, SealedEntry, TransactionPlace } from '../ledger/ledger.ts'
import { type IndexedLog, indexLogs, type LogQuery, matchesFilter } from '../ledger/logIndex.ts'
import type { Faults } from '../sequencer/faults.ts'
import type { Tip, TipRetraction } from '../sequencer/tip.ts'
import {
  type BlockView,
  CandidateBlockView,
  type NextNonce,
  PreconfBlockView,
  PrunedBlockView,
  SealedBlockView,
} from './blockView.ts'
import { HeaderNotFoundError, InvalidBlockRangeError } from './errors.ts'
import type { BlockPosition, BlockReference, ViewOptions, ViewSources } from './sources.ts'

/**
 * A captured tip as an endpoint shows it. A request captures the tip once and finds all blocks and transactions through
 * it, so that methods do not depend on the endpoint. Block tags are resolved here only.
 */
export class ViewedTip {
  readonly tip: Tip
  readonly kind: ViewKind
  readonly #options: ViewOptions
  readonly #sources: ViewSources
  /** `pending` on preconf: a preconf block, or the number of a sealed block. Undefined on standard. */
  readonly #shown: Payload | bigint | undefined
  /** The number of the block that provides the context of calls on `pending`; undefined for `pending` itself. */
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
    this.#sources = sources
    this.#shown = shown
    this.#context = context
  }

  /** The block under construction as this endpoint shows it; undefined if hidden. */
  get preconfBlock(): Payload | undefined {
    return typeof this.#shown === 'bigint' ? undefined : this.#shown
  }

  /** Finds the named or the default block. @throws StateUnavailableError if it was withdrawn since the capture. */
  find(reference: BlockReference | undefined): MaybePromise<BlockView | undefined> {
    if (reference === undefined) return this.#atTag(this.#options.defaultBlock)
    if (reference.kind === 'tag') return this.#atTag(reference.tag)
    if (reference.kind === 'number') return this.#atNumber(reference.number)
    return this.#atHash(reference.hash, reference.requireCanonical)
  }

  /** Returns the number of a named block or of the default block; undefined for the block under construction. */
  numberOf(position: BlockPosition | undefined): bigint | undefined {
    const end = this.#rangeEnd(position)
    if (end !== 'pending') return end
    return typeof this.#shown === 'bigint' ? this.#shown : undefined
  }

  /** Finds a block like {@link find}. @throws HeaderNotFoundError if there is none. */
  require(reference: BlockReference | undefined): MaybePromise<BlockView> {
    // No promise for a block in memory: almost every request about state comes through here.
    const block = this.find(reference)
    return block instanceof Promise ? block.then(existing) : existing(block)
  }

  /** Like {@link require}. The default on standard is the candidate: the transaction will be in the next block. */
  requireForEstimate(reference: BlockReference | undefined): MaybePromise<BlockView> {
    return reference === undefined && this.kind === 'standard' ? this.#candidate() : this.require(reference)
  }

  /** The newest sealed block. */
  get head(): BlockView {
    return this.#sealed(this.tip.head)
  }

  /** The block that waiting transactions follow: the newest preconf block, or on standard the candidate. */
  get pending(): BlockView {
    return this.kind === 'preconf' ? toPreconfView(this.tip.preconf) : this.#candidate()
  }

  /** Finds the block and index of a transaction that this view shows. @throws Missing if the database must be read. */
  findTransaction(hash: Hash): FoundTransaction | undefined {
    const recent = this.findRecent(hash)
    if (recent !== undefined) return recent
    const place = this.tip.base.ledger.findStored(hash)
    return place && this.#isCanonical(place.block) ? sealedAt(place) : undefined
  }

  /** Like {@link findTransaction}, without the transactions that only the database has. */
  findRecent(hash: Hash): FoundTransaction | undefined {
    const block = this.preconfBlock?.block
    const index = block && indexOf(block, hash)
    if (block !== undefined && index !== undefined) return { block, index, sealed: false }
    let place = this.tip.base.ledger.findTransaction(hash)
    while (place !== undefined && !this.#isCanonical(place.block)) place = place.older
    return place && sealedAt(place)
  }

  /** Finds a transaction by sender and nonce, as far back as the history goes. @throws Missing */
  findByNonce(sender: Address, nonce: bigint): FoundTransaction | undefined {
    const { tip, preconfBlock } = this
    const { world, ledger } = tip.base
    const pending = preconfBlock && findInBlock(preconfBlock.block, sender, nonce, false)
    if (pending !== undefined) return pending
    // After a cheat has lowered a nonce, two transactions may have the same one. The newest counts.
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

  /** Returns a pre-confirmed transaction. An endpoint that hides the preconf block shows the transaction as waiting. */
  findPending(hash: Hash): Transaction | undefined {
    const { block } = this.tip.preconf
    const index = indexOf(block, hash)
    return index === undefined ? undefined : block.transactions[index]
  }

  /** Returns a pre-confirmed transaction by sender and nonce; see {@link findPending}. */
  findPendingByNonce(sender: Address, nonce: bigint): Transaction | undefined {
    return this.tip.preconf.block.transactions.find((tx) => tx.from === sender && tx.nonce === nonce)
  }

  /** Returns the nonce after a sender's pre-confirmed transactions and the waiting ones that follow without a gap. */
  nextNonce(sender: Address): bigint {
    return this.#contiguousNonce(sender, this.pending.state.account(sender)?.nonce ?? 0n)
  }

  /**
   * Returns the named block as a parent to build on, with the chain id of the next blocks. For a candidate, returns the
   * head.
   *
   * @throws HeaderNotFoundError, StateUnavailableError
   */
  async requireParent(
    reference: BlockReference | undefined,
  ): Promise<PayloadParent & { readonly chainId: bigint }> {
    const view = await this.require(reference)
    const { chainId } = view.env.rules
    const { kind, executed: block } = view.kind === 'candidate' ? this.head : view
    const hashAt = this.#hashAt
    if (kind === 'preconf') return { block, state: view.state, stateTrie: view.stateTrie, hashAt, chainId }
    const { block: sealed, state, stateTrie } = this.#requireEntry(block.hash, block.number)
    // Computes a trie that was released: tries are kept for fewer blocks than states.
    const { config, world } = this.tip.base
    const trie =
      stateTrie ?? updateStateTrie(config.baseTrie ?? null, world.everythingAt(state), config.crypto)
    return { block: sealed, state, stateTrie: trie, hashAt, chainId }
  }

  /** Returns the state before a block. @throws StateUnavailableError if its parent is older than the history. */
  stateBefore({ block }: BlockView): StateReader {
    return this.#requireEntry(block.header.parentHash, block.number - 1n).state
  }

  /** Returns the context in which a block's own transactions were executed. */
  contextOf(block: PrunedBlock, rules = block.rules): BlockEnv {
    return executedEnv(block.header, rules, this.#hashAt)
  }

  /** Returns the base fee of the block after `block`, in wei per gas. */
  nextBaseFee(block: PrunedBlock): bigint {
    const { base, head, settings } = this.tip
    const { number, timestamp, header } = block
    const { fork } = base.config.rules.at(number + 1n, timestamp + 1n, header.difficulty)
    const set = block.hash === head.block.hash ? settings.nextBaseFee : undefined
    return fork.london ? (set ?? nextBaseFee(base.options, block)) : 0n
  }

  /** Returns up to `count` of the last sealed blocks, newest first, as far as the history reaches. */
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

  /** Resolves a range, clipped to the chain; undefined if no block is in it. @throws InvalidBlockRangeError */
  logRange(from: BlockPosition | undefined, to: BlockPosition | undefined): LogRange | undefined {
    const start = this.#rangeEnd(from)
    const end = this.#rangeEnd(to)
    const head = this.tip.head.block.number
    const pending = this.#shown
    if (typeof pending === 'bigint' && (start === 'pending' || end === 'pending')) {
      // A fault shows a sealed block as `pending`. A range from a number to `pending` still ends at the head.
      const first = start === 'pending' ? pending : start
      const last = end !== 'pending' ? end : start === 'pending' ? pending : head
      return { from: first, to: last < head ? last : head, pending: false }
    }
    const first = start === 'pending' ? head + 1n : start
    if (end === 'pending') return { from: first, to: head, pending: first <= head + 1n }
    if (start === 'pending') {
      // Only an end after the head includes the preconf block. From `pending` to `latest`, there is no block.
      return end > head ? { from: first, to: head, pending: true } : undefined
    }
    if (start > end) {
      // A range from a future block to `latest` is empty, not reversed.
      if (start > head) return undefined
      throw new InvalidBlockRangeError()
    }
    return { from: start, to: end < head ? end : head, pending: end > head && start <= head + 1n }
  }

  /** Returns whether a position is the number of a block that this endpoint does not show yet. */
  isBeyond(position: BlockPosition | undefined): boolean {
    const newest = (this.preconfBlock ?? this.tip.head).block.number
    return position?.kind === 'number' && position.number > newest
  }

  /** Returns whether the end of a range is `pending`, given or by default. */
  endsInPending(to: BlockPosition | undefined): boolean {
    return this.#rangeEnd(to) === 'pending'
  }

  /**
   * Returns the sealed logs of a range, then the logs of the shown preconf block.
   *
   * @throws TooManyLogsError for more than `limit` sealed logs; StateUnavailableError if the range begins before the
   *   history, since the missing logs would look like no logs.
   */
  logs(query: LogQuery, range: LogRange, limit: number, pause: Pause): MaybePromise<IndexedLog[]> {
    const { from, to, pending } = range
    const { base, canonical } = this.tip
    let sealed: MaybePromise<IndexedLog[]> = []
    if (from <= to) {
      // Checks that the first block is in the ledger: a revert to an older head does not restore pruned blocks.
      this.#requireEntry(canonical.at(from) ?? '0x', from)
      sealed = base.ledger.queryLogs(query, from, to, (at) => canonical.at(BigInt(at)), limit, pause)
    }
    if (!pending) return sealed
    return Promise.resolve(sealed).then((logs) => [...logs, ...this.pendingLogs(query)])
  }

  /** Returns the logs of the shown preconf block; empty if there is none. */
  pendingLogs(query: LogQuery): IndexedLog[] {
    if (this.preconfBlock === undefined) return []
    return indexLogs(this.preconfBlock.block).filter((log) => matchesFilter(log, query))
  }

  #rangeEnd(position: BlockPosition = { kind: 'tag', tag: this.#options.defaultBlock }): bigint | 'pending' {
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
    if (this.#shown === undefined) return this.#candidate()
    return typeof this.#shown === 'bigint' ? this.#atNumber(this.#shown) : this.#pending(this.#shown)
  }

  #atNumber(number: bigint): MaybePromise<BlockView | undefined> {
    const { base, head, canonical } = this.tip
    if (number === head.block.number) return this.head
    if (number > head.block.number) {
      return number === this.preconfBlock?.block.number ? this.#pending(this.preconfBlock) : undefined
    }
    const hash = canonical.at(number)!
    const entry = base.ledger.get(hash, number)
    return entry === undefined ? this.#requirePruned(hash) : this.#sealed(entry)
  }

  #atHash(hash: Hash, requireCanonical: boolean): MaybePromise<BlockView | undefined> {
    const { base, canonical, preconf, preconfBlocks, previousPreconfBlocks } = this.tip
    const entry = base.ledger.get(hash)
    if (entry !== undefined) {
      const isCanonical = canonical.at(entry.block.number) === hash
      return isCanonical || !requireCanonical ? this.#sealed(entry) : undefined
    }
    // Preconf blocks are found only if the endpoint shows the newest one unaltered. Only the newest is canonical.
    if (this.#shown === preconf) {
      const candidates = requireCanonical ? [preconf] : [...previousPreconfBlocks, ...preconfBlocks]
      const preconfBlock = candidates.find(({ block }) => block.hash === hash)
      if (preconfBlock !== undefined) return toPreconfView(preconfBlock)
    }
    return this.#pruned(hash)
  }

  /** @throws StateUnavailableError if the block was withdrawn since the capture. */
  async #requirePruned(hash: Hash): Promise<BlockView> {
    const view = await this.#pruned(hash)
    if (view === undefined) throw new StateUnavailableError()
    return view
  }

  async #pruned(hash: Hash): Promise<BlockView | undefined> {
    const { base, canonical } = this.tip
    const block = await base.ledger.getPruned(hash)
    if (block === undefined || canonical.at(block.number) !== hash) return undefined
    const entry = base.ledger.get(hash, block.number)
    return entry === undefined ? new PrunedBlockView(block, this.contextOf(block)) : this.#sealed(entry)
  }

  #sealed(entry: SealedEntry): BlockView {
    return new SealedBlockView(entry, (block) => this.#callEnv(block))
  }

  /** Shows a preconf block as `pending`. `pendingNonce` decides whether nonces count waiting transactions. */
  #pending(payload: Payload): BlockView {
    const context = this.#context
    const contextBlock = (number: bigint) => this.#requireEntry(this.tip.canonical.at(number)!, number).block
    const toEnv = context === undefined ? envOf : () => this.contextOf(contextBlock(context))
    return new PreconfBlockView(
      payload,
      toEnv,
      this.#options.pendingNonce === 'pool' ? this.#nextNonce : asIs,
    )
  }

  #candidate(): BlockView {
    const { base, head } = this.tip
    const attributes = this.#sources.sequencer.nextAttributes(this.tip)
    const env = toBlockEnv(base.config.rules, { block: head.block, hashAt: this.#hashAt }, attributes)
    return new CandidateBlockView(head, attributes, env, this.#nextNonce)
  }

  #isCanonical({ number, hash }: Block): boolean {
    return this.tip.canonical.at(number) === hash
  }

  /** Returns the first sealed block whose state is at this position or later; the head if there is none. */
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

  /** Returns the first nonce from `from` on that the sender has used in no included or waiting transaction. */
  #contiguousNonce(address: Address, from: bigint): bigint {
    const { sequencer, mempool } = this.#sources
    // The captured tip may be older than the mempool, so nonces used by now are skipped.
    const used = sequencer.tip.preconf.state.account(address)?.nonce ?? 0n
    return mempool.contiguousNonce(address, used > from ? used : from)
  }

  get #nextNonce(): NextNonce {
    return (address, nonce) => this.#contiguousNonce(address, nonce)
  }

  get #hashAt(): (number: bigint) => Hash | undefined {
    const { canonical } = this.tip
    return (number) => canonical.at(number)
  }

  #callEnv(block: Block): BlockEnv {
    if (block !== this.tip.head.block) return this.contextOf(block, this.#callRules(block))
    let env = headEnvs.get(this.tip)
    if (env === undefined) {
      env = this.contextOf(block, this.#callRules(block))
      headEnvs.set(this.tip, env)
    }
    return env
  }

  /** A new chain id already applies to calls on the head, like writes to the head's state (spec.md 18). */
  #callRules({ hash, number, timestamp, header, rules }: Block): Rules {
    const { base, head, preconf } = this.tip
    const { chainId } = preconf.attributes
    if (chainId === rules.chainId || hash !== head.block.hash) return rules
    return base.config.rules.withChainId(chainId).at(number, timestamp, header.difficulty)
  }
}

/** The context of calls on the head, by tip: most calls are on the head, and a tip has one context. */
const headEnvs = new WeakMap<Tip, BlockEnv>()

const envOf = ({ env }: Payload): BlockEnv => env
const asIs: NextNonce = (_address, nonce) => nonce

/** Shows a preconf block, regardless of waiting transactions. */
function toPreconfView(payload: Payload): BlockView {
  return new PreconfBlockView(payload, envOf, asIs)
}

function existing(block: BlockView | undefined): BlockView {
  if (block === undefined) throw new HeaderNotFoundError()
  return block
}

/** A range of blocks that may end in a preconf block. */
export interface LogRange {
  readonly from: bigint
  readonly to: bigint
  /** Whether the logs of the preconf block follow. */
  readonly pending: boolean
}

/** A transaction that a view shows, with its block and its index there. */
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

const indexBlock = ({ transactions }: Block) => new Map(transactions.map((tx, i) => [tx.hash, i]))

function indexOf(block: Block, hash: Hash): number | undefined {
  return getOrInsert(indices, block, indexBlock).get(hash)
}

/** Returns the stage of a transaction that is in no shown block. One in a hidden preconf block counts as waiting. */
export function toWaitingStage(stage: 'queued' | 'pending' | 'preconfirmed'): 'queued' | 'pending' {
  return stage === 'preconfirmed' ? 'pending' : stage
}

/** An endpoint's view of the chain, captured once per request. Faults change the shown blocks here only. */
export class View {
  readonly kind: ViewKind
  readonly #options: ViewOptions
  readonly #sources: ViewSources
  readonly #faults: Faults | undefined

  /** @param faults - given for the preconf view of a chain. */
  constructor(kind: ViewKind, options: ViewOptions, sources: ViewSources, faults?: Faults) {
    this.kind = kind
    this.#options = options
    this.#sources = sources
    this.#faults = faults
  }

  /** Captures the current tip for one request. Later changes do not affect it. */
  capture(): ViewedTip {
    const { tip } = this.#sources.sequencer
    const faults = this.#faults
    const shown = this.kind === 'preconf' ? (faults?.pendingOf(tip) ?? tip.preconf) : undefined
    return new ViewedTip(this.kind, tip, this.#options, this.#sources, shown, faults?.contextOf(tip))
  }

  /** Returns the preconf blocks that subscriptions receive when `payload` is published. */
  deliveries(payload: Payload): readonly Payload[] {
    return this.#faults?.deliveriesOf(payload, this.#sources.sequencer.tip) ?? [payload]
  }

  /** Returns a retraction as this view announces it. */
  retracted(retraction: TipRetraction): TipRetraction {
    return this.#faults?.shownRetraction(retraction) ?? retraction
  }

  /** Returns whether a request that sent a transaction misses its receipt. Each call counts as one request. */
  missesReceipt(): boolean {
    return this.#faults?.missesReceipt() ?? false
  }
}
