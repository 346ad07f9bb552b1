/** Entries of bytes in an abstract-level database, under keys of bytes or of text. */

import { toError } from '../../base/emitter.ts'
import {
  DatabaseInUseError,
  DatabaseOpenError,
  DatabaseReadError,
  DatabaseStoppedError,
  DatabaseWriteError,
} from './errors.ts'

/** The part of abstract-level that is used; see `Database` in the options. */
export interface Level {
  /** Its folder, if it is in one. */
  readonly location?: string
  open(): Promise<void>
  close(): Promise<void>
  get(key: unknown, options: Encodings): Promise<unknown>
  batch(operations: readonly object[], options: object): Promise<void>
  iterator(options: object): LevelIterator
}

/** The part of abstract-level's iterators that is used. */
interface LevelIterator {
  nextv(size: number): Promise<readonly (readonly [key: Key, value: Uint8Array])[]>
  close(): Promise<void>
}

/** The key of an entry. */
export type Key = Uint8Array | string

/** A key with its value. */
export interface Entry {
  readonly key: Key
  readonly value: Uint8Array
}

interface Encodings {
  readonly keyEncoding: 'view' | 'utf8'
  readonly valueEncoding: 'view'
}

const BYTES: Encodings = { keyEncoding: 'view', valueEncoding: 'view' }
/** How many entries a range reads at once. */
const RANGE_PART = 1000

const TEXT: Encodings = { keyEncoding: 'utf8', valueEncoding: 'view' }

/**
 * See the file's header. Its owner opens and closes the database.
 *
 * After a write has failed it writes nothing until the database was opened again. LevelDB may have added a part of the failed
 * write to its log, and reads nothing that follows such a part when it is opened.
 */
export class BytesDatabase {
  readonly #level: Level
  /** Why a write failed; undefined while writes are accepted. */
  #failure: Error | undefined
  /** Ends once the database is open again; undefined unless it is being opened. */
  #reopening: Promise<void> | undefined

  constructor(level: Level) {
    this.#level = level
  }

  /** The value under a key; undefined if there is none. @throws DatabaseReadError */
  async get(key: Key): Promise<Uint8Array | undefined> {
    if (this.#reopening !== undefined) await this.#reopening
    try {
      return (await this.#level.get(key, encodingsOf(key))) as Uint8Array | undefined
    } catch (error) {
      // Earlier major versions reject for a missing key, newer ones return undefined.
      if ((error as { code?: string }).code === 'LEVEL_NOT_FOUND') return undefined
      throw new DatabaseReadError(toError(error))
    }
  }

  /**
   * The entries under keys of bytes from `from` to below `to`, ascending, in parts. Throws DatabaseReadError.
   *
   * @param limit - the most entries; by default all.
   */
  range(from: Uint8Array, to: Uint8Array, limit = -1): AsyncGenerator<readonly Entry[]> {
    return this.#parts({ gte: from, lt: to, limit, ...BYTES })
  }

  /** The entries whose keys are texts with this prefix, in the order of their keys. */
  async entriesOf(prefix: string): Promise<[key: string, value: Uint8Array][]> {
    const entries: [string, Uint8Array][] = []
    for await (const part of this.#parts({ gt: prefix, lt: `${prefix}\uffff`, ...TEXT })) {
      for (const { key, value } of part) entries.push([key as string, value])
    }
    return entries
  }

  async *#parts(options: object): AsyncGenerator<readonly Entry[]> {
    if (this.#reopening !== undefined) await this.#reopening
    const iterator = this.#iterate(options)
    const read = () => {
      const part = iterator.nextv(RANGE_PART)
      // Reported once it is awaited.
      part.catch(() => {})
      return part
    }
    try {
      let next = read()
      for (;;) {
        const part = await next.catch((error) => {
          throw new DatabaseReadError(toError(error))
        })
        if (part.length === 0) return
        // Databases read in threads of their own, while this part is used.
        next = read()
        yield part.map(([key, value]) => ({ key, value }))
      }
    } finally {
      await iterator.close()
    }
  }

  #iterate(options: object): LevelIterator {
    try {
      return this.#level.iterator(options)
    } catch (error) {
      throw new DatabaseReadError(toError(error))
    }
  }

  /** Whether writes are refused, since one has failed. */
  get isStopped(): boolean {
    return this.#failure !== undefined
  }

  /**
   * Closes the database and opens it again. Writes stay refused until {@link resume}.
   *
   * @throws DatabaseOpenError, DatabaseInUseError; the database is closed then.
   */
  async reopen(): Promise<void> {
    const reopened = this.#level.close().then(() => openLevel(this.#level))
    this.#reopening = reopened.catch(() => {})
    try {
      await reopened
    } finally {
      this.#reopening = undefined
    }
  }

  /** Accepts writes again. */
  resume(): void {
    this.#failure = undefined
  }

  /**
   * Writes entries and removes those under `removed`, all or none; keys without an entry are ignored.
   *
   * @param sync - whether it resolves only once all is on the disk.
   * @throws DatabaseWriteError; after that DatabaseStoppedError, until the database was opened again.
   */
  async write(entries: readonly Entry[], removed: readonly Key[] = [], sync = false): Promise<void> {
    if (this.#failure !== undefined) throw new DatabaseStoppedError(this.#failure)
    const operations: object[] = []
    // Field by field, since a spread of the encodings takes longer than the write itself.
    for (const { key, value } of entries) {
      const { keyEncoding, valueEncoding } = encodingsOf(key)
      operations.push({ type: 'put', key, value, keyEncoding, valueEncoding })
    }
    for (const key of removed) {
      operations.push({ type: 'del', key, keyEncoding: encodingsOf(key).keyEncoding })
    }
    try {
      await this.#level.batch(operations, sync ? { sync } : {})
    } catch (error) {
      this.#failure = toError(error)
      throw new DatabaseWriteError(this.#failure)
    }
  }
}

function encodingsOf(key: Key): Encodings {
  return typeof key === 'string' ? TEXT : BYTES
}

/** Opens the caller's database. @throws DatabaseInUseError, DatabaseOpenError */
export async function openLevel(level: Level): Promise<void> {
  try {
    await level.open()
  } catch (error) {
    // abstract-level's own error names no reason; its cause does.
    const { cause = error } = error as Error
    const isLocked = (cause as { code?: string }).code === 'LEVEL_LOCKED'
    throw isLocked ? new DatabaseInUseError(level.location ?? '') : new DatabaseOpenError(toError(cause))
  }
}

// Which databases the chains of this process have open. A folder that another process has open is locked by itself.

const claimed = new WeakSet<object>()

/**
 * Marks a database as in use, until the returned function is called.
 *
 * @throws DatabaseInUseError if another chain has it.
 */
export function claimDatabase(database: object | undefined): () => void {
  if (database === undefined) return () => {}
  if (claimed.has(database)) throw new DatabaseInUseError(undefined)
  claimed.add(database)
  return () => {
    claimed.delete(database)
  }
}
