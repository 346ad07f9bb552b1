/** Blocks as a view shows them: sealed, under construction, the candidate, pruned. */
import type { BlockEnv } from '../evm/executor.ts'
import type { PrunedBlock, SealedEntry } from '../ledger/ledger.ts'
import { executedEnv, toBlockEnv } from '../payload/attributes.ts'
import type { Payload } from '../payload/payload.ts'
import type { Address, Hash } from '../primitives/types.ts'
import type { Block } from '../protocol/block.ts'
import type { Rules } from '../protocol/rules.ts'
import type { Tip } from '../sequencer/tip.ts'
import type { StateReader } from '../state/account.ts'
import { StateUnavailableError } from '../state/errors.ts'
import type { StateTrie } from '../state/stateTrie.ts'
import { candidateBlock } from './candidateBlock.ts'
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

  sealed({ block, state, stateTrie, patches }: SealedEntry): BlockView {
    const toEnv = () => this.#callEnv(block)
    return {
      kind: 'sealed',
      block,
      executed: block,
      state,
      get stateTrie() {
        // Writes since the seal are not part of the root in its header.
        return assertAvailable(patches === undefined ? stateTrie : undefined)
      },
      // Created on first use: most requests about a block execute nothing.
      get env() {
        return toEnv()
      },
      transactionCount: (address) => state.account(address)?.nonce ?? 0n,
    }
  }

  /** @param context - the number of another block, in whose context calls execute. */
  preconf({ block, state, commitment, env }: Payload, context?: bigint): BlockView {
    const toEnv = () => (context === undefined ? env : this.contextOf(this.#sealedBlock(context)))
    return {
      kind: 'preconf',
      block,
      executed: block,
      state,
      get stateTrie() {
        return commitment.stateTrie
      },
      get env() {
        return toEnv()
      },
      transactionCount: (address) => {
        const nonce = state.account(address)?.nonce ?? 0n
        return this.#options.pendingNonce === 'pool' ? this.#sources.contiguousNonce(address, nonce) : nonce
      },
    }
  }

  candidate(): BlockView {
    const { block: head, state, stateTrie, patches } = this.#tip.head
    const attributes = this.#sources.candidateAttributes(head)
    const env = toBlockEnv(
      this.#sources.rules,
      { block: head, hashAt: (at) => this.#tip.canonical.at(at) },
      attributes,
    )
    const toBlock = () => candidateBlock(head, attributes, env)
    return {
      kind: 'candidate',
      get block() {
        return toBlock()
      },
      get executed() {
        return toBlock()
      },
      state,
      get stateTrie() {
        return assertAvailable(patches === undefined ? stateTrie : undefined)
      },
      env,
      // Pre-confirmed transactions are not shown here, but their nonces are used.
      transactionCount: (address) =>
        this.#sources.contiguousNonce(address, state.account(address)?.nonce ?? 0n),
    }
  }

  async pruned(hash: Hash): Promise<BlockView | undefined> {
    const block = await this.#sources.pruned(hash)
    if (block === undefined || this.#tip.canonical.at(block.number) !== hash) return undefined
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
    const entry = this.#sources.sealed(this.#tip.canonical.at(number)!)
    if (entry === undefined) throw new StateUnavailableError()
    return entry.block
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
    const { head, preconf } = this.#tip
    const { chainId } = preconf.attributes
    if (chainId === rules.chainId || hash !== head.block.hash) return rules
    return this.#sources.rules.withChainId(chainId).at(number, timestamp, header.difficulty)
  }

  /** The block context that a block's own transactions were executed in. */
  contextOf(block: PrunedBlock, rules = block.rules): BlockEnv {
    return executedEnv(block.header, rules, (at) => this.#tip.canonical.at(at))
  }
}

/** The block context of calls on the head, by tip: most calls are on the head, and the context is constant per tip. */
const headEnvs = new WeakMap<Tip, BlockEnv>()

/** The empty trie is null; a released one is undefined. */
function assertAvailable(stateTrie: StateTrie | undefined): StateTrie {
  if (stateTrie === undefined) throw new StateUnavailableError()
  return stateTrie
}
