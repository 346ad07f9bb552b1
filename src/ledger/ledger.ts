/**
 * The sealed blocks: by hash, with their receipts, the state after them, and the indices into them.
 *
 * Owns: blocks within the history in memory, the transaction index and the log index, and through the store all stored
 * blocks. Does not own which blocks are canonical (the tip does), nor the state itself (the world state does).
 */
import type { Address, Hash } from '../primitives/types.ts'
import type { Block } from '../protocol/block.ts'
import type { ChainRules, Rules } from '../protocol/rules.ts'
import type { Transaction } from '../protocol/transaction.ts'
import type { Patches } from '../state/patch.ts'
import type { StateTrie } from '../state/stateTrie.ts'
import type { StateVersion } from '../state/worldState.ts'
import type { BlockStore, StoredChange } from './ethereumjs/blockStore.ts'
import { LogIndex } from './logIndex.ts'

/**
 * Decodes a signed transaction from its bytes (EIP-2718) and recovers its sender, unless that is given.
 *
 * @throws TransactionRejectedError
 */
export type TransactionDecoder = (raw: Uint8Array, rules: Rules, sender?: Address) => Transaction

/** A sealed block with the state after it. */
export interface SealedEntry {
  readonly block: Block
  readonly state: StateVersion
  /** Undefined once it is older than `history.proofs`. */
  readonly stateTrie: StateTrie | undefined
  /** Writes to the state after the seal; `stateTrie` includes them, the header's root does not. */
  readonly patches?: Patches | undefined
  /** The state before the patches, which a revert may restore; undefined without patches. */
  readonly unpatched?: StateVersion | undefined
}

/** A block without its receipts. */
export type PrunedBlock = Omit<Block, 'receipts'>

/** A transaction's position in a block. */
export interface TransactionPlace {
  readonly block: Block
  readonly index: number
}

/** A transaction's position in a sealed block. */
export interface SealedPlace extends TransactionPlace {
  /** Its position in an older block, if a cheat set back the sender's nonce and the transaction was sealed again. */
  readonly older?: SealedPlace | undefined
}

/** What the ledger keeps in memory, counted in blocks behind the newest. */
export interface LedgerHistory {
  readonly blocks: number
  readonly proofs: number
}

/** See the file's header. */
export class Ledger {
  readonly logs = new LogIndex()
  readonly #store: BlockStore
  readonly #rules: ChainRules
  readonly #decode: TransactionDecoder
  readonly #history: LedgerHistory
  readonly #entries = new Map<Hash, SealedEntry>()
  readonly #transactions = new Map<Hash, SealedPlace>()

  constructor(store: BlockStore, rules: ChainRules, decode: TransactionDecoder, history: LedgerHistory) {
    this.#store = store
    this.#rules = rules
    this.#decode = decode
    this.#history = history
  }

  /** Writes a change of the chain to the database, all of it or nothing. @throws DatabaseWriteError */
  write(change: StoredChange): Promise<void> {
    return this.#store.write(change)
  }

  /**
   * Adds a sealed block, and releases what the history no longer covers.
   *
   * @param hashAt - the canonical hash at a number, the new block's included.
   * @returns the oldest state still needed, if it changed.
   */
  append(entry: SealedEntry, hashAt: (number: bigint) => Hash | undefined): StateVersion | undefined {
    const { block } = entry
    this.#entries.set(block.hash, entry)
    for (const [index, { hash }] of block.transactions.entries()) {
      const older = this.#transactions.get(hash)
      this.#transactions.set(hash, older === undefined ? { block, index } : { block, index, older })
    }
    this.logs.add(block)

    // The newest block keeps its trie even if `proofs` is 0, since the next block is built on it.
    const behind = BigInt(Math.max(1, this.#history.proofs))
    const withoutRoots = this.#entries.get(hashAt(block.number - behind) ?? '0x')
    if (withoutRoots !== undefined) {
      const { block: older, state, patches, unpatched } = withoutRoots
      // Not a spread: its shape is shared with other values that have a trie, and what is compiled for those would be
      // compiled again.
      const kept: SealedEntry = { block: older, state, stateTrie: undefined, patches, unpatched }
      this.#entries.set(older.hash, kept)
    }
    const pruned = this.#entries.get(hashAt(block.number - BigInt(this.#history.blocks)) ?? '0x')
    if (pruned === undefined || pruned === entry) return undefined
    this.#entries.delete(pruned.block.hash)
    this.#forgetTransactions(pruned.block)
    this.logs.remove(pruned.block.hash)
    const oldest = this.#entries.get(hashAt(pruned.block.number + 1n) ?? '0x')
    return oldest?.unpatched ?? oldest?.state
  }

  /**
   * Removes sealed blocks from memory, and replaces the entry of the head, whose state may have changed.
   *
   * @param blocks - those after the head, newest first.
   */
  rewind(blocks: readonly Block[], head: SealedEntry): void {
    for (const block of blocks) {
      this.#entries.delete(block.hash)
      this.logs.remove(block.hash)
      this.#forgetTransactions(block)
    }
    this.#entries.set(head.block.hash, head)
  }

  /** Whether the chain can revert to a block: it is sealed, it was not withdrawn since, and its state is available. */
  holds({ block, state }: SealedEntry): boolean {
    // A version is shared by blocks that change no state, so it can outlive the block.
    return state.isRetained && this.#entries.get(block.hash)?.block === block
  }

  /** The sealed block with this hash, within the history. */
  get(hash: Hash): SealedEntry | undefined {
    return this.#entries.get(hash)
  }

  /** A block older than the history, without its receipts. */
  async getPruned(hash: Hash): Promise<PrunedBlock | undefined> {
    const stored = await this.#store.get(hash)
    if (stored === undefined) return undefined
    const { number, timestamp, difficulty } = stored.header
    const rules = this.#rules.withChainId(stored.chainId).at(number, timestamp, difficulty)
    const decode = () =>
      stored.transactions.map((raw, index) => this.#decode(raw, rules, stored.unsigned?.get(index)))
    let transactions: ReturnType<typeof decode> | undefined
    return {
      ...stored,
      hash,
      number,
      timestamp,
      rules,
      // Recovering senders takes most of the time, and many requests for old blocks only need their headers.
      get transactions() {
        transactions ??= decode()
        return transactions
      },
    }
  }

  /** The position of a sealed transaction, within the history: in the newest block that has it. */
  findTransaction(hash: Hash): SealedPlace | undefined {
    return this.#transactions.get(hash)
  }

  /** Closes the database if it is the chain's own. */
  close(): Promise<void> {
    return this.#store.close()
  }

  #forgetTransactions(block: Block): void {
    for (const { hash } of block.transactions) {
      const left = withoutBlock(this.#transactions.get(hash), block)
      if (left === undefined) this.#transactions.delete(hash)
      else this.#transactions.set(hash, left)
    }
  }
}

function withoutBlock(place: SealedPlace | undefined, block: Block): SealedPlace | undefined {
  if (place === undefined || place.block === block) return place?.older
  return { ...place, older: withoutBlock(place.older, block) }
}
