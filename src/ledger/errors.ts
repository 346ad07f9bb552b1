/** Errors of the stored chain and of queries over it. */
import { toError } from '../primitives/emitter.ts'
import { PresealError, PresealRpcError } from '../primitives/errors.ts'
import type { Hash } from '../primitives/types.ts'

/** The database passed to `createChain` holds a chain with another genesis block. */
export class GenesisMismatchError extends PresealError {
  override name = 'GenesisMismatchError'
  constructor(stored: Hash, expected: Hash) {
    super(`the database holds another chain: its genesis is ${stored}, expected ${expected}`)
  }
}

/** The database refused a write, such as for want of space. The chain is as it was before; `cause` is the database's error. */
export class DatabaseWriteError extends PresealRpcError {
  override name = 'DatabaseWriteError'
  constructor(cause: unknown) {
    super(-32000, `the database cannot be written: ${toError(cause).message}`)
    this.cause = cause
  }
}

/** A query matches more logs than `limits.logResults` allows. */
export class TooManyLogsError extends PresealRpcError {
  override name = 'TooManyLogsError'
  constructor(limit: number) {
    super(-32602, `more than ${limit} logs`)
  }
}
