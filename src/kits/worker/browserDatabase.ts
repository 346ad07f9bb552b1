/**
 * Opens databases in IndexedDB. The worker loads this module when a page names a database.
 *
 * Owns: the database's Web Lock, without which several tabs and workers could write to it. The browser releases the
 * lock of a page or worker that ends without closing. A shared database, such as the cache of a fork, has no lock.
 */
import { BrowserLevel } from 'browser-level'
import { systemClock } from '../../base/clock.ts'
import { toError } from '../../base/emitter.ts'
import type { Database } from '../../base/options/optionSchemas.ts'
import { DatabaseInUseError, DatabaseOpenError } from '../../core/ledger/errors.ts'
import { ForeignDatabaseError, HostFeatureMissingError } from './errors.ts'

/** Milliseconds to wait for a lock. After a reload, the old page's worker may hold it for a moment. */
const WAIT_MS = 2000

/** An open database of this page or worker. */
export interface OpenedDatabase {
  readonly database: Database
  /** Closes the database, then releases its lock, if any. */
  close(): Promise<void>
}

/**
 * Opens an IndexedDB database, and creates it if it does not exist.
 *
 * @param isShared - whether more than one page or worker may have it open; by default false.
 * @param isStrict - whether a write resolves only when all of it is on the disk; by default the browser decides.
 * @throws DatabaseInUseError, DatabaseOpenError
 */
export async function openBrowserDatabase(
  name: string,
  { isShared = false, isStrict = false }: { readonly isShared?: boolean; readonly isStrict?: boolean } = {},
): Promise<OpenedDatabase> {
  try {
    if (typeof indexedDB === 'undefined') throw new HostFeatureMissingError('IndexedDB', 'a browser')
    const release = isShared ? () => {} : await lock(name)
    try {
      // The default prefix would become part of the name.
      const level = new BrowserLevel<Uint8Array, Uint8Array>(name, { prefix: '' })
      const opened = level as unknown as OpenedLevel
      if (isStrict) writeStrictly(opened)
      await level.open()
      const close = () => level.close().finally(release)
      // browser-level has a single object store, named like the database.
      if (!opened.db.objectStoreNames.contains(name)) {
        await close()
        throw new ForeignDatabaseError(name)
      }
      return { database: level, close }
    } catch (error) {
      release()
      throw error
    }
  } catch (error) {
    if (error instanceof DatabaseInUseError) throw error
    // The error of abstract-level states no reason; its cause does.
    const { cause = error } = error as Error
    throw new DatabaseOpenError(toError(cause))
  }
}

/** Makes all writes strict: browser-level ignores the option `sync` of a single write. */
function writeStrictly(level: OpenedLevel): void {
  const open = level._open
  // Patches `transaction` at each opening, which creates a new database object.
  level._open = async (options) => {
    await open.call(level, options)
    const { db } = level
    const begin = db.transaction
    db.transaction = (stores, mode) =>
      begin.call(db, stores, mode, mode === 'readwrite' ? { durability: 'strict' } : undefined)
  }
}

interface OpenedLevel {
  readonly db: {
    transaction(stores: readonly string[], mode: string, options?: { readonly durability: 'strict' }): unknown
    readonly objectStoreNames: { contains(name: string): boolean }
  }
  _open(options: unknown): Promise<void>
}

/** Returns a function that releases the lock. @throws DatabaseInUseError, HostFeatureMissingError */
function lock(name: string): Promise<() => void> {
  const locks = typeof navigator === 'undefined' ? undefined : navigator.locks
  const where = 'a page or worker with an origin, served over HTTPS or from localhost'
  if (locks === undefined) throw new HostFeatureMissingError('Web Locks', where)
  const waiting = new AbortController()
  const timer = systemClock.setTimeout(() => waiting.abort(), WAIT_MS)
  return new Promise((resolve, reject) => {
    const hold = () =>
      new Promise<void>((release) => {
        systemClock.clearTimeout(timer)
        resolve(release)
      })
    locks.request(`preseal database ${name}`, { signal: waiting.signal }, hold).catch((error) => {
      systemClock.clearTimeout(timer)
      // Without an abort, the browser has refused the request, as it does for an opaque origin.
      if (waiting.signal.aborted) reject(new DatabaseInUseError(name))
      else reject(new HostFeatureMissingError('Web Locks', where, { cause: error }))
    })
  })
}

declare const indexedDB: object | undefined
declare const navigator:
  | {
      readonly locks?: {
        request(name: string, options: { signal: AbortSignal }, callback: () => unknown): Promise<unknown>
      }
    }
  | undefined
