/** Blocks as a view shows them: sealed, under construction, candidate or pruned. */

import { ZERO_HASH } from '../../base/bytes.ts'
import type { Address } from '../../base/types.ts'
import type { Block } from '../../ethereum/block.ts'
import type { BlockEnv } from '../../ethereum/evm/executor.ts'
import { measureHeader } from '../../ethereum/header.ts'
import type { StateReader } from '../../ethereum/state/account.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import type { StateTrie } from '../../ethereum/state/stateTrie.ts'
import { blockSize, buildHeader, type PayloadAttributes } from '../block/attributes.ts'
import type { Payload } from '../block/payload.ts'
import type { PrunedBlock, SealedEntry } from '../ledger/ledger.ts'

/** A block as a view shows it. */
export interface BlockView {
  /** A candidate is the `pending` block of the standard endpoint: an empty block, shown without number and hash. */
  readonly kind: 'sealed' | 'preconf' | 'candidate'
  readonly block: PrunedBlock
  /** The block with its receipts. @throws StateUnavailableError for a block older than the history. */
  readonly executed: Block
  /** The state after the block. @throws StateUnavailableError for a block older than the history. */
  readonly state: StateReader
  /** @throws StateUnavailableError beyond the last `history.proofs` blocks, or if a cheat changed the block's state. */
  readonly stateTrie: StateTrie
  /** The context of calls on this block. */
  readonly env: BlockEnv
  /** Returns the nonce of an account as this block shows it. */
  transactionCount(address: Address): bigint
}

// Views are classes, since each request creates one, and an object literal with a getter takes a microsecond.

/** A sealed block of the history. */
export class SealedBlockView implements BlockView {
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

/** Returns the nonce that a view shows for an account with `nonce` in the state of the block. */
export type NextNonce = (address: Address, nonce: bigint) => bigint

/** A preconf block, found as `pending`, by number or by hash. */
export class PreconfBlockView implements BlockView {
  readonly kind = 'preconf'
  readonly block: Block
  readonly state: StateReader
  readonly #payload: Payload
  readonly #toEnv: (payload: Payload) => BlockEnv
  readonly #nextNonce: NextNonce

  constructor(payload: Payload, toEnv: (payload: Payload) => BlockEnv, nextNonce: NextNonce) {
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
    return this.#nextNonce(address, nonceOf(this.state, address))
  }
}

/** The candidate: an empty block after the head, which is never built. Its state is the head's. */
export class CandidateBlockView implements BlockView {
  readonly kind = 'candidate'
  readonly state: StateReader
  readonly env: BlockEnv
  readonly #head: SealedEntry
  readonly #attributes: PayloadAttributes
  readonly #nextNonce: NextNonce

  constructor(head: SealedEntry, attributes: PayloadAttributes, env: BlockEnv, nextNonce: NextNonce) {
    this.state = head.state
    this.env = env
    this.#head = head
    this.#attributes = attributes
    this.#nextNonce = nextNonce
  }

  get block(): Block {
    const { number, timestamp, rules } = this.env
    const { block } = this.#head
    const header = buildHeader(block, this.#attributes, this.env, { stateRoot: block.header.stateRoot })
    const withdrawals = rules.fork.shanghai ? [] : undefined
    return {
      header,
      hash: ZERO_HASH,
      number,
      timestamp,
      rules,
      transactions: [],
      receipts: [],
      uncles: [],
      withdrawals,
      size: blockSize(measureHeader(header).size, 0, withdrawals),
    }
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

/** A block older than the history: only its header and body are known. */
export class PrunedBlockView implements BlockView {
  readonly kind = 'sealed'
  readonly block: PrunedBlock
  readonly env: BlockEnv

  constructor(block: PrunedBlock, env: BlockEnv) {
    this.block = block
    this.env = env
  }

  get executed(): never {
    throw new StateUnavailableError()
  }

  get state(): never {
    throw new StateUnavailableError()
  }

  get stateTrie(): never {
    throw new StateUnavailableError()
  }

  transactionCount(): never {
    throw new StateUnavailableError()
  }
}

/** @throws StateUnavailableError if the trie was released, or if writes since the seal changed the state. */
function unpatchedTrie({ stateTrie, patches }: SealedEntry): StateTrie {
  // Compares with undefined, since the empty trie is null.
  if (stateTrie === undefined || patches !== undefined) throw new StateUnavailableError()
  return stateTrie
}

function nonceOf(state: StateReader, address: Address): bigint {
  return state.account(address)?.nonce ?? 0n
}
