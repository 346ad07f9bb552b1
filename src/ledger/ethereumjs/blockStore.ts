/**
 * Stored blocks, in the layout of @ethereumjs' blockchain on a key-value database.
 *
 * Owns: what is written to the database. Blocks are addressed by hash; the stored head determines which of them are
 * canonical.
 */
import { bigintToBytes, bytesToBigint, bytesToHex, concatBytes, hexToBytes } from '../../primitives/bytes.ts'
import { systemClock } from '../../primitives/clock.ts'
import { toError } from '../../primitives/emitter.ts'
import { decodeRlp, encodeRlp, type RlpItem, rlpSize } from '../../primitives/rlp.ts'
import type { Address, Hash } from '../../primitives/types.ts'
import { createYielder } from '../../primitives/yielder.ts'
import type { Block, StoredBlock } from '../../protocol/block.ts'
import type { BlockBody } from '../../protocol/blockEncoding.ts'
import { decodeHeader, decodeWithdrawal } from '../../protocol/decodeBlock.ts'
import { headerItems } from '../../protocol/header.ts'
import type { ChainRules } from '../../protocol/rules.ts'
import { mergePatches, type Patches, type StatePatch } from '../../state/patch.ts'
import { BytesDatabase, type Entry, type Key, type Level } from '../bytesDatabase.ts'
import { DatabaseInUseError, DatabaseOpenError, DatabaseWriteError, GenesisMismatchError } from '../errors.ts'
import { decodePatch, encodePatch } from '../patchEncoding.ts'

const HEAD_KEY = 'preseal:head'
const GENESIS_KEY = 'preseal:genesis'
/** Key prefix, before a block's hash, of the senders of its unsigned transactions. */
const UNSIGNED_KEY = 'preseal:unsigned:'
/** Key prefix, before a block's hash, of the chain id it was executed with, if that is not the genesis block's. */
const CHAIN_ID_KEY = 'preseal:chainId:'
/** Key prefix, before a block's hash, of the changes to its state since it was sealed. */
const PATCH_KEY = 'preseal:patch:'

/**
 * How many blocks and transactions a database in memory gets at once. Until a block leaves the history it is not read from
 * there, and a write of its own would take a tenth of the time of a small block.
 */
const GROUP_SIZE = 64

type StoredGenesis = Pick<Block, 'hash' | 'timestamp'>

/** Entries that are written and removed with others in one batch. */
export interface BatchPart {
  readonly entries: readonly Entry[]
  readonly removed: readonly Key[]
}

/** What a change of the chain writes. */
export interface StoredChange {
  /** The hash of the head after it, from which the next start resumes the chain. */
  readonly head: Hash
  /** A block that was sealed; it is the head. */
  readonly added?: Block
  /** What was written to the state of the head since it was sealed; the field is left out if that is as before. */
  readonly patched?: { readonly patches: Patches | undefined }
  /** Blocks that were withdrawn; their hashes are unknown from then on. */
  readonly removed?: readonly Block[]
  /** What else is written in the same batch; only with a database that was given. */
  readonly part?: BatchPart
}

/** An open database, with the layout of blocks in it. */
interface Opened {
  readonly level: Level
  readonly db: BytesDatabase
  /** The encoded header or body of a block. */
  partOf(part: 'header' | 'body', hash: Hash, number: bigint): Promise<Uint8Array | undefined>
  /** The entries that store a block. */
  entriesOf(block: Block): readonly Entry[]
  /** The keys of the entries of a block, and of its patch. */
  keysOf(block: Block): readonly Key[]
  /** The encoded number of a block; undefined if the block is not stored. */
  encodedNumberOf(hash: Hash): Promise<Uint8Array | undefined>
}

/** See the file's header. */
export class BlockStore {
  /** The caller's database; undefined for one in memory, which is loaded at the first access and never resumed. */
  readonly #given: Level | undefined
  /** The blocks that the database in memory gets with the next group. */
  readonly #waiting = new Map<Hash, Block>()
  #genesis: { readonly block: Block; readonly rules: ChainRules } | undefined
  #opened: Promise<Opened> | undefined
  readonly #sync: boolean

  private constructor(given: Level | undefined, sync: boolean) {
    this.#given = given
    this.#sync = sync
  }

  /**
   * Opens the database; without one, the store uses one in memory, which it closes itself.
   *
   * @param sync - whether a change of the chain is written only once it is on the disk.
   * @throws DatabaseInUseError, DatabaseOpenError
   */
  static async open(database: object | undefined, sync = false): Promise<BlockStore> {
    const given = database as Level | undefined
    try {
      await given?.open()
    } catch (error) {
      // abstract-level's own error names no reason; its cause does.
      const { cause = error } = error as Error
      const isLocked = (cause as { code?: string }).code === 'LEVEL_LOCKED'
      throw isLocked ? new DatabaseInUseError(given?.location ?? '') : new DatabaseOpenError(toError(cause))
    }
    return new BlockStore(given, sync)
  }

  /** The hash of the stored genesis block and its timestamp, in seconds; undefined if there is none. */
  async storedGenesis(): Promise<StoredGenesis | undefined> {
    if (this.#given !== undefined) return readGenesis(new BytesDatabase(this.#given))
    if (this.#genesis === undefined) return undefined
    const { hash, timestamp } = this.#genesis.block
    return { hash, timestamp }
  }

  /**
   * Starts the chain, or resumes the one in the database.
   *
   * @returns the hash of the stored head, or of the genesis block if there is none.
   * @throws GenesisMismatchError if the database holds a chain with another genesis block.
   */
  async begin(genesis: Block, rules: ChainRules): Promise<Hash> {
    this.#genesis = { block: genesis, rules }
    if (this.#given === undefined) return genesis.hash
    const { db } = await this.#open()
    const head = await db.get(HEAD_KEY)
    return head === undefined ? genesis.hash : bytesToHex(head)
  }

  /**
   * Writes a change of the chain, all of it or nothing. A database in memory keeps the blocks alone, since the chain is
   * never resumed from it, and gets them in groups.
   *
   * @throws DatabaseWriteError
   */
  async write(change: StoredChange): Promise<void> {
    if (this.#given === undefined) return this.#writeInGroups(change)
    const { head, added, patched, removed = [], part } = change
    const { db, entriesOf } = await this.#open()
    const entries: Entry[] = [{ key: HEAD_KEY, value: hexToBytes(head) }]
    if (added !== undefined) entries.push(...entriesOf(added))
    const withdrawn = await this.#keysOf(removed)
    const key = PATCH_KEY + head
    if (patched?.patches !== undefined)
      entries.push({ key, value: encodePatch(mergePatches(patched.patches)) })
    else if (patched !== undefined) withdrawn.push(key)
    if (part !== undefined) {
      entries.push(...part.entries)
      withdrawn.push(...part.removed)
    }
    await writeTo(db, entries, withdrawn, this.#sync)
  }

  /** Writes entries that change no block, all of them or none. @throws DatabaseWriteError */
  async writePart({ entries, removed }: BatchPart): Promise<void> {
    await writeTo((await this.#open()).db, entries, removed)
  }

  /** The value of an entry that {@link writePart} wrote. */
  async entry(key: string): Promise<Uint8Array | undefined> {
    return (await this.#open()).db.get(key)
  }

  /** The entries that {@link writePart} wrote under keys with this prefix. */
  async entriesOf(prefix: string): Promise<[key: string, value: Uint8Array][]> {
    return (await this.#open()).db.entriesOf(prefix)
  }

  /** The changes to the state of a block since it was sealed. */
  async getPatch(hash: Hash): Promise<StatePatch | undefined> {
    if (this.#given === undefined) return undefined
    const stored = await (await this.#open()).db.get(PATCH_KEY + hash)
    return stored === undefined ? undefined : decodePatch(stored)
  }

  /** The block with this hash; undefined if it is not stored. */
  async get(hash: Hash): Promise<StoredBlock | undefined> {
    if (this.#waiting.has(hash)) await this.#writeWaiting()
    const { db, partOf, encodedNumberOf } = await this.#open()
    const encodedNumber = await encodedNumberOf(hash)
    if (encodedNumber === undefined) return undefined
    const number = bytesToBigint(encodedNumber)
    const encoded = await partOf('header', hash, number)
    const encodedBody = await partOf('body', hash, number)
    const senders = await db.get(UNSIGNED_KEY + hash)
    const chainId = await db.get(CHAIN_ID_KEY + hash)
    // A block is removed in one batch, which may have happened while it was read.
    if ((await encodedNumberOf(hash)) === undefined) return undefined
    const { rules } = this.#genesis!
    const header = decodeHeader(decodeRlp(encoded!), rules)
    const body = decodeRlp(encodedBody!) as unknown as BlockBody
    const [transactions, uncles, withdrawals] = body
    return {
      header,
      transactions: transactions.map((tx) => (tx instanceof Uint8Array ? tx : encodeRlp(tx))),
      ...(senders && { unsigned: decodeSenders(senders) }),
      ...(chainId && { chainId: bytesToBigint(chainId) }),
      uncles: uncles.map((uncle) => decodeHeader(uncle, rules)),
      withdrawals: withdrawals?.map(decodeWithdrawal),
      size: rlpSize([headerItems(header), ...body] as readonly RlpItem[]),
    }
  }

  /** Closes the database if it is the store's own. */
  async close(): Promise<void> {
    if (this.#given === undefined) await (await this.#opened)?.level.close()
  }

  async #writeInGroups({ added, removed = [] }: StoredChange): Promise<void> {
    const stored = removed.filter(({ hash }) => !this.#waiting.delete(hash))
    if (stored.length > 0) await writeTo((await this.#open()).db, [], await this.#keysOf(stored))
    if (added === undefined) return
    await this.#open()
    let size = 0
    for (const { transactions } of this.#waiting.values()) size += 1 + transactions.length
    if (size >= GROUP_SIZE) await this.#writeWaiting()
    // Last, so that a refused write leaves the block out.
    this.#waiting.set(added.hash, added)
  }

  async #writeWaiting(): Promise<void> {
    const { db, entriesOf } = await this.#open()
    const blocks = [...this.#waiting]
    // Before the write begins: a block that is removed from now on is in the database.
    this.#waiting.clear()
    try {
      await writeTo(
        db,
        blocks.flatMap(([, block]) => entriesOf(block)),
      )
    } catch (error) {
      for (const [hash, block] of blocks) this.#waiting.set(hash, block)
      throw error
    }
  }

  async #keysOf(blocks: readonly Block[]): Promise<Key[]> {
    const { keysOf } = await this.#open()
    const keys: Key[] = []
    const pause = createYielder(systemClock)
    for (const block of blocks) {
      keys.push(...keysOf(block))
      await pause()
    }
    return keys
  }

  #open(): Promise<Opened> {
    this.#opened ??= this.#start().catch((error) => {
      // The next operation tries again.
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  async #start(): Promise<Opened> {
    const { block: genesis, rules } = this.#genesis!
    const level = this.#given ?? (await openInMemory())
    const db = new BytesDatabase(level)
    const known = (await readGenesis(db))?.hash
    if (known !== undefined && known !== genesis.hash) throw new GenesisMismatchError(known, genesis.hash)
    const { blockEntries, blockKeys, numberKey, partKey } = await import('./blockchain.ts')
    const entriesOf: Opened['entriesOf'] = (block) => {
      const entries = blockEntries(block)
      const senders = encodeSenders(block)
      if (senders !== undefined) entries.push({ key: UNSIGNED_KEY + block.hash, value: senders })
      const { chainId } = block.rules
      if (chainId !== rules.chainId)
        entries.push({ key: CHAIN_ID_KEY + block.hash, value: bigintToBytes(chainId) })
      return entries
    }
    const keysOf: Opened['keysOf'] = (block) => {
      const own = [UNSIGNED_KEY, CHAIN_ID_KEY, PATCH_KEY].map((prefix) => prefix + block.hash)
      return [...blockKeys(block), ...own]
    }
    const encodedNumberOf: Opened['encodedNumberOf'] = (hash) => db.get(numberKey(hash))
    const partOf: Opened['partOf'] = (part, hash, number) => db.get(partKey(part, hash, number))
    if ((await encodedNumberOf(genesis.hash)) === undefined) {
      const value = concatBytes(hexToBytes(genesis.hash), bigintToBytes(genesis.timestamp))
      await db.write([{ key: GENESIS_KEY, value }, ...entriesOf(genesis)])
    }
    return { level, db, entriesOf, keysOf, encodedNumberOf, partOf }
  }
}

async function writeTo(
  db: BytesDatabase,
  entries: readonly Entry[],
  removed?: readonly Key[],
  sync?: boolean,
): Promise<void> {
  try {
    await db.write(entries, removed, sync)
  } catch (error) {
    throw new DatabaseWriteError(toError(error))
  }
}

/** Index and sender of each unsigned transaction; undefined if all are signed. */
function encodeSenders({ transactions }: Block): Uint8Array | undefined {
  if (!transactions.some(({ unsigned }) => unsigned)) return undefined
  const unsigned = [...transactions.entries()].filter(([, tx]) => tx.unsigned)
  return encodeRlp(unsigned.map(([index, { from }]) => [bigintToBytes(BigInt(index)), hexToBytes(from)]))
}

function decodeSenders(bytes: Uint8Array): ReadonlyMap<number, Address> {
  const pairs = decodeRlp(bytes) as [Uint8Array, Uint8Array][]
  return new Map(pairs.map(([index, sender]) => [Number(bytesToBigint(index)), bytesToHex(sender)]))
}

async function openInMemory(): Promise<Level> {
  const { openMemoryDatabase } = await import('../memoryDatabase.ts')
  return openMemoryDatabase()
}

async function readGenesis(db: BytesDatabase): Promise<StoredGenesis | undefined> {
  const stored = await db.get(GENESIS_KEY)
  if (stored === undefined) return undefined
  return { hash: bytesToHex(stored.subarray(0, 32)), timestamp: bytesToBigint(stored.subarray(32)) }
}
