/** Errors of the stored chain and of queries over it. */
import { PresealError, PresealRpcError } from '../../base/errors.ts'
import type { Hash } from '../../base/types.ts'

/** The database passed to `createChain` holds a chain with another genesis block. */
export class GenesisMismatchError extends PresealError {
  override name = 'GenesisMismatchError'
  constructor(stored: Hash, expected: Hash) {
    super(`the database holds another chain: its genesis is ${stored}, expected ${expected}`)
  }
}

/** The database passed to `createChain` cannot be opened; `cause` is its error. */
export class DatabaseOpenError extends PresealError {
  override name = 'DatabaseOpenError'
  constructor(cause: Error) {
    super(`the database cannot be opened: ${cause.message}`)
    this.cause = cause
  }
}

/** The database passed to `createChain` is open elsewhere: two chains in one database would destroy each other's blocks. */
export class DatabaseInUseError extends PresealError {
  override name = 'DatabaseInUseError'
  /** @param place - the database's folder, or its name in IndexedDB; undefined if another chain of this process has the same instance. */
  constructor(place: string | undefined) {
    super(
      place === undefined
        ? 'the database is in use: expected one that no other chain has open'
        : `the database ${place} is in use: expected one that no other process, page or instance has open`,
    )
  }
}

/**
 * The database refused a write, such as for want of space. The chain is as it was before; `cause` is the database's error. From
 * then on writes are refused with `DatabaseStoppedError`, until `chain.reopenDatabase()`.
 */
export class DatabaseWriteError extends PresealRpcError {
  override name = 'DatabaseWriteError'
  constructor(cause: Error) {
    super(-32000, `the database cannot be written: ${cause.message}`)
    this.cause = cause
  }
}

/**
 * A write failed before, and `chain.reopenDatabase()` has not succeeded since: what is written now could be lost with what
 * the failed write left behind. The chain is as it was before; `cause` is the error of that write, or of the last try to open
 * the database again.
 */
export class DatabaseStoppedError extends PresealRpcError {
  override name = 'DatabaseStoppedError'
  constructor(cause: Error) {
    super(-32000, `the database accepts no write until it is opened again: ${cause.message}`)
    this.cause = cause
  }
}

/** The database that `chain.reopenDatabase()` opened is not at the head that the chain stored last. A new start continues from it. */
export class DatabaseHeadError extends PresealError {
  override name = 'DatabaseHeadError'
  /** @param found - undefined if it has none. */
  constructor(found: Hash | undefined, expected: Hash) {
    super(`the database has another head than the chain: ${found ?? 'none'}, expected ${expected}`)
  }
}

/** The database cannot be read, such as for a damaged file; `cause` is its error. */
export class DatabaseReadError extends PresealRpcError {
  override name = 'DatabaseReadError'
  constructor(cause: Error) {
    super(-32000, `the database cannot be read: ${cause.message}`)
    this.cause = cause
  }
}

/** The database passed to `createChain` was written by a newer version of preseal; nothing in it was changed. */
export class DatabaseVersionError extends PresealError {
  override name = 'DatabaseVersionError'
  constructor(found: number, newest: number) {
    super(`the database has format ${found}: expected at most ${newest}, the newest this version can read`)
  }
}

/** An entry of the database is missing or damaged. */
export class DatabaseCorruptError extends PresealRpcError {
  override name = 'DatabaseCorruptError'
  /** @param entry - such as `the receipts of block 5`. */
  constructor(entry: string) {
    super(-32000, `the database is damaged: ${entry} cannot be read`)
  }
}

/** A query matches more logs than `limits.logResults` allows. */
export class TooManyLogsError extends PresealRpcError {
  override name = 'TooManyLogsError'
  constructor(limit: number) {
    super(-32602, `more than ${limit} logs`)
  }
}
