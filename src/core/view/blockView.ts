/** Blocks as a view shows them: sealed, under construction, candidate or pruned. */

import { ZERO_HASH } from '../../base/bytes.ts'
import type { Address, Hash } from '../../base/types.ts'
import type { Block } from '../../ethereum/block.ts'
import type { BlockEnv } from '../../ethereum/evm/executor.ts'
import { measureHeader } from '../../ethereum/header.ts'
import type { Rules } from '../../ethereum/rules.ts'
import type { StateReader } from '../../ethereum/state/account.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import type { StateTrie } from '../../ethereum/state/stateTrie.ts'
import {
  blockSize,
  buildHeader,
  executedEnv,
  type PayloadAttributes,
  toBlockEnv,
} from '../block/attributes.ts'
import type { Payload } from '../block/payload.ts'
import type { PrunedBlock, SealedEntry } from '../ledger/ledger.ts'
import type { Tip } from '../sequencer/tip.ts'
import type { ViewOptions, ViewSources } from './sources.ts'

/** A block as a view shows it. */
export interface BlockView {
  /** A candidate is the `pending` block of the standard endpoint: an empty block, shown without number and hash. */
  readonly kind: 'sealed' | 'preconf' | 'candidate'
  readonly block: PrunedBlock
  /** The block with its receipts. @throws StateUnavailableError for a block older than the history. */
  readonly executed: Block
  /** The state after the block. @throws StateUnavailableError for a block older than the history. */
  readonly state: StateReader
  /**
   * The state trie.
   *
   * @throws StateUnavailableError if the block is older than `history.proofs`, or if a cheat changed its state.
   */
  readonly stateTrie: StateTrie
  /** The context of calls on this block. */
  readonly env: BlockEnv
  /** Returns the nonce of an account as this block shows it. */
  transactionCount(address: Address): bigint
}

// Classes: each request creates a view, and an object literal with a getter takes a microsecond.

class SealedBlockView implements BlockView {
  readonly kind = 'sealed'
  readonly block: Block
  readonly state: StateReader
  readonly #entry: SealedEntry
  readonly #toEnv: (block: Block) => BlockEnv

  constructor(entry: SealedEntry, toEnv: (block: Block) => BlockEnv) {
    this.block = entry.block
    this.state = entry.state
    this.#entry = entry
    this.#toEnv = toEnv
  }

  get executed(): Block {
    return this.block
  }

  get stateTrie(): StateTrie {
    return unpatchedTrie(this.#entry)
  }

  // Created only when it is read: most requests about a block execute nothing.
  get env(): BlockEnv {
    return this.#toEnv(this.block)
  }

  transactionCount(address: Address): bigint {
    return nonceOf(this.state, address)
  }
}

class PreconfBlockView implements BlockView {
  readonly kind = 'preconf'
  readonly block: Block
  readonly state: StateReader
  readonly #payload: Payload
  readonly #toEnv: (payload: Payload) => BlockEnv
  readonly #nextNonce: ((address: Address, nonce: bigint) => bigint) | undefined

  /** @param nextNonce - returns the nonce after waiting transactions too; undefined if they do not count. */
  constructor(
    payload: Payload,
    toEnv: (payload: Payload) => BlockEnv,
    nextNonce: ((address: Address, nonce: bigint) => bigint) | undefined,
  ) {
    this.block = payload.block
    this.state = payload.state
    this.#payload = payload
    this.#toEnv = toEnv
    this.#nextNonce = nextNonce
  }

  get executed(): Block {
    return this.block
  }

  get stateTrie(): StateTrie {
    return this.#payload.commitment.stateTrie
  }

  get env(): BlockEnv {
    return this.#toEnv(this.#payload)
  }

  transactionCount(address: Address): bigint {
    const nonce = nonceOf(this.state, address)
    return this.#nextNonce === undefined ? nonce : this.#nextNonce(address, nonce)
  }
}

class CandidateBlockView implements BlockView {
  readonly kind = 'candidate'
  readonly state: StateReader
  readonly env: BlockEnv
  readonly #head: SealedEntry
  readonly #attributes: PayloadAttributes
  readonly #nextNonce: (address: Address, nonce: bigint) => bigint

  constructor(
    head: SealedEntry,
    attributes: PayloadAttributes,
    env: BlockEnv,
    nextNonce: (address: Address, nonce: bigint) => bigint,
  ) {
    this.state = head.state
    this.env = env
    this.#head = head
    this.#attributes = attributes
    this.#nextNonce = nextNonce
  }

  get block(): Block {
    return candidateBlock(this.#head.block, this.#attributes, this.env)
  }

  get executed(): Block {
    return this.block
  }

  get stateTrie(): StateTrie {
    return unpatchedTrie(this.#head)
  }

  /** Counts pre-confirmed and waiting transactions, though the candidate shows none. */
  transactionCount(address: Address): bigint {
    return this.#nextNonce(address, nonceOf(this.state, address))
  }
}

/** Creates the block views of a captured tip. Owns nothing. */
export class BlockViews {
  readonly #tip: Tip
  readonly #options: ViewOptions
  readonly #sources: ViewSources

  constructor(tip: Tip, options: ViewOptions, sources: ViewSources) {
    this.#tip = tip
    this.#options = options
    this.#sources = sources
  }

  sealed(entry: SealedEntry): BlockView {
    return new SealedBlockView(entry, (block) => this.#callEnv(block))
  }

  /** Shows a preconf block, regardless of waiting transactions. */
  preconf(payload: Payload): BlockView {
    return new PreconfBlockView(payload, ({ env }) => env, undefined)
  }

  /**
   * Shows a preconf block as `pending`. The option `pendingNonce` decides whether nonces count waiting transactions.
   *
   * @param context - the number of the block that provides the context of calls; default: the preconf block.
   */
  pending(payload: Payload, context?: bigint): BlockView {
    const toEnv =
      context === undefined ? ({ env }: Payload) => env : () => this.contextOf(this.#sealedBlock(context))
    const nextNonce = this.#options.pendingNonce === 'pool' ? this.#toNextNonce() : undefined
    return new PreconfBlockView(payload, toEnv, nextNonce)
  }

  candidate(): BlockView {
    const { base, head, canonical } = this.#tip
    const attributes = this.#sources.sequencer.nextAttributes(this.#tip)
    const parent = { block: head.block, hashAt: (at: bigint) => canonical.at(at) }
    const env = toBlockEnv(base.config.rules, parent, attributes)
    return new CandidateBlockView(head, attributes, env, this.#toNextNonce())
  }

  async pruned(hash: Hash): Promise<BlockView | undefined> {
    const { ledger } = this.#tip.base
    const block = await ledger.getPruned(hash)
    if (block === undefined || this.#tip.canonical.at(block.number) !== hash) return undefined
    const entry = ledger.get(hash, block.number)
    if (entry !== undefined) return this.sealed(entry)
    const unavailable = (): never => {
      throw new StateUnavailableError()
    }
    return {
      kind: 'sealed',
      block,
      get executed() {
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

  /** @throws StateUnavailableError for a block older than the history. */
  #sealedBlock(number: bigint): Block {
    const { base, canonical } = this.#tip
    const entry = base.ledger.get(canonical.at(number)!, number)
    if (entry === undefined) throw new StateUnavailableError()
    return entry.block
  }

  /** Returns the first nonce from `from` on that no sent transaction of the sender has, be it included or waiting. */
  contiguousNonce(address: Address, from: bigint): bigint {
    const { sequencer, mempool } = this.#sources
    // The captured tip may be older than the mempool, so nonces used by now are skipped.
    const used = sequencer.tip.preconf.state.account(address)?.nonce ?? 0n
    return mempool.contiguousNonce(address, used > from ? used : from)
  }

  #toNextNonce(): (address: Address, nonce: bigint) => bigint {
    return (address, nonce) => this.contiguousNonce(address, nonce)
  }

  #callEnv(block: Block): BlockEnv {
    if (block !== this.#tip.head.block) return this.contextOf(block, this.#callRules(block))
    let env = headEnvs.get(this.#tip)
    if (env === undefined) {
      env = this.contextOf(block, this.#callRules(block))
      headEnvs.set(this.#tip, env)
    }
    return env
  }

  /** A new chain id already applies to calls on the head, like writes to the head's state (spec.md 18). */
  #callRules({ hash, number, timestamp, header, rules }: Block): Rules {
    const { base, head, preconf } = this.#tip
    const { chainId } = preconf.attributes
    if (chainId === rules.chainId || hash !== head.block.hash) return rules
    return base.config.rules.withChainId(chainId).at(number, timestamp, header.difficulty)
  }

  /** Returns the context in which a block's own transactions were executed. */
  contextOf(block: PrunedBlock, rules = block.rules): BlockEnv {
    return executedEnv(block.header, rules, (at) => this.#tip.canonical.at(at))
  }
}

/** The context of calls on the head, by tip: most calls are on the head, and a tip has one context. */
const headEnvs = new WeakMap<Tip, BlockEnv>()

/**
 * @throws StateUnavailableError if the trie was released, or if writes since the seal changed the state but not its
 *   root.
 */
function unpatchedTrie({ stateTrie, patches }: SealedEntry): StateTrie {
  // The empty trie is null.
  if (stateTrie === undefined || patches !== undefined) throw new StateUnavailableError()
  return stateTrie
}

function nonceOf(state: StateReader, address: Address): bigint {
  return state.account(address)?.nonce ?? 0n
}

// The candidate is `pending` on the standard view: an empty block after the head, which is never built.

/** Returns the candidate after a head, with a zero hash. Its state is the head's. */
export function candidateBlock(head: Block, attributes: PayloadAttributes, env: BlockEnv): Block {
  const { number, rules } = env
  const header = buildHeader(head, attributes, env, { stateRoot: head.header.stateRoot })
  const withdrawals = rules.fork.shanghai ? [] : undefined
  return {
    header,
    hash: ZERO_HASH,
    number,
    timestamp: attributes.timestamp,
    rules,
    transactions: [],
    receipts: [],
    uncles: [],
    withdrawals,
    size: blockSize(measureHeader(header).size, 0, withdrawals),
  }
}
