/**
 * The sealed blocks: by hash, with their receipts, the state after them, and the indices into them.
 *
 * Owns: blocks within the history in memory, the transaction index and the log index, and through the store all stored
 * blocks. Does not own which blocks are canonical (the tip does), nor the state itself (the world state does).
 */

import type { Address, Hash, MaybePromise } from '../../base/types.ts'
import { Missing, whenLoaded } from '../../base/waiting.ts'
import type { Block, StoredBlock } from '../../ethereum/block.ts'
import type { ChainRules, Rules } from '../../ethereum/rules.ts'
import type { Patches, StatePatch } from '../../ethereum/state/patch.ts'
import type { StateTrie } from '../../ethereum/state/stateTrie.ts'
import type { StateVersion } from '../../ethereum/state/worldState.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { DatabaseCorruptError } from './errors.ts'
import type { BlockStore } from './ethereumjs/blockStore.ts'
import { type IndexedLog, LogIndex } from './logIndex.ts'
import type { StoredChange } from './storedChange.ts'
import type { StoredHistory } from './storedHistory.ts'

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

/** An entry with a patch written to its state, which has given it another state. */
export function patchedEntry(
  entry: SealedEntry,
  patch: StatePatch,
  state: StateVersion,
  stateTrie: StateTrie,
): SealedEntry {
  const patches = { last: patch, before: entry.patches }
  return { ...entry, state, stateTrie, patches, unpatched: entry.unpatched ?? entry.state }
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
  readonly history: LedgerHistory
  readonly #entries = new Map<Hash, SealedEntry>()
  readonly #transactions = new Map<Hash, SealedPlace>()
  /** The blocks before the start of a resumed chain; those that were read are entries. */
  #stored: StoredHistory | undefined
  /** The hashes of the blocks that were read from the database, by number. */
  readonly #read = new Map<number, Hash>()

  constructor(store: BlockStore, rules: ChainRules, decode: TransactionDecoder, history: LedgerHistory) {
    this.#store = store
    this.#rules = rules
    this.#decode = decode
    this.history = history
  }

  /** Whether a change has to tell how the state changes: there is a database that keeps it. */
  get keepsState(): boolean {
    return this.#store.keepsState
  }

  /** Writes a change of the chain to the database, all of it or nothing. @throws DatabaseWriteError */
  write(change: StoredChange): Promise<void> {
    return this.#store.write(this.withPruned(change))
  }

  /** A change with the block that leaves the history of a database by it. */
  withPruned(change: StoredChange): StoredChange {
    if (change.added === undefined || !this.#store.keepsState) return change
    const pruned = Number(change.added.number) - this.history.blocks
    return pruned < 0 ? change : { ...change, pruned }
  }

  /** Resumes a chain at its head, over the blocks before it. */
  resume(head: SealedEntry, stored: StoredHistory): void {
    this.append(head, () => undefined)
    this.#stored = stored
  }

  /** The blocks before the start of a resumed chain; undefined if it has all in memory. */
  get stored(): StoredHistory | undefined {
    return this.#stored
  }

  /** The number of the oldest block that is in memory, or has left it with the history. */
  get first(): bigint {
    return BigInt(this.#stored?.versions.base.number ?? 0)
  }

  /**
   * Adds a sealed block, and releases what the history no longer covers.
   *
   * @param hashAt - the canonical hash at a number, the new block's included.
   * @returns the oldest state still needed, if it changed.
   */
  append(entry: SealedEntry, hashAt: (number: bigint) => Hash | undefined): StateVersion | undefined {
    const { block } = entry
    this.#add(entry)
    // Hashes before the start may not be read yet; what the database has of those blocks has no trie.
    const { first } = this
    const entryAt = (at: bigint) => (at < first ? undefined : this.#entries.get(hashAt(at) ?? '0x'))
    // The newest block keeps its trie even if `proofs` is 0, since the next block is built on it.
    const behind = BigInt(Math.max(1, this.history.proofs))
    const withoutRoots = entryAt(block.number - behind)
    if (withoutRoots !== undefined) {
      const { block: older, state, patches, unpatched } = withoutRoots
      // Not a spread: its shape is shared with other values that have a trie, and what is compiled for those would be
      // compiled again.
      const kept: SealedEntry = { block: older, state, stateTrie: undefined, patches, unpatched }
      this.#entries.set(older.hash, kept)
    }
    const leaving = block.number - BigInt(this.history.blocks)
    if (this.#stored !== undefined) this.#pruneStored(this.#stored, Number(leaving))
    const pruned = entryAt(leaving)
    if (pruned === undefined || pruned === entry) return undefined
    this.#entries.delete(pruned.block.hash)
    this.#forgetTransactions(pruned.block)
    this.logs.remove(pruned.block.hash)
    const oldest = this.#entries.get(hashAt(pruned.block.number + 1n) ?? '0x')
    const state = oldest?.unpatched ?? oldest?.state
    // A loaded block may have none.
    return state?.isRetained ? state : undefined
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
    const { number } = head.block
    if (this.#stored === undefined || number >= this.first) return
    this.#stored.versions.rebase({ number: Number(number), state: head.state })
    this.#add(head)
    for (const [at, hash] of this.#read) {
      if (at < number) continue
      this.#read.delete(at)
      if (at > number) this.#entries.delete(hash)
    }
  }

  /** Whether the chain can revert to a block: it is sealed, it was not withdrawn since, and its state is available. */
  holds({ block, state }: SealedEntry): boolean {
    // A version is shared by blocks that change no state, so it can outlive the block.
    return state.isRetained && this.#entries.get(block.hash)?.block === block
  }

  /**
   * The sealed block with this hash, within the history.
   *
   * @param number - the canonical block's; without it, one that only the database has is not found.
   * @throws Missing if only the database has it.
   */
  get(hash: Hash, number?: bigint): SealedEntry | undefined {
    const entry = this.#entries.get(hash)
    if (entry !== undefined || number === undefined || !this.#stored?.has(Number(number))) return entry
    throw new Missing(() => this.#readEntry(hash, Number(number)))
  }

  /**
   * A block of the database, as one that is older than the history, without its receipts.
   *
   * @throws DatabaseCorruptError if it is damaged, or is missing although the index of the history has it.
   */
  async getPruned(hash: Hash): Promise<PrunedBlock | undefined> {
    const block = await this.#store.get(hash)
    if (block !== undefined) return this.#toBlock(block, hash)
    const stored = this.#stored
    const number = stored && (await whenLoaded(() => stored.index.numberOf(hash, stored.versions.first)))
    // One that was withdrawn is no longer stored.
    if (number !== undefined && stored!.has(number)) throw new DatabaseCorruptError(`block ${number}`)
    return undefined
  }

  #toBlock(stored: StoredBlock, hash: Hash): PrunedBlock {
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

  /**
   * {@link findTransaction} among the blocks that only the database has.
   *
   * @throws Missing if they are not read yet.
   */
  findStored(hash: Hash): SealedPlace | undefined {
    if (this.#stored === undefined) return undefined
    const { index, versions } = this.#stored
    for (const number of index.blocksWith(hash, versions.first)) {
      const at = BigInt(number)
      const block = this.#stored.has(number) ? this.get(index.hashAt(at), at)?.block : undefined
      if (block === undefined) continue
      return { block, index: block.transactions.findIndex((tx) => tx.hash === hash) }
    }
    return undefined
  }

  /** The blocks before {@link first} that raised an account's nonce above `nonce`, newest first. @throws Missing */
  *storedNonceRises(address: Address, nonce: bigint): Iterable<bigint> {
    for (const number of this.#stored?.versions.nonceRises(address, nonce) ?? []) {
      if (number < this.first) yield BigInt(number)
    }
  }

  /** {@link LogIndex.query}, of blocks before {@link first} too. */
  queryLogs(...query: Parameters<LogIndex['query']>): MaybePromise<IndexedLog[]> {
    return query[1] < this.first
      ? this.#stored!.queryLogs(this, (hash) => this.#store.get(hash), ...query)
      : this.logs.query(...query)
  }

  /** Closes the database if it is the chain's own. */
  close(): Promise<void> {
    return this.#store.close()
  }

  #add(entry: SealedEntry): void {
    const { block } = entry
    this.#entries.set(block.hash, entry)
    for (const [index, { hash }] of block.transactions.entries()) {
      const older = this.#transactions.get(hash)
      this.#transactions.set(hash, older === undefined ? { block, index } : { block, index, older })
    }
    this.logs.add(block)
  }

  async #readEntry(hash: Hash, number: number): Promise<void> {
    const stored = this.#stored!
    const read = async (): Promise<SealedEntry> => {
      const block = await this.getPruned(hash)
      if (block === undefined) throw new DatabaseCorruptError(`block ${number}`)
      const receipts = await stored.format.receipts(number)
      const stated = await stored.format.patch(number)
      return {
        // It keeps the getter of its transactions.
        block: Object.assign(block, { receipts }),
        state: stored.versions.versionAt(number),
        stateTrie: undefined,
        patches: stated && { last: stated.patch, before: undefined },
      }
    }
    const entry = await read().catch((error: Error) => error)
    // It was withdrawn or left the history meanwhile, or another request has read it.
    if (!stored.has(number) || this.#entries.has(hash)) return
    if (entry instanceof Error) throw entry
    this.#entries.set(hash, entry)
    this.#read.set(number, hash)
  }

  #pruneStored({ versions }: StoredHistory, number: number): void {
    versions.prune(number + 1)
    const hash = this.#read.get(number)
    if (hash === undefined) return
    this.#entries.delete(hash)
    this.#read.delete(number)
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
