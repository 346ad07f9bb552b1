/**
 * Owns: the sealed blocks of the history by hash, the transaction and log indices, and the stored blocks, through the
 * store. Does not own: which blocks are canonical (the tip), nor the states themselves (the world state).
 */

import type { Address, Hash, MaybePromise } from '../../base/types.ts'
import { Missing, whenLoaded } from '../../base/waiting.ts'
import type { Block, StoredBlock } from '../../ethereum/block.ts'
import type { ChainRules, Rules } from '../../ethereum/rules.ts'
import type { Patches, StatePatch } from '../../ethereum/state/patch.ts'
import type { StateTrie } from '../../ethereum/state/stateTrie.ts'
import type { StateVersion } from '../../ethereum/state/worldState.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { ResolvedOptions } from '../options.ts'
import { DatabaseCorruptError } from './errors.ts'
import type { BlockStore } from './ethereumjs/blockStore.ts'
import { type IndexedLog, LogIndex } from './logIndex.ts'
import type { StoredChange } from './storedChange.ts'
import type { StoredHistory } from './storedHistory.ts'

/** Decodes a transaction (EIP-2718). Recovers its sender unless `sender` is given. @throws TransactionRejectedError */
type TransactionDecoder = (raw: Uint8Array, rules: Rules, sender?: Address) => Transaction

/** A sealed block with the state after it. */
export interface SealedEntry {
  readonly block: Block
  readonly state: StateVersion
  /** Undefined if `history.proofs` blocks have followed the block, or if the block was read from the database. */
  readonly stateTrie: StateTrie | undefined
  /** Writes to the state after the seal. `stateTrie` includes them, the header's root does not. */
  readonly patches?: Patches | undefined
  /** The state without the patches, which a revert may restore. Undefined without patches. */
  readonly unpatched?: StateVersion | undefined
}

/** Returns the entry after a patch was written to its state. */
export function patchedEntry(
  entry: SealedEntry,
  last: StatePatch,
  state: StateVersion,
  stateTrie: StateTrie,
): SealedEntry {
  const patches = { last, before: entry.patches }
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
interface SealedPlace extends TransactionPlace {
  /** The position in an older block, if a cheat reset the sender's nonce and the transaction was sealed again. */
  readonly older?: SealedPlace | undefined
}

/** See the file's header. */
export class Ledger {
  readonly logs = new LogIndex()
  readonly #store: BlockStore
  readonly #rules: ChainRules
  readonly #decode: TransactionDecoder
  readonly history: ResolvedOptions['history']
  readonly #entries = new Map<Hash, SealedEntry>()
  readonly #transactions = new Map<Hash, SealedPlace>()
  /** The blocks before the start of a resumed chain. A block is added to the entries when it is read. */
  stored: StoredHistory | undefined
  /** Hashes of the blocks read from the database, by number. */
  readonly #read = new Map<number, Hash>()

  constructor(
    store: BlockStore,
    rules: ChainRules,
    decode: TransactionDecoder,
    history: ResolvedOptions['history'],
  ) {
    this.#store = store
    this.#rules = rules
    this.#decode = decode
    this.history = history
  }

  /** Whether the database stores the state, so that each change must include the change of the state. */
  get keepsState(): boolean {
    return this.#store.keepsState
  }

  write(change: StoredChange): Promise<void> {
    return this.#store.write(this.withPruned(change))
  }

  /** Returns the change with the number of the block that then leaves the database's history, if any. */
  withPruned(change: StoredChange): StoredChange {
    if (change.added === undefined || !this.#store.keepsState) return change
    const pruned = Number(change.added.number) - this.history.blocks
    return pruned < 0 ? change : { ...change, pruned }
  }

  resume(head: SealedEntry, stored: StoredHistory): void {
    this.append(head, () => undefined)
    this.stored = stored
  }

  /** The number of the first block that is not in {@link stored}. */
  get first(): bigint {
    return BigInt(this.stored?.versions.base.number ?? 0)
  }

  /**
   * Adds a sealed block, and releases the blocks that leave the history. Returns the oldest state that is still needed;
   * undefined if it is the same as before, or already released.
   *
   * @param hashAt - returns the hashes of canonical blocks, the added one included.
   */
  append(entry: SealedEntry, hashAt: (number: bigint) => Hash | undefined): StateVersion | undefined {
    const { block } = entry
    this.#add(entry)
    // Blocks before the start have no trie, and their hashes may not be read yet.
    const { first } = this
    const entryAt = (at: bigint) => (at < first ? undefined : this.#entries.get(hashAt(at) ?? '0x'))
    // The newest block keeps its trie even if `proofs` is 0: the next block builds on it.
    const behind = BigInt(Math.max(1, this.history.proofs))
    const withoutRoots = entryAt(block.number - behind)
    if (withoutRoots !== undefined) {
      const { block: older, state, patches, unpatched } = withoutRoots
      // Not a spread: it would share the hidden class of entries with a trie, and deoptimize their readers.
      const kept: SealedEntry = { block: older, state, stateTrie: undefined, patches, unpatched }
      this.#entries.set(older.hash, kept)
    }
    const leaving = block.number - BigInt(this.history.blocks)
    if (this.stored !== undefined) this.#pruneStored(this.stored, Number(leaving))
    const pruned = entryAt(leaving)
    if (pruned === undefined || pruned === entry) return undefined
    this.#entries.delete(pruned.block.hash)
    this.#forgetTransactions(pruned.block)
    this.logs.remove(pruned.block.hash)
    const oldest = this.#entries.get(hashAt(pruned.block.number + 1n) ?? '0x')
    const state = oldest?.unpatched ?? oldest?.state
    // A chain file may lack the states of its blocks, which count as released.
    return state?.isRetained ? state : undefined
  }

  /** Removes the blocks after the new head, newest first, and sets the head's entry, whose state may have changed. */
  rewind(blocks: readonly Block[], head: SealedEntry): void {
    for (const block of blocks) {
      this.#entries.delete(block.hash)
      this.logs.remove(block.hash)
      this.#forgetTransactions(block)
    }
    this.#entries.set(head.block.hash, head)
    const { number } = head.block
    if (this.stored === undefined || number >= this.first) return
    this.stored.versions.rebase({ number: Number(number), state: head.state })
    this.#add(head)
    for (const [at, hash] of this.#read) {
      if (at < number) continue
      this.#read.delete(at)
      if (at > number) this.#entries.delete(hash)
    }
  }

  /** Whether the chain can revert to a block: it is still sealed, and its state is available. */
  holds({ block, state }: SealedEntry): boolean {
    // Blocks without state changes share a version, so a version can outlive its block.
    return state.isRetained && this.#entries.get(block.hash)?.block === block
  }

  /**
   * Returns a sealed block of the history. Without `number`, a block that only the database has is not found.
   *
   * @throws Missing if only the database has the block.
   */
  get(hash: Hash, number?: bigint): SealedEntry | undefined {
    const entry = this.#entries.get(hash)
    if (entry !== undefined || number === undefined || !this.stored?.has(Number(number))) return entry
    throw new Missing(() => this.#readEntry(hash, Number(number)))
  }

  /** Reads a block from the database, even if it has left the history. @throws DatabaseCorruptError */
  async getPruned(hash: Hash): Promise<PrunedBlock | undefined> {
    const block = await this.#store.get(hash)
    if (block !== undefined) return this.#toBlock(block, hash)
    const stored = this.stored
    const number = stored && (await whenLoaded(() => stored.index.numberOf(hash, stored.versions.first)))
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
      // Lazy: recovering senders takes most of the time, and many requests for old blocks only read headers.
      get transactions() {
        transactions ??= decode()
        return transactions
      },
    }
  }

  /** Returns the newest position of a sealed transaction in the blocks from {@link first} on. */
  findTransaction(hash: Hash): SealedPlace | undefined {
    return this.#transactions.get(hash)
  }

  /** Like {@link findTransaction}, but searches the blocks before {@link first}. @throws Missing */
  findStored(hash: Hash): SealedPlace | undefined {
    if (this.stored === undefined) return undefined
    const { index, versions } = this.stored
    for (const number of index.blocksWith(hash, versions.first)) {
      const at = BigInt(number)
      const block = this.stored.has(number) ? this.get(index.hashAt(at), at)?.block : undefined
      if (block === undefined) continue
      return { block, index: block.transactions.findIndex((tx) => tx.hash === hash) }
    }
    return undefined
  }

  /** Yields the blocks before {@link first} that raised a nonce above `nonce`, newest first. @throws Missing */
  *storedNonceRises(address: Address, nonce: bigint): Iterable<bigint> {
    for (const number of this.stored?.versions.nonceRises(address, nonce) ?? []) {
      if (number < this.first) yield BigInt(number)
    }
  }

  /** Like {@link LogIndex.query}, but includes the blocks before {@link first}. */
  queryLogs(...query: Parameters<LogIndex['query']>): MaybePromise<IndexedLog[]> {
    return query[1] < this.first ? this.stored!.queryLogs(this, ...query) : this.logs.query(...query)
  }

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
    const stored = this.stored!
    const read = async (): Promise<SealedEntry> => {
      const block = await this.getPruned(hash)
      if (block === undefined) throw new DatabaseCorruptError(`block ${number}`)
      const receipts = await stored.format.receipts(number)
      const stated = await stored.format.patch(number)
      return {
        // Not a spread: `transactions` is a getter.
        block: Object.assign(block, { receipts }),
        state: stored.versions.versionAt(number),
        stateTrie: undefined,
        patches: stated && { last: stated.patch, before: undefined },
      }
    }
    const entry = await read().catch((error: Error) => error)
    // Ignores a block that was withdrawn or pruned meanwhile, or that a concurrent request has read.
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
