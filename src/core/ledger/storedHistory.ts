/**
 * The part of the history that only the database has: the blocks before the head at which a resumed chain starts.
 *
 * Owns: the range of these blocks, and the bloom filters, hashes and changes read so far. A rewind releases the
 * changes; the rest stays. Does not own the blocks once they are read (the ledger does), nor the state at the start
 * (the world state does).
 */

import { hexToBytes } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import { Missing, whenLoaded } from '../../base/waiting.ts'
import type { StoredBlock } from '../../ethereum/block.ts'
import { EMPTY_BLOOM } from '../../ethereum/header.ts'
import {
  type AccountRecord,
  EMPTY_CODE_HASH,
  EMPTY_STATE,
  type StateChanges,
} from '../../ethereum/state/account.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import { changesSince, Layer } from '../../ethereum/state/layer.ts'
import { StateVersion, type VersionReads } from '../../ethereum/state/worldState.ts'
import { DatabaseCorruptError, TooManyLogsError } from './errors.ts'
import type { DatabaseFormat } from './format/databaseFormat.ts'
import type { BlockChanges } from './format/records.ts'
import {
  criteriaOf,
  type IndexedLog,
  indexLogs,
  type LoggedBlock,
  type LogIndex,
  type LogQuery,
  matchesFilter,
} from './logIndex.ts'

/** See the file's header. */
export class StoredHistory {
  readonly format: DatabaseFormat
  readonly index: StoredIndex
  readonly versions: StoredVersions
  readonly #blooms = new Map<Hash, Hex>()

  /** @param first - the oldest block of the history. */
  constructor(format: DatabaseFormat, base: StoredBase, first: number) {
    this.format = format
    this.index = new StoredIndex(format, base.number)
    this.versions = new StoredVersions(format, base, first)
  }

  has(number: number): boolean {
    return number >= this.versions.first && number < this.versions.base.number
  }

  /**
   * Like `LogIndex.query`, for a range that starts in this part of the history. The bloom filters of headers select the
   * blocks to read.
   */
  async queryLogs(
    ledger: SearchedLedger,
    ...[filter, from, to, canonical, limit, pause]: Parameters<LogIndex['query']>
  ): Promise<IndexedLog[]> {
    const found: IndexedLog[] = []
    const { first } = ledger
    const mayMatch = bloomFilter(filter)
    for (let number = from; number < first && number <= to; number += 1n) {
      await pause()
      const hash = await whenLoaded(() => canonical(Number(number)))
      const bloom = hash && (await this.#bloomOf(hash, ledger))
      if (bloom === undefined || !mayMatch(bloom)) continue
      const entry = await whenLoaded(() => ledger.get(hash!, number))
      for (const log of entry === undefined ? [] : indexLogs(entry.block)) {
        if (!matchesFilter(log, filter)) continue
        if (found.length >= limit) throw new TooManyLogsError(limit)
        found.push(log)
      }
    }
    if (to < first) return found
    const rest = await ledger.logs.query(filter, first, to, canonical, limit, pause)
    if (found.length + rest.length > limit) throw new TooManyLogsError(limit)
    return [...found, ...rest]
  }

  async #bloomOf(hash: Hash, ledger: SearchedLedger): Promise<Hex | undefined> {
    const known = this.#blooms.get(hash)
    if (known !== undefined) return known
    const bloom = (await ledger.getPruned(hash))?.header.logsBloom
    // Most filters are empty, and share one string.
    if (bloom !== undefined) this.#blooms.set(hash, bloom === EMPTY_BLOOM ? EMPTY_BLOOM : bloom)
    return bloom
  }
}

interface SearchedLedger {
  readonly logs: LogIndex
  readonly first: bigint
  get(hash: Hash, number: bigint): { readonly block: LoggedBlock } | undefined
  getPruned(hash: Hash): Promise<Pick<StoredBlock, 'header'> | undefined>
}

/** How many blocks a part has: as many as BLOCKHASH reaches. */
const PART = 256

interface Part {
  readonly hashes: readonly Hash[]
  /** Numbers of the blocks that contain a transaction, ascending, by the transaction's hash. */
  readonly transactions: ReadonlyMap<Hash, readonly number[]>
}

/** Hashes of the blocks up to the start of a resumed chain, and of their transactions. */
class StoredIndex {
  readonly #format: DatabaseFormat
  /** The number of the head at which the chain starts. */
  readonly #newest: number
  readonly #parts = new Map<number, Part>()

  constructor(format: DatabaseFormat, newest: number) {
    this.#format = format
    this.#newest = newest
  }

  /** Returns the hash of a block. @throws Missing */
  readonly hashAt = (number: bigint): Hash => {
    const at = Number(number)
    return this.#part(Math.floor(at / PART)).hashes[at % PART]!
  }

  /** Returns the number of a block. Undefined if no part with blocks from `first` on has the hash. @throws Missing */
  numberOf(hash: Hash, first: number): number | undefined {
    for (let part = Math.floor(this.#newest / PART); part >= Math.floor(first / PART); part--) {
      const place = this.#part(part).hashes.indexOf(hash)
      if (place >= 0) return part * PART + place
    }
    return undefined
  }

  /** Yields the blocks from `first` on that contain a transaction, newest first. @throws Missing */
  *blocksWith(hash: Hash, first: number): Iterable<number> {
    for (let part = Math.floor(this.#newest / PART); part >= Math.floor(first / PART); part--) {
      const numbers = this.#part(part).transactions.get(hash) ?? []
      yield* numbers.filter((number) => number >= first).reverse()
    }
  }

  async read(first: number): Promise<void> {
    for (let part = Math.floor(first / PART); part <= Math.floor(this.#newest / PART); part++)
      await this.#read(part)
  }

  #part(part: number): Part {
    const read = this.#parts.get(part)
    if (read === undefined) throw new Missing(() => this.#read(part))
    return read
  }

  async #read(part: number): Promise<void> {
    if (this.#parts.has(part)) return
    const from = part * PART
    const blocks = await this.#format.indices(from, Math.min(from + PART - 1, this.#newest))
    const transactions = new Map<Hash, number[]>()
    for (const [i, block] of blocks.entries()) {
      for (const hash of block.transactions) getOrInsert(transactions, hash, () => []).push(from + i)
    }
    this.#parts.set(part, { hashes: blocks.map(({ hash }) => hash), transactions })
  }
}

/** The oldest block whose state the world state has. */
interface StoredBase {
  readonly number: number
  readonly state: StateVersion
}

/** One read of the database takes the changes of at most this many blocks. */
const BLOCKS_AT_ONCE = 256

/** Added to block numbers, so that positions of stored states are negative and ascending. */
const OFFSET = -(2 ** 48)

/** The values of a key before each block that changed it, newest block first. */
class ValuesBefore<Value> {
  readonly #numbers: number[] = []
  readonly #values: Value[] = []

  /** Adds the value before a block that is older than all added so far. */
  push(number: number, value: Value): void {
    this.#numbers.push(number)
    this.#values.push(value)
  }

  /** Returns the value after block `number`; undefined if no later block changed it. */
  after(number: number): Value | undefined {
    let low = 0
    let high = this.#numbers.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#numbers[middle]! > number) low = middle + 1
      else high = middle
    }
    return low === 0 ? undefined : this.#values[low - 1]
  }

  *newestFirst(): Iterable<readonly [number: number, before: Value]> {
    for (const [i, number] of this.#numbers.entries()) yield [number, this.#values[i]!]
  }
}

/**
 * States before the start of a resumed chain. The value of a key after block n is the value before the first later
 * block that changes the key, or else the value at the start. So changes are read from the start backwards.
 */
export class StoredVersions implements VersionReads {
  readonly #format: Pick<DatabaseFormat, 'changes' | 'code'>
  base: StoredBase
  /** The oldest block whose state can be read. */
  first: number
  /** The changes of the blocks after this number, up to the base, have been read. */
  #read: number
  #accounts = new Map<Address, ValuesBefore<AccountRecord | null>>()
  #slots = new Map<number, Map<Hex, ValuesBefore<bigint>>>()
  readonly #codes = new Map<Hash, Uint8Array>()
  #reading: Promise<unknown> = Promise.resolve()

  constructor(format: Pick<DatabaseFormat, 'changes' | 'code'>, base: StoredBase, first: number) {
    this.#format = format
    this.base = base
    this.first = first
    this.#read = base.number
  }

  /** Makes the states of the blocks before `first` unavailable. */
  prune(first: number): void {
    this.first = Math.max(first, this.first)
  }

  /** Rewinds to an earlier block, whose state is now in the world state. */
  rebase(base: StoredBase): void {
    this.base = base
    // The changes read so far include withdrawn blocks, so all changes are read again when needed.
    this.#accounts = new Map()
    this.#slots = new Map()
    this.#read = base.number
  }

  /** Returns the state after a block. For -1, returns the genesis state before any write to it. */
  versionAt(number: number): StateVersion {
    return new StateVersion(this, OFFSET + number, this.base.state.lastStorageId)
  }

  account(address: Address, position: number): AccountRecord | undefined {
    const number = this.#require(position)
    const before = this.#accounts.get(address)?.after(number)
    return (before === undefined ? this.base.state.account(address) : before) ?? undefined
  }

  slot(storageId: number, key: Hex, position: number): bigint {
    const number = this.#require(position)
    const before = this.#slots.get(storageId)?.get(key)?.after(number)
    return before ?? this.base.state.slot(storageId, key)
  }

  code(codeHash: Hash): Uint8Array {
    const current = this.base.state.code(codeHash)
    const code = current.length > 0 ? current : this.#codes.get(codeHash)
    if (code !== undefined) return code
    throw new Missing(async () => {
      this.#codes.set(codeHash, await this.#format.code(codeHash))
    })
  }

  everything(position: number): StateChanges {
    const whole = new Layer(EMPTY_STATE, this.base.state.everything())
    const { accounts, slots, codes } = changesSince(new Layer(whole, this.undo(position)), EMPTY_STATE)
    const kept = new Map([...accounts].filter(([, record]) => record !== null))
    const ids = new Set([...kept.values()].map((record) => record!.storageId))
    return {
      accounts: kept,
      slots: new Map([...slots].filter(([id]) => ids.has(id))),
      codes,
      lastStorageId: this.base.state.lastStorageId,
    }
  }

  /** Returns the changes that turn the base's state into an earlier one. @throws StateUnavailableError, Missing */
  undo(position: number): StateChanges {
    const number = this.#require(position)
    const accounts = new Map<Address, AccountRecord | null>()
    const slots = new Map<number, Map<Hex, bigint>>()
    const codes = new Map<Hash, Uint8Array>()
    for (const [address, values] of this.#accounts) {
      const record = values.after(number)
      if (record === undefined) continue
      accounts.set(address, record)
      const hash = record?.codeHash ?? EMPTY_CODE_HASH
      if (hash !== EMPTY_CODE_HASH) codes.set(hash, this.code(hash))
    }
    for (const [id, keys] of this.#slots) {
      for (const [key, values] of keys) {
        const value = values.after(number)
        if (value === undefined) continue
        getOrInsert(slots, id, () => new Map<Hex, bigint>()).set(key, value)
      }
    }
    return { accounts, slots, codes }
  }

  /** Yields the blocks that raised an account's nonce above `nonce`, newest first. @throws Missing */
  *nonceRises(address: Address, nonce: bigint): Iterable<number> {
    // The changes of the oldest block show whether it raised the nonce, so they must be read too.
    this.#requireRead(this.first - 1)
    let after = this.base.state.account(address)?.nonce ?? 0n
    for (const [number, before] of this.#accounts.get(address)?.newestFirst() ?? []) {
      const earlier = before?.nonce ?? 0n
      if (number >= this.first && after > nonce && earlier <= nonce) yield number
      after = earlier
    }
  }

  /** Returns the block number of a position. @throws StateUnavailableError, Missing */
  #require(position: number): number {
    const number = position - OFFSET
    if (Math.max(0, number) < this.first || number > this.base.number) throw new StateUnavailableError()
    this.#requireRead(number)
    return number
  }

  #requireRead(number: number): void {
    if (number < this.#read) throw new Missing(() => this.#readTo(number))
  }

  /** Reads the changes of the blocks after `number`. Concurrent calls run in turn. */
  #readTo(number: number): Promise<void> {
    const reading = this.#reading.then(async () => {
      while (this.#read > number) if (!(await this.#readPart(number))) return
    })
    this.#reading = reading.catch(() => {})
    return reading
  }

  /** @returns false if a rewind or pruning left nothing to read. */
  async #readPart(number: number): Promise<boolean> {
    const base = this.base
    const to = this.#read
    const from = Math.max(number + 1, to - BLOCKS_AT_ONCE + 1)
    let changes: readonly BlockChanges[]
    try {
      changes = await this.#format.changes(from, to)
    } catch (error) {
      if (error instanceof DatabaseCorruptError && (base !== this.base || from < this.first)) return false
      throw error
    }
    if (base !== this.base) return false
    for (let i = changes.length - 1; i >= 0; i--) this.#add(from + i, changes[i]!)
    this.#read = from - 1
    return true
  }

  #add(number: number, { accounts, slots }: BlockChanges): void {
    for (const [address, record] of accounts) {
      getOrInsert(this.#accounts, address, () => new ValuesBefore()).push(number, record)
    }
    for (const [id, values] of slots) {
      const own = getOrInsert(this.#slots, id, () => new Map<Hex, ValuesBefore<bigint>>())
      for (const [key, value] of values) getOrInsert(own, key, () => new ValuesBefore()).push(number, value)
    }
  }
}

/** Returns whether a block with a given bloom filter may contain matching logs. */
function bloomFilter(query: LogQuery): (bloom: Hex) => boolean {
  const criteria = criteriaOf(query).map((wanted) => wanted.map(bitsOf))
  // The last digit has the lowest four bits.
  const digitAt = (bloom: Hex, bit: number) => Number.parseInt(bloom[bloom.length - 1 - (bit >> 2)]!, 16)
  const hasAll = (bloom: Hex, bits: number[]) => bits.every((bit) => digitAt(bloom, bit) & (1 << (bit & 3)))
  return (bloom) =>
    bloom !== EMPTY_BLOOM && criteria.every((wanted) => wanted.some((bits) => hasAll(bloom, bits)))
}

/** The three bits that an item sets (Yellow Paper, section 4.3.1). */
function bitsOf(item: Hex): number[] {
  const hash = keccak256(hexToBytes(item))
  return [0, 2, 4].map((i) => ((hash[i]! << 8) | hash[i + 1]!) & 2047)
}
