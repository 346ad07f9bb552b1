/** Blocks as a view shows them: sealed, under construction, the candidate, pruned. */

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

/** One block as a view shows it. */
export interface BlockView {
  /** A candidate is what `pending` names on standard: an empty block that has no number and no hash yet. */
  readonly kind: 'sealed' | 'preconf' | 'candidate'
  readonly block: PrunedBlock
  /** The block with its receipts. @throws StateUnavailableError for a block older than the history. */
  readonly executed: Block
  /** The state after the block. @throws StateUnavailableError for a block older than the history. */
  readonly state: StateReader
  /** Its Merkle tries. @throws StateUnavailableError if it is older than `history.proofs`, or was written to since. */
  readonly stateTrie: StateTrie
  /** The block context of a call on this block. */
  readonly env: BlockEnv
  /** The nonce of an account as this block shows it. */
  transactionCount(address: Address): bigint
}

// Classes, since an object literal with a getter takes a microsecond, and each request creates a view.

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

  // Created on first use: most requests about a block execute nothing.
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

  /** @param nextNonce - counts waiting transactions too. */
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

  /** Pre-confirmed transactions are not shown here, but their nonces are used. */
  transactionCount(address: Address): bigint {
    return this.#nextNonce(address, nonceOf(this.state, address))
  }
}

/** Creates the views of the blocks of one captured tip. Owns nothing. */
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

  /** A snapshot by itself, whatever waits. */
  preconf(payload: Payload): BlockView {
    return new PreconfBlockView(payload, ({ env }) => env, undefined)
  }

  /**
   * The snapshot that `pending` names; the option `pendingNonce` decides whether it counts what waits.
   *
   * @param context - the number of another block, in whose context calls execute.
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

  /** The first nonce from `from` on that is unused, and that no waiting transaction of the sender has. */
  contiguousNonce(address: Address, from: bigint): bigint {
    const { sequencer, mempool } = this.#sources
    // The mempool is current, but the captured tip may be older, so the search starts at the current nonce.
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

  /** A changed chain id applies to calls on the head at once, like writes to its state (design, decision 18). */
  #callRules({ hash, number, timestamp, header, rules }: Block): Rules {
    const { base, head, preconf } = this.#tip
    const { chainId } = preconf.attributes
    if (chainId === rules.chainId || hash !== head.block.hash) return rules
    return base.config.rules.withChainId(chainId).at(number, timestamp, header.difficulty)
  }

  /** The block context that a block's own transactions were executed in. */
  contextOf(block: PrunedBlock, rules = block.rules): BlockEnv {
    return executedEnv(block.header, rules, (at) => this.#tip.canonical.at(at))
  }
}

/** The block context of calls on the head, by tip: most calls are on the head, and the context is constant per tip. */
const headEnvs = new WeakMap<Tip, BlockEnv>()

/** @throws StateUnavailableError if the trie was released, or includes writes since the seal, which the root does not. */
function unpatchedTrie({ stateTrie, patches }: SealedEntry): StateTrie {
  // The empty trie is null.
  if (stateTrie === undefined || patches !== undefined) throw new StateUnavailableError()
  return stateTrie
}

function nonceOf(state: StateReader, address: Address): bigint {
  return state.account(address)?.nonce ?? 0n
}

// The block that `pending` names on the standard view: an empty one after the head, which is not built.

/** The candidate after a head, without number and hash; its state is the head's. */
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
