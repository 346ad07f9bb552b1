/**
 * Stores blocks by hash, in the layout of @ethereumjs/blockchain. Owns: the writes to the database, and the blocks that
 * a database in memory has yet to receive. Does not own which blocks are canonical: the stored head implies it.
 */

import { bytesToBigint } from '../../../base/bytes.ts'
import { systemClock } from '../../../base/clock.ts'
import type { Hash } from '../../../base/types.ts'
import { createYielder } from '../../../base/waiting.ts'
import type { Block, StoredBlock } from '../../../ethereum/block.ts'
import type { ChainRules } from '../../../ethereum/rules.ts'
import type { StateChanges } from '../../../ethereum/state/account.ts'
import { BytesDatabase, type Entry, type Key, type Level, MAX_NUMBER_SIZE } from '../bytesDatabase.ts'
import { DatabaseCorruptError, DatabaseHeadError, GenesisMismatchError } from '../errors.ts'
import type { DatabaseFormat, StoredFormat, StoredHead } from '../format/databaseFormat.ts'
import type { OwnFields } from '../storedBlock.ts'
import type { AllocRoot, BatchPart, StoredChange } from '../storedChange.ts'

/** How many blocks and transactions share a write in memory: a write takes a tenth of the time of a small block. */
const GROUP_SIZE = 64

interface Opened {
  /** The database in memory. Undefined for the caller's database. */
  readonly level?: Level
  readonly db: BytesDatabase
  readonly layout: typeof import('./blockchain.ts')
  readonly format: DatabaseFormat | undefined
}

/** See the file's header. */
export class BlockStore {
  /** The caller's database. Without one, a database in memory is created at the first access, and never resumed. */
  readonly #given: BytesDatabase | undefined
  /** Blocks that wait for the next write to the database in memory. */
  readonly #waiting = new Map<Hash, Block>()
  #genesis: { block: Block; rules: ChainRules; state: GenesisState; others: readonly Entry[] } | undefined
  #opened: Promise<Opened> | undefined
  readonly #sync: boolean
  #written: Pick<StoredHead, 'hash' | 'root'> | undefined

  /** @param given - an opened database. @param sync - whether writes of changes resolve only when they are on disk. */
  constructor(given?: BytesDatabase, sync = false) {
    this.#given = given
    this.#sync = sync
  }

  /** Whether the database stores the state too. */
  get keepsState(): boolean {
    return this.#given !== undefined
  }

  /** Reads the format, if the database has a chain. @throws DatabaseVersionError, DatabaseCorruptError */
  async storedGenesis(): Promise<StoredFormat | undefined> {
    if (this.#given === undefined) return undefined
    const { readFormat } = await import('../format/databaseFormat.ts')
    return readFormat(this.#given)
  }

  /**
   * Starts a chain, with `state` and `others` in the batch of its genesis block, or resumes the one in the database.
   * Returns the hash of the stored head, or of the genesis block without a database.
   *
   * @throws GenesisMismatchError, DatabaseCorruptError, DatabaseVersionError, DatabaseWriteError
   */
  async begin(
    genesis: Block,
    rules: ChainRules,
    state: GenesisState = EMPTY_GENESIS,
    others: readonly Entry[] = [],
  ): Promise<Hash> {
    this.#genesis = { block: genesis, rules, state, others }
    if (this.#given === undefined) return genesis.hash
    return (await this.stored()).head.hash
  }

  /** Reads the chain in the caller's database. @throws DatabaseCorruptError */
  async stored(): Promise<{ readonly format: DatabaseFormat; readonly head: StoredHead }> {
    const { format } = await this.#open()
    const head = await format!.head()
    if (head === undefined) throw new DatabaseCorruptError('its head')
    this.#written = head
    return { format: format!, head }
  }

  /** Writes a change atomically. A database in memory only receives blocks, in groups. @throws DatabaseWriteError */
  async write(change: StoredChange): Promise<void> {
    if (this.#given === undefined) return this.#writeInGroups(change)
    const { added, removed = [], part } = change
    const { db, format, layout } = await this.#open()
    const { entries, removed: keys } = await format!.entriesOf(change)
    if (added !== undefined) entries.push(...layout.blockEntries(added))
    keys.push(...(await this.#keysOf(removed)))
    if (part !== undefined) {
      entries.push(...part.entries)
      keys.push(...part.removed)
    }
    await db.write(entries, keys, this.#sync).catch((error) => {
      format!.forget()
      throw error
    })
    this.#written = { hash: change.head, root: change.root }
  }

  /** Writes entries that change no block, atomically. @throws DatabaseWriteError */
  async writePart({ entries, removed }: BatchPart): Promise<void> {
    await (await this.#open()).db.write(entries, removed)
  }

  /** Reads an entry of {@link writePart} from the caller's database. */
  async entry(key: string): Promise<Uint8Array | undefined> {
    return this.#given?.get(key)
  }

  /** Reads the entries of {@link writePart} under a key prefix; see `BytesDatabase.entriesOf`. */
  async entriesOf(prefix: string, limit?: number): Promise<[key: string, value: Uint8Array][]> {
    return (await this.#open()).db.entriesOf(prefix, limit)
  }

  /** Reads a block; undefined if it is not stored. @throws DatabaseCorruptError if it is damaged */
  async get(hash: Hash): Promise<StoredBlock | undefined> {
    if (this.#given === undefined && hash === this.#genesis?.block.hash) {
      // Not read: on a fork, the body of this block is unknown, and an empty body would not match the header.
      const { header, uncles, withdrawals, size } = this.#genesis.block
      return { header, transactions: [], uncles, withdrawals, size }
    }
    if (this.#waiting.has(hash)) await this.#writeWaiting()
    const { db, layout, format } = await this.#open()
    const encodedNumber = await db.get(layout.numberKey(hash))
    if (encodedNumber === undefined) return undefined
    const number = bytesToBigint(encodedNumber)
    const at = { hash, number, rules: this.#genesis!.rules }
    const read = async () => {
      if (encodedNumber.length > MAX_NUMBER_SIZE) throw new DatabaseCorruptError(`block ${hash}`)
      const header = await db.get(layout.partKey('header', hash, number))
      const body = await db.get(layout.partKey('body', hash, number))
      const own = await (format?.ownFields(hash, Number(number)) ?? this.#ownFields(hash))
      const { decodeVerified } = await import('../storedBlock.ts')
      return decodeVerified(header, body, own, at)
    }
    const block = await read().catch((error: Error) => error)
    // A concurrent batch may have removed the block while it was read.
    if ((await db.get(layout.numberKey(hash))) === undefined) return undefined
    if (block instanceof Error) throw block
    return block
  }

  async isStopped(): Promise<boolean> {
    return (await this.#open()).db.isStopped
  }

  /**
   * Reopens the caller's database, and accepts writes again.
   *
   * @throws DatabaseHeadError if it lacks the last written head; DatabaseOpenError, DatabaseInUseError,
   *   DatabaseCorruptError
   */
  async reopen(): Promise<void> {
    const { db, format } = await this.#open()
    await db.reopen()
    const { hash, root } = this.#written!
    const found = await format!.head()
    if (found?.hash !== hash || found.root !== root) throw new DatabaseHeadError(found?.hash, hash)
    format!.forget()
    db.resume()
  }

  /** Closes a database in memory. Releases a caller's database, which the caller closes. */
  async close(): Promise<void> {
    if (this.#given === undefined) await (await this.#opened)?.level?.close()
    else this.#given.release()
  }

  async #writeInGroups({ added, removed = [] }: StoredChange): Promise<void> {
    const stored = removed.filter(({ hash }) => !this.#waiting.delete(hash))
    if (stored.length > 0) await (await this.#open()).db.write([], await this.#keysOf(stored))
    if (added === undefined) return
    await this.#open()
    let size = 0
    for (const { transactions } of this.#waiting.values()) size += 1 + transactions.length
    if (size >= GROUP_SIZE) await this.#writeWaiting()
    // After the write, so that the block is left out if the write fails.
    this.#waiting.set(added.hash, added)
  }

  async #writeWaiting(): Promise<void> {
    const { db, layout } = await this.#open()
    const { encodeIndex, toIndexed } = await import('../format/records.ts')
    const waiting = [...this.#waiting]
    // Cleared before the write, so that a block removed during the write is also removed from the database.
    this.#waiting.clear()
    const { chainId } = this.#genesis!.rules
    const toOwnEntries = (block: Block): Entry[] => {
      const index = { ...toIndexed(block, chainId, undefined), transactions: [] }
      const hasOwn = index.unsigned.size > 0 || index.chainId !== undefined
      return hasOwn ? [{ key: OWN_KEY + block.hash, value: encodeIndex(index) }] : []
    }
    try {
      await db.write(waiting.flatMap(([, block]) => [...layout.blockEntries(block), ...toOwnEntries(block)]))
    } catch (error) {
      for (const [hash, block] of waiting) this.#waiting.set(hash, block)
      throw error
    }
  }

  async #keysOf(blocks: readonly Block[]): Promise<Key[]> {
    const { format, layout } = await this.#open()
    const keys: Key[] = []
    const pause = createYielder(systemClock)
    for (const block of blocks) {
      keys.push(...layout.blockKeys(block))
      if (format === undefined) keys.push(OWN_KEY + block.hash)
      await pause()
    }
    return keys
  }

  async #ownFields(hash: Hash): Promise<OwnFields> {
    const { db } = await this.#open()
    const stored = await db.get(OWN_KEY + hash)
    if (stored === undefined) return {}
    const { decodeIndex, ownFields } = await import('../format/records.ts')
    return ownFields(decodeIndex(stored))
  }

  #open(): Promise<Opened> {
    this.#opened ??= this.#start().catch((error) => {
      // The next call tries again.
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  async #start(): Promise<Opened> {
    const { block: genesis, rules, state, others } = this.#genesis!
    const layout = await import('./blockchain.ts')
    const db = this.#given
    if (db === undefined) {
      const { openMemoryDatabase } = await import('../memoryDatabase.ts')
      const level: Level = await openMemoryDatabase()
      const own = new BytesDatabase(level)
      await own.write(layout.blockEntries(genesis))
      return { level, db: own, layout, format: undefined }
    }
    const known = (await this.storedGenesis())?.genesis
    if (known !== undefined && known !== genesis.hash) throw new GenesisMismatchError(known, genesis.hash)
    const { DatabaseFormat, formatEntry, genesisChange } = await import('../format/databaseFormat.ts')
    const format = new DatabaseFormat(db, rules.chainId)
    if (known === undefined) {
      const { entries } = await format.entriesOf(genesisChange(genesis, state.changes))
      const { hash, timestamp } = genesis
      const chain = { genesis: hash, timestamp, chainId: rules.chainId, allocRoot: state.allocRoot }
      await db.write([formatEntry(chain), ...others, ...entries, ...layout.blockEntries(genesis)])
    }
    return { db, layout, format }
  }
}

/** The state of the genesis block of a new chain. */
export interface GenesisState {
  readonly changes: StateChanges
  readonly allocRoot?: AllocRoot | undefined
}

const EMPTY_GENESIS: GenesisState = {
  changes: { accounts: new Map(), slots: new Map(), codes: new Map() },
}

/** Key prefix of the fields that header and body lack, in a database in memory. The block's hash follows. */
const OWN_KEY = 'preseal:own:'
