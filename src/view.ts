/**
 * What an endpoint sees: the sealed chain, and on preconf the block under construction as its tail.
 *
 * The one place where block tags are resolved. A request captures the tip once, and everything it asks for is resolved
 * through that; no method knows which endpoint it serves. Owns nothing.
 */
import { createBlockHeader } from '@ethereumjs/block'
import { bytesToHex, hexToBytes, ZERO_HASH } from './bytes.ts'
import { HeaderNotFoundError, InvalidBlockRangeError, StateUnavailableError } from './errors.ts'
import { attributesOf, type PayloadAttributes, toBlockEnv } from './execution/attributes.ts'
import type { BlockEnv } from './execution/executor.ts'
import { blockSize, type Payload, type PayloadParent } from './execution/payload.ts'
import type { Faults, ShownPending } from './faults.ts'
import type { Block, Receipt } from './ledger/block.ts'
import type { PrunedBlock, SealedEntry, SealedPlace, TransactionPlace } from './ledger/ledger.ts'
import { indexLogs } from './ledger/ledger.ts'
import type { IndexedLog, LogQuery } from './ledger/logIndex.ts'
import { matchesFilter } from './ledger/logIndex.ts'
import type { Retraction } from './retraction.ts'
import type { ChainRules, Rules } from './rules.ts'
import type { StateReader } from './state/account.ts'
import type { StateTrie } from './state/stateTrie.ts'
import type { StateVersion } from './state/worldState.ts'
import type { Tip } from './tip.ts'
import type { Transaction } from './transaction.ts'
import type { Address, BlockTag, Hash, MaybePromise, ViewKind } from './types.ts'
import type { Pause } from './yielder.ts'

/** Where a block stands: by tag or by number. */
export type BlockPosition =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: bigint }

/** A block as a request names it. */
export type BlockReference =
  | BlockPosition
  | { readonly kind: 'hash'; readonly hash: Hash; readonly requireCanonical: boolean }

/** How a connection wants unnamed and pending things read. */
export interface ViewOptions {
  /** What a request that names no block means. */
  readonly defaultBlock: 'latest' | 'pending'
  /** Whether the pending nonce on preconf counts waiting transactions beside the pre-confirmed. */
  readonly pendingNonce: 'preconf' | 'pool'
}

/** Where a view reads from. */
export interface ViewSources {
  tip(): Tip
  /** Attributes of a block after the head whose context were fixed now. */
  candidateAttributes(head: Block): PayloadAttributes
  sealed(hash: Hash): SealedEntry | undefined
  pruned(hash: Hash): Promise<PrunedBlock | undefined>
  sealedTransaction(hash: Hash): SealedPlace | undefined
  /** See `WorldState.nonceRises`. */
  nonceRises(address: Address, nonce: bigint): Iterable<number>
  /** The first nonce from `from` on that is not used, and that nothing of the sender waits with. */
  contiguousNonce(address: Address, from: bigint): bigint
  /** Wei per gas of the block after this one. */
  nextBaseFee(block: PrunedBlock): bigint
  /** The Merkle tries of a state, put together anew. */
  rebuildStateTrie(state: StateVersion): StateTrie
  queryLogs(
    query: LogQuery,
    from: bigint,
    to: bigint,
    hashAt: (number: bigint) => Hash | undefined,
    pause: Pause,
    /** By default that of an answer. */
    limit?: number,
  ): MaybePromise<IndexedLog[]>
  readonly rules: ChainRules
  /** Blocks behind the head. */
  readonly finality: { readonly safe: number; readonly finalized: number }
  /** What preconf is made to show instead. */
  readonly faults: Pick<
    Faults,
    'pendingOf' | 'contextOf' | 'deliveriesOf' | 'shownRetraction' | 'missesReceipt'
  >
}

/** One block as a request sees it. */
export interface BlockView {
  /** A candidate is what `pending` names on standard: an empty block that has no number and no hash yet. */
  readonly kind: 'sealed' | 'preconf' | 'candidate'
  readonly block: PrunedBlock
  /** @throws StateUnavailableError for a block older than the history. */
  readonly receipts: readonly Receipt[]
  /** The state after the block. @throws StateUnavailableError for a block older than the history. */
  readonly state: StateReader
  /** Its Merkle tries. @throws StateUnavailableError for a block older than the history of roots. */
  readonly stateTrie: StateTrie
  /** What a call on this block executes in. */
  readonly env: BlockEnv
  /** The nonce of an account as this block shows it. */
  transactionCount(address: Address): bigint
}

/** A range of blocks that may end in the snapshot. */
export interface LogRange {
  readonly from: bigint
  readonly to: bigint
  /** Whether the snapshot's logs follow. */
  readonly pending: boolean
}

/** An endpoint's sight of the chain; see {@link View.capture}. */
export class View {
  readonly kind: ViewKind
  readonly #options: ViewOptions
  readonly #sources: ViewSources

  constructor(kind: ViewKind, options: ViewOptions, sources: ViewSources) {
    this.kind = kind
    this.#options = options
    this.#sources = sources
  }

  /** What one request sees: the tip of this moment, whatever happens meanwhile. */
  capture(): Sight {
    return new Sight(this.kind, this.#options, this.#sources)
  }

  /** The snapshot that was just published, as often as preconf tells of it, and as it does. */
  deliveries(payload: Payload): readonly Payload[] {
    const { faults, tip } = this.#sources
    return faults.deliveriesOf(payload, tip())
  }

  /** A retraction as this endpoint tells of it. */
  retracted(retraction: Retraction): Retraction {
    return this.kind === 'preconf' ? this.#sources.faults.shownRetraction(retraction) : retraction
  }

  /** Whether a request that sent a transaction is to miss its receipt; each time it is asked counts as one. */
  missesReceipt(): boolean {
    return this.kind === 'preconf' && this.#sources.faults.missesReceipt()
  }
}

/** One captured tip, seen from one endpoint. */
export class Sight {
  readonly tip: Tip
  readonly kind: ViewKind
  readonly #options: ViewOptions
  readonly #sources: ViewSources
  /** What `pending` names on preconf; undefined on standard. */
  readonly #shown: ShownPending | undefined
  /** See {@link Faults.contextOf}. */
  readonly #context: bigint | undefined

  constructor(kind: ViewKind, options: ViewOptions, sources: ViewSources) {
    this.kind = kind
    this.tip = sources.tip()
    this.#options = options
    this.#sources = sources
    if (kind === 'preconf') {
      this.#shown = sources.faults.pendingOf(this.tip)
      this.#context = sources.faults.contextOf(this.tip)
    }
  }

  /** The block under construction as this endpoint shows it; undefined where it shows none. */
  get snapshot(): Payload | undefined {
    return typeof this.#shown === 'bigint' ? undefined : this.#shown
  }

  /** The block a request names, or undefined where there is none; the connection's default where it names none. */
  find(reference: BlockReference | undefined): MaybePromise<BlockView | undefined> {
    if (reference === undefined) return this.#atTag(this.#options.defaultBlock)
    if (reference.kind === 'tag') return this.#atTag(reference.tag)
    if (reference.kind === 'number') return this.#atNumber(reference.number)
    return this.#atHash(reference.hash, reference.requireCanonical)
  }

  /** @throws HeaderNotFoundError where there is no such block. */
  async require(reference: BlockReference | undefined): Promise<BlockView> {
    const block = await this.find(reference)
    if (block === undefined) throw new HeaderNotFoundError()
    return block
  }

  /**
   * What an estimate is for: the block a request names. Where it names none, on standard the block to come, on the
   * head's state, since that is where the transaction will be executed.
   *
   * @throws HeaderNotFoundError where there is no such block.
   */
  async requireForEstimate(reference: BlockReference | undefined): Promise<BlockView> {
    return reference === undefined && this.kind === 'standard' ? this.#candidate() : this.require(reference)
  }

  /** The newest sealed block. */
  get head(): BlockView {
    return this.#sealedView(this.tip.head)
  }

  /** The block that waiting transactions are meant for: the newest snapshot, or on standard the candidate. */
  get pending(): BlockView {
    return this.kind === 'preconf' ? this.#preconfView(this.tip.preconf) : this.#candidate()
  }

  /** Where a transaction stands, as far as this endpoint shows it. */
  findTransaction(hash: Hash): (TransactionPlace & { readonly sealed: boolean }) | undefined {
    const block = this.snapshot?.block
    const index = block && transactionIndex(block, hash)
    if (block !== undefined && index !== undefined) return { block, index, sealed: false }
    let place = this.#sources.sealedTransaction(hash)
    while (place !== undefined && this.tip.canonical.at(place.block.number) !== place.block.hash) {
      place = place.older
    }
    return place && { block: place.block, index: place.index, sealed: true }
  }

  /** {@link findTransaction} by sender and nonce, as far back as the history goes. */
  findSent(sender: Address, nonce: bigint): (TransactionPlace & { readonly sealed: boolean }) | undefined {
    const pending = this.snapshot && sentIn(this.snapshot.block, sender, nonce, false)
    if (pending !== undefined) return pending
    // A nonce that a cheat has set back is used again: the newest use counts.
    for (const position of this.#sources.nonceRises(sender, nonce)) {
      const place = sentIn(this.#firstSealedFrom(position), sender, nonce, true)
      if (place !== undefined) return place
    }
    return undefined
  }

  /** {@link findWaiting} by sender and nonce. */
  findWaitingSent(sender: Address, nonce: bigint): Transaction | undefined {
    return this.tip.preconf.block.transactions.find((tx) => tx.from === sender && tx.nonce === nonce)
  }

  /** The nonce after everything of a sender that is pre-confirmed, or waits without a gap. */
  nextNonce(sender: Address): bigint {
    return this.#sources.contiguousNonce(sender, this.pending.state.account(sender)?.nonce ?? 0n)
  }

  /** A pre-confirmed transaction, where this endpoint shows it as waiting still. */
  findWaiting(hash: Hash): Transaction | undefined {
    const { block } = this.tip.preconf
    const index = transactionIndex(block, hash)
    return index === undefined ? undefined : block.transactions[index]
  }

  /**
   * What further blocks could be built on: the block a request names, or the head where that is a candidate only; and
   * the chain id they would have.
   *
   * @throws HeaderNotFoundError where there is no such block.
   * @throws StateUnavailableError for a block older than the history.
   */
  async requireParent(
    reference: BlockReference | undefined,
  ): Promise<PayloadParent & { readonly chainId: bigint }> {
    const view = await this.require(reference)
    const { chainId } = view.env.rules
    // Throws for a pruned block, whose receipts are gone with its state.
    const { kind, block, receipts } = view.kind === 'candidate' ? this.head : view
    const hashAt = (number: bigint) => this.tip.canonical.at(number)
    if (kind === 'preconf')
      return { block: { ...block, receipts }, state: view.state, stateTrie: view.stateTrie, hashAt, chainId }
    const entry = this.#sources.sealed(block.hash)
    // It was withdrawn since the tip was captured.
    if (entry === undefined) throw new StateUnavailableError()
    const { block: sealed, state, stateTrie } = entry
    // Roots are kept for fewer blocks than states.
    const trie = stateTrie ?? this.#sources.rebuildStateTrie(state)
    return { block: sealed, state, stateTrie: trie, hashAt, chainId }
  }

  /** The state a block starts from. @throws StateUnavailableError where its parent is older than the history. */
  stateBefore({ block }: BlockView): StateReader {
    const parent = this.#sources.sealed(bytesToHex(block.header.parentHash))
    if (parent === undefined) throw new StateUnavailableError()
    return parent.state
  }

  /** Wei per gas of the block after this one. */
  nextBaseFee(block: PrunedBlock): bigint {
    return this.#sources.nextBaseFee(block)
  }

  /** The newest sealed blocks, newest first, at most `count`. */
  recent(count: number): Block[] {
    const blocks: Block[] = []
    let entry: SealedEntry | undefined = this.tip.head
    while (entry !== undefined && blocks.length < count) {
      blocks.push(entry.block)
      const hash = this.tip.canonical.at(entry.block.number - 1n)
      entry = hash === undefined ? undefined : this.#sources.sealed(hash)
    }
    return blocks
  }

  /**
   * Resolves the ends of a range of logs, clipped to the chain; undefined where nothing can lie in it.
   * @throws InvalidBlockRangeError where it runs backwards.
   */
  logRange(from: BlockPosition | undefined, to: BlockPosition | undefined): LogRange | undefined {
    const head = this.tip.head.block.number
    const start = this.#position(from)
    const end = this.#position(to)
    if (typeof this.#shown === 'bigint' && (start === 'pending' || end === 'pending')) {
      return this.#sealedRange(start, end, this.#shown)
    }
    const first = start === 'pending' ? head + 1n : start
    if (end === 'pending') return { from: first, to: head, pending: first <= head + 1n }
    if (start === 'pending') {
      // `latest` ends before what is pending; only the snapshot's own number reaches it.
      return end > head ? { from: first, to: head, pending: true } : undefined
    }
    if (start > end) throw new InvalidBlockRangeError()
    return { from: start, to: end < head ? end : head, pending: end > head && start <= head + 1n }
  }

  /** Whether a position is the number of a block that this endpoint does not show yet. */
  isBeyond(position: BlockPosition | undefined): boolean {
    const newest = (this.snapshot ?? this.tip.head).block.number
    return position?.kind === 'number' && position.number > newest
  }

  /** Whether a range that ends at this position takes in what is pending. */
  endsInPending(to: BlockPosition | undefined): boolean {
    return this.#position(to) === 'pending'
  }

  /**
   * The logs of a range of blocks, sealed ones first, each once.
   *
   * @param limit - how many sealed logs there may be; by default as many as an answer holds.
   * @throws TooManyLogsError, StateUnavailableError
   */
  logs(query: LogQuery, range: LogRange, pause: Pause, limit?: number): MaybePromise<IndexedLog[]> {
    const { canonical } = this.tip
    const sealed =
      range.from > range.to
        ? []
        : this.#sources.queryLogs(query, range.from, range.to, (at) => canonical.at(at), pause, limit)
    return range.pending ? this.#withPendingLogs(sealed, query) : sealed
  }

  async #withPendingLogs(sealed: MaybePromise<IndexedLog[]>, query: LogQuery): Promise<IndexedLog[]> {
    return [...(await sealed), ...this.pendingLogs(query, 0)]
  }

  /** The snapshot's logs from transaction `first` on; none where this endpoint sees no snapshot. */
  pendingLogs(query: LogQuery, first: number): IndexedLog[] {
    if (this.snapshot === undefined) return []
    const logs = indexLogs(this.snapshot.block)
    return logs.filter((log) => log.transactionIndex >= first && matchesFilter(log, query))
  }

  /** {@link logRange} where `pending` is a sealed block: an end that is pending reads up to the head even so. */
  #sealedRange(start: bigint | 'pending', end: bigint | 'pending', pending: bigint): LogRange {
    const head = this.tip.head.block.number
    const from = start === 'pending' ? pending : start
    const to = end === 'pending' ? (start === 'pending' ? pending : head) : end
    return { from, to: to < head ? to : head, pending: false }
  }

  /** The first sealed block whose state is at this position or after it; the head where there is none. */
  #firstSealedFrom(position: number): Block {
    let first = this.tip.head
    let low = 0n
    while (low < first.block.number) {
      const middle = (low + first.block.number) / 2n
      const entry = this.#sources.sealed(this.tip.canonical.at(middle)!)
      if (entry !== undefined && entry.state.position >= position) first = entry
      else low = middle + 1n
    }
    return first.block
  }

  #position(position: BlockPosition = { kind: 'tag', tag: this.#options.defaultBlock }): bigint | 'pending' {
    if (position.kind === 'number') return position.number
    return position.tag === 'pending' ? 'pending' : this.#tagNumber(position.tag)
  }

  #tagNumber(tag: Exclude<BlockTag, 'pending'>): bigint {
    const head = this.tip.head.block.number
    if (tag === 'latest') return head
    if (tag === 'earliest') return 0n
    const behind = head - BigInt(this.#sources.finality[tag])
    return behind < 0n ? 0n : behind
  }

  #atTag(tag: BlockTag): MaybePromise<BlockView | undefined> {
    if (tag !== 'pending') return this.#atNumber(this.#tagNumber(tag))
    if (this.#shown === undefined) return this.#candidate()
    return typeof this.#shown === 'bigint'
      ? this.#atNumber(this.#shown)
      : this.#preconfView(this.#shown, this.#context)
  }

  #atNumber(number: bigint): MaybePromise<BlockView | undefined> {
    const { head, canonical } = this.tip
    if (number === head.block.number) return this.head
    if (number > head.block.number) {
      return number === this.snapshot?.block.number
        ? this.#preconfView(this.snapshot, this.#context)
        : undefined
    }
    return this.#sealedAt(canonical.at(number)!)
  }

  #atHash(hash: Hash, requireCanonical: boolean): MaybePromise<BlockView | undefined> {
    const { canonical, preconf, snapshots, previousSnapshots } = this.tip
    const entry = this.#sources.sealed(hash)
    if (entry !== undefined) {
      const isCanonical = canonical.at(entry.block.number) === hash
      return isCanonical || !requireCanonical ? this.#sealedView(entry) : undefined
    }
    // An endpoint that hides the newest, or its hash, finds none.
    if (this.#shown === preconf) {
      const snapshot = [...previousSnapshots, ...snapshots].find(({ block }) => block.hash === hash)
      if (snapshot !== undefined) return this.#preconfView(snapshot)
    }
    return this.#prunedView(hash)
  }

  /** @throws StateUnavailableError for a block older than the history. */
  #sealedBlock(number: bigint): Block {
    const entry = this.#sources.sealed(this.tip.canonical.at(number)!)
    if (entry === undefined) throw new StateUnavailableError()
    return entry.block
  }

  #sealedAt(hash: Hash): MaybePromise<BlockView | undefined> {
    const entry = this.#sources.sealed(hash)
    return entry === undefined ? this.#canonicalPrunedView(hash) : this.#sealedView(entry)
  }

  /** A block of this sight's chain that is nowhere any more was withdrawn since the tip was captured. */
  async #canonicalPrunedView(hash: Hash): Promise<BlockView> {
    const view = await this.#prunedView(hash)
    if (view === undefined) throw new StateUnavailableError()
    return view
  }

  #sealedView({ block, state, stateTrie, patches }: SealedEntry): BlockView {
    const toEnv = () => this.#callEnv(block)
    return {
      kind: 'sealed',
      block,
      receipts: block.receipts,
      state,
      get stateTrie() {
        // What was written since is not in the root that its header has.
        return present(patches === undefined ? stateTrie : undefined)
      },
      // Most of what is asked of a block executes nothing.
      get env() {
        return toEnv()
      },
      transactionCount: (address) => state.account(address)?.nonce ?? 0n,
    }
  }

  /** @param context - the number of another block, in whose context calls execute. */
  #preconfView({ block, state, stateTrie, env }: Payload, context?: bigint): BlockView {
    const toEnv = () => (context === undefined ? env : this.contextOf(this.#sealedBlock(context)))
    return {
      kind: 'preconf',
      block,
      receipts: block.receipts,
      state,
      stateTrie,
      get env() {
        return toEnv()
      },
      transactionCount: (address) => {
        const nonce = state.account(address)?.nonce ?? 0n
        return this.#options.pendingNonce === 'pool' ? this.#sources.contiguousNonce(address, nonce) : nonce
      },
    }
  }

  #candidate(): BlockView {
    const { block: head, state, stateTrie, patches } = this.tip.head
    const attributes = this.#sources.candidateAttributes(head)
    const env = toBlockEnv(
      this.#sources.rules,
      { block: head, hashAt: (at) => this.tip.canonical.at(at) },
      attributes,
    )
    return {
      kind: 'candidate',
      get block() {
        return candidateBlock(head, attributes, env)
      },
      receipts: [],
      state,
      get stateTrie() {
        return present(patches === undefined ? stateTrie : undefined)
      },
      env,
      // Pre-confirmed transactions do not show here, but they have used their nonces up.
      transactionCount: (address) =>
        this.#sources.contiguousNonce(address, state.account(address)?.nonce ?? 0n),
    }
  }

  async #prunedView(hash: Hash): Promise<BlockView | undefined> {
    const block = await this.#sources.pruned(hash)
    if (block === undefined || this.tip.canonical.at(block.number) !== hash) return undefined
    const unavailable = (): never => {
      throw new StateUnavailableError()
    }
    return {
      kind: 'sealed',
      block,
      get receipts() {
        return unavailable()
      },
      get state() {
        return unavailable()
      },
      get stateTrie() {
        return unavailable()
      },
      env: this.contextOf(block),
      transactionCount: unavailable,
    }
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

  /** Calls on the head have the id of the blocks to come, as what is written to its state shows there (decision 18). */
  #callRules({ hash, number, timestamp, header, rules }: Block): Rules {
    const { head, preconf } = this.tip
    const { chainId } = preconf.attributes
    if (chainId === rules.chainId || hash !== head.block.hash) return rules
    return this.#sources.rules.withChainId(chainId).at(number, timestamp, header.difficulty)
  }

  /** What a block's own transactions were executed in. */
  contextOf(block: PrunedBlock, rules = block.rules): BlockEnv {
    const { header, number } = block
    const attributes = attributesOf(header, rules.chainId)
    return {
      ...attributes,
      rules,
      number,
      difficulty: header.difficulty,
      blobBaseFee: header.excessBlobGas === undefined ? 0n : header.getBlobGasPrice(),
      blockHash: (at) => this.tip.canonical.at(at),
    }
  }
}

/** What calls on the head are executed in, by tip: most calls are made there, and until it moves nothing of it changes. */
const headEnvs = new WeakMap<Tip, BlockEnv>()

/** The empty trie is null; one that was let go of is undefined. */
function present(stateTrie: StateTrie | undefined): StateTrie {
  if (stateTrie === undefined) throw new StateUnavailableError()
  return stateTrie
}

function sentIn(
  block: Block,
  sender: Address,
  nonce: bigint,
  sealed: boolean,
): (TransactionPlace & { readonly sealed: boolean }) | undefined {
  const index = block.transactions.findIndex((tx) => tx.from === sender && tx.nonce === nonce)
  return index < 0 ? undefined : { block, index, sealed }
}

const indices = new WeakMap<Block, Map<Hash, number>>()

function transactionIndex(block: Block, hash: Hash): number | undefined {
  let index = indices.get(block)
  if (index === undefined) {
    index = new Map(block.transactions.map((tx, i) => [tx.hash, i]))
    indices.set(block, index)
  }
  return index.get(hash)
}

function candidateBlock(
  head: Block,
  attributes: PayloadAttributes,
  { number, rules }: BlockEnv,
): PrunedBlock {
  const header = createBlockHeader(
    {
      parentHash: hexToBytes(head.hash),
      coinbase: hexToBytes(attributes.coinbase),
      stateRoot: head.header.stateRoot,
      number,
      gasLimit: attributes.gasLimit,
      timestamp: attributes.timestamp,
      extraData: hexToBytes(attributes.extraData),
      mixHash: hexToBytes(attributes.prevRandao),
      baseFeePerGas: attributes.baseFee,
      ...(rules.fork.cancun && { excessBlobGas: head.header.calcNextExcessBlobGas(rules.common) }),
    },
    { common: rules.common },
  )
  return {
    header,
    hash: ZERO_HASH,
    number,
    timestamp: attributes.timestamp,
    rules,
    transactions: [],
    uncles: [],
    withdrawals: rules.fork.shanghai ? [] : undefined,
    size: blockSize(header, 0),
  }
}
