/** Entries of an abstract-level database, under keys of bytes or text. */

import { toError } from '../../base/emitter.ts'
import {
  DatabaseInUseError,
  DatabaseOpenError,
  DatabaseReadError,
  DatabaseStoppedError,
  DatabaseWriteError,
} from './errors.ts'

/** The part of abstract-level that is used here. See `Database` in the options. */
export interface Level {
  /** The folder, for a database on disk. */
  readonly location?: string
  open(): Promise<void>
  close(): Promise<void>
  get(key: unknown, options: object): Promise<unknown>
  batch(operations: readonly object[], options: object): Promise<void>
  iterator(options: object): LevelIterator
}

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

const BYTES = { keyEncoding: 'view', valueEncoding: 'view' }
const TEXT = { keyEncoding: 'utf8', valueEncoding: 'view' }
const encodingsOf = (key: Key) => (typeof key === 'string' ? TEXT : BYTES)

/** Maximum size of a stored block number, in bytes. */
export const MAX_NUMBER_SIZE = 6

/** How many entries of a range one read takes. */
const RANGE_PART = 1000

/** The databases in use by chains of this process. LevelDB itself locks folders against other processes. */
const claimed = new WeakSet<Level>()

/**
 * See the file's header. Does not own the database: callers close it. After a failed write, it refuses writes until
 * `reopen` and `resume` (core/DECISIONS.md 70c).
 */
export class BytesDatabase {
  readonly #level: Level
  /** Why a write failed; undefined while writes are accepted. */
  #failure: Error | undefined
  /** Resolves when the database is open again; undefined unless it is reopening. */
  #reopening: Promise<void> | undefined

  constructor(level: Level) {
    this.#level = level
  }

  /** Opens the database for one chain, until {@link release}. @throws DatabaseInUseError, DatabaseOpenError */
  async open(): Promise<void> {
    if (claimed.has(this.#level)) throw new DatabaseInUseError(undefined)
    claimed.add(this.#level)
    try {
      await this.#openLevel()
    } catch (error) {
      this.release()
      throw error
    }
  }

  /** Lets another chain of this process use the database. */
  release(): void {
    claimed.delete(this.#level)
  }

  async #openLevel(): Promise<void> {
    try {
      await this.#level.open()
    } catch (error) {
      // abstract-level's error states the reason only in its cause.
      const { cause = error } = error as Error
      const isLocked = (cause as { code?: string }).code === 'LEVEL_LOCKED'
      throw isLocked
        ? new DatabaseInUseError(this.#level.location ?? '')
        : new DatabaseOpenError(toError(cause))
    }
  }

  /** Reads the value of a key; undefined if there is none. @throws DatabaseReadError */
  async get(key: Key): Promise<Uint8Array | undefined> {
    if (this.#reopening !== undefined) await this.#reopening
    try {
      return (await this.#level.get(key, encodingsOf(key))) as Uint8Array | undefined
    } catch (error) {
      // Older major versions reject for a missing key, newer ones return undefined.
      if ((error as { code?: string }).code === 'LEVEL_NOT_FOUND') return undefined
      throw new DatabaseReadError(toError(error))
    }
  }

  /** Reads the entries from key `from` (included) to `to` (excluded), ascending, in parts. @throws DatabaseReadError */
  range(from: Uint8Array, to: Uint8Array, limit = -1): AsyncGenerator<readonly Entry[]> {
    return this.#parts({ gte: from, lt: to, limit, ...BYTES })
  }

  /** Reads the entries whose text keys have this prefix, in order; with `limit`, the last ones, in reverse order. */
  async entriesOf(prefix: string, limit?: number): Promise<[key: string, value: Uint8Array][]> {
    const entries: [string, Uint8Array][] = []
    const range = { gt: prefix, lt: `${prefix}\uffff`, ...(limit && { limit, reverse: true }) }
    for await (const part of this.#parts({ ...range, ...TEXT })) {
      for (const { key, value } of part) entries.push([key as string, value])
    }
    return entries
  }

  async *#parts(options: object): AsyncGenerator<readonly Entry[]> {
    if (this.#reopening !== undefined) await this.#reopening
    const failed = (error: unknown): never => {
      throw new DatabaseReadError(toError(error))
    }
    let iterator: LevelIterator
    try {
      iterator = this.#level.iterator(options)
    } catch (error) {
      return failed(error)
    }
    const read = () => {
      const part = iterator.nextv(RANGE_PART).catch(failed)
      // Avoids an unhandled rejection: the failure is reported when the part is awaited.
      part.catch(() => {})
      return part
    }
    try {
      let next = read()
      for (;;) {
        const part = await next
        if (part.length === 0) return
        // Databases read in threads, so the next part loads while this one is used.
        next = read()
        yield part.map(([key, value]) => ({ key, value }))
      }
    } finally {
      await iterator.close()
    }
  }

  get isStopped(): boolean {
    return this.#failure !== undefined
  }

  /**
   * Closes and opens the database, which still refuses writes until {@link resume}.
   *
   * @throws DatabaseOpenError, DatabaseInUseError
   */
  async reopen(): Promise<void> {
    const reopened = this.#level.close().then(() => this.#openLevel())
    this.#reopening = reopened.catch(() => {})
    try {
      await reopened
    } finally {
      this.#reopening = undefined
    }
  }

  resume(): void {
    this.#failure = undefined
  }

  /**
   * Writes `entries` and removes the keys `removed`, atomically. With `sync`, resolves only when everything is on disk.
   *
   * @throws DatabaseWriteError if the write fails, DatabaseStoppedError if an earlier one failed.
   */
  async write(entries: readonly Entry[], removed: readonly Key[] = [], sync = false): Promise<void> {
    if (this.#failure !== undefined) throw new DatabaseStoppedError(this.#failure)
    const operations: object[] = []
    // Field by field: spreading the encodings takes longer than the write itself.
    for (const { key, value } of entries) {
      const { keyEncoding, valueEncoding } = encodingsOf(key)
      operations.push({ type: 'put', key, value, keyEncoding, valueEncoding })
    }
    for (const key of removed)
      operations.push({ type: 'del', key, keyEncoding: encodingsOf(key).keyEncoding })
    try {
      await this.#level.batch(operations, sync ? { sync } : {})
    } catch (error) {
      this.#failure = toError(error)
      throw new DatabaseWriteError(this.#failure)
    }
  }
}
