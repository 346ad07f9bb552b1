/**
 * Blocks at rest: in a database of the caller's, or in memory.
 *
 * Blocks are addressed by hash; which of them are canonical is told by the head that is noted beside them.
 */
import type { ChainRules } from '../rules.ts'
import type { Hash } from '../types.ts'
import type { Block, StoredBlock } from './block.ts'

/** See the file's header. */
export abstract class BlockStore {
  /** Opens the store on a database, or in memory where none is given. */
  static async open(database: object | undefined): Promise<BlockStore> {
    if (database === undefined) return new MemoryStore()
    const { DatabaseStore } = await import('./databaseStore.ts')
    return DatabaseStore.open(database)
  }

  /** Timestamp of the genesis block the store was started with, in seconds, if it was. */
  abstract genesisTimestamp(): Promise<bigint | undefined>

  /**
   * Starts the chain, or goes on with the one the store holds.
   *
   * @returns the hash of the head that was noted last.
   * @throws GenesisMismatchError where the store holds a chain with another genesis block.
   */
  abstract begin(genesis: Block, rules: ChainRules): Promise<Hash>

  /** Writes a block under its hash. */
  abstract put(block: Block): Promise<void>

  /** Notes which block is the head: where the next start takes the chain up. */
  abstract noteHead(hash: Hash): Promise<void>

  /** The block with this hash. */
  abstract get(hash: Hash): Promise<StoredBlock | undefined>

  /** Ends the use of the store. */
  abstract close(): Promise<void>
}

/** Blocks as they are: what no database keeps need not be encoded, and goes with the chain. */
class MemoryStore extends BlockStore {
  readonly #blocks = new Map<Hash, Pick<Block, 'header' | 'transactions' | 'size'>>()

  async genesisTimestamp(): Promise<undefined> {}

  async begin(genesis: Block): Promise<Hash> {
    await this.put(genesis)
    return genesis.hash
  }

  async put({ hash, header, transactions, size }: Block): Promise<void> {
    this.#blocks.set(hash, { header, transactions, size })
  }

  async noteHead(): Promise<void> {}

  async get(hash: Hash): Promise<StoredBlock | undefined> {
    const block = this.#blocks.get(hash)
    return block && { ...block, transactions: block.transactions.map(({ raw }) => raw) }
  }

  async close(): Promise<void> {}
}
