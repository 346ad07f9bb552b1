/** Errors of the database and of queries for logs. */
import { PresealError, PresealRpcError } from '../../base/errors.ts'
import type { Hash } from '../../base/types.ts'

/** The database passed to `createChain` holds a chain with a different genesis block. */
export class GenesisMismatchError extends PresealError {
  override name = 'GenesisMismatchError'
  constructor(stored: Hash, expected: Hash) {
    super(`the database holds a different chain: its genesis is ${stored}, expected ${expected}`)
  }
}

/** The database passed to `createChain` cannot be opened. `cause` is the database's error. */
export class DatabaseOpenError extends PresealError {
  override name = 'DatabaseOpenError'
  constructor(cause: Error) {
    super(`the database cannot be opened: ${cause.message}`)
    this.cause = cause
  }
}

/** The database passed to `createChain` is open elsewhere. Two chains would destroy each other's blocks. */
export class DatabaseInUseError extends PresealError {
  override name = 'DatabaseInUseError'
  /** @param place - the folder, or the name in IndexedDB; undefined if this process uses the same instance. */
  constructor(place: string | undefined) {
    super(
      place === undefined
        ? 'the database is in use: expected one that no other chain has open'
        : `the database ${place} is in use: expected one that no other process, page or instance has open`,
    )
  }
}

/**
 * The database refused a write, for example because the disk is full. The chain is unchanged, and `cause` is the
 * database's error. Further writes fail with `DatabaseStoppedError` until `chain.reopenDatabase()` succeeds.
 */
export class DatabaseWriteError extends PresealRpcError {
  override name = 'DatabaseWriteError'
  constructor(cause: Error) {
    super(-32000, `the database cannot be written: ${cause.message}`)
    this.cause = cause
  }
}

/**
 * The database refuses writes after a failed one, because later writes could be lost. It accepts writes again when
 * `chain.reopenDatabase()` succeeds. The chain is unchanged, and `cause` is the error of the failed write or of the
 * last attempt to reopen.
 */
export class DatabaseStoppedError extends PresealRpcError {
  override name = 'DatabaseStoppedError'
  constructor(cause: Error) {
    super(-32000, `the database accepts no write until it is opened again: ${cause.message}`)
    this.cause = cause
  }
}

/**
 * The database that `chain.reopenDatabase()` opened does not have the head that the chain stored last. A new chain on
 * this database continues from the database's head.
 */
export class DatabaseHeadError extends PresealError {
  override name = 'DatabaseHeadError'
  /** @param found - undefined if the database has no head. */
  constructor(found: Hash | undefined, expected: Hash) {
    super(`the database has a different head: ${found ?? 'none'}, expected ${expected}`)
  }
}

/** The database cannot be read, for example because a file is damaged. `cause` is the database's error. */
export class DatabaseReadError extends PresealRpcError {
  override name = 'DatabaseReadError'
  constructor(cause: Error) {
    super(-32000, `the database cannot be read: ${cause.message}`)
    this.cause = cause
  }
}

/** A newer version of preseal wrote the database passed to `createChain`. Nothing in it was changed. */
export class DatabaseVersionError extends PresealError {
  override name = 'DatabaseVersionError'
  constructor(found: number, newest: number) {
    super(`the database has format ${found}: expected at most ${newest}, the newest this version can read`)
  }
}

/** An entry of the database is missing or damaged. */
export class DatabaseCorruptError extends PresealRpcError {
  override name = 'DatabaseCorruptError'
  /** @param entry - for example `the receipts of block 5`. */
  constructor(entry: string) {
    super(-32000, `the database is damaged: ${entry} cannot be read`)
  }
}

/** A query matches more logs than `limits.logResults`. */
export class TooManyLogsError extends PresealRpcError {
  override name = 'TooManyLogsError'
  constructor(limit: number) {
    super(-32602, `more than ${limit} logs`)
  }
}
