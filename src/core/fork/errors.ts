/** Errors of a forked node, its answers and the cache of them. */
import { PresealError, PresealRpcError } from '../../base/errors.ts'

/** The characters of a request's params that an error quotes. */
const QUOTED_PARAMS = 200

/** An error that the forked node answered with, as it answered: its code, message and data. */
export class RemoteRpcError extends PresealRpcError {
  override name = 'RemoteRpcError'
}

/** The forked node has discarded the state of the block that the fork begins at. */
export class ForkedStateUnavailableError extends PresealRpcError {
  override name = 'ForkedStateUnavailableError'
  constructor(block: bigint) {
    super(
      -32000,
      `the forked node no longer has the state of block ${block}; use an archive node or a later block`,
    )
  }
}

/** The forked node did not answer within the option `timeout`, or not at all; `cause` is what happened last. */
export class ForkedNodeUnansweredError extends PresealRpcError {
  override name = 'ForkedNodeUnansweredError'
  constructor(method: string, cause: Error) {
    super(-32000, `the forked node did not answer ${method}: ${cause.message}`)
    this.cause = cause
  }
}

/** Why a trip to the forked node failed; it names the node by its origin, since the rest of a URL can be a secret. */
export class TripError extends PresealError {
  override name = 'TripError'
  constructor(place: string, problem: string) {
    super(`${place}: ${problem}`)
  }
}

/** The forked node answered with something else than the method's result, or with `fork.verify` with what its proof does not prove. */
export class InvalidRemoteAnswerError extends PresealRpcError {
  override name = 'InvalidRemoteAnswerError'
  /** @param path - where in the answer, such as `.transactions[0].hash`; empty for the answer itself. */
  constructor(method: string, params: readonly unknown[], path: string, expected: string) {
    const request = `${method} ${quoteParams(params)}`
    const place = path === '' ? '' : ` at ${path}`
    super(-32000, `invalid answer of the forked node to ${request}: expected ${expected}${place}`)
  }
}

/** A chain that works offline needs an answer that its fork's cache does not have. */
export class NotInForkCacheError extends PresealRpcError {
  override name = 'NotInForkCacheError'
  /** @param path - of the cache's files, if it has any. */
  constructor(method: string, params: readonly unknown[], path?: string) {
    const place = path === undefined ? '' : ` ${path}`
    const request = `${method} ${quoteParams(params)}`
    const remedy = 'to record it, run once with fork.url (--fork-url) and without fork.offline (--offline)'
    super(-32000, `not in the fork's cache${place}: ${request}; ${remedy}`)
  }
}

/** The connection to the forked node was closed before it answered, with the chain or by a reset to another fork. */
export class ForkClosedError extends PresealRpcError {
  override name = 'ForkClosedError'
  constructor(method: string) {
    super(-32000, `the fork was closed before the forked node answered: ${method}`)
  }
}

/** The fork's cache cannot be used; `cause`, if any, is the error of the file or the database. */
export class ForkCacheError extends PresealError {
  override name = 'ForkCacheError'
  constructor(problem: string, cause?: Error) {
    super(`the fork's cache cannot be ${problem}`)
    if (cause !== undefined) this.cause = cause
  }
}

function quoteParams(params: readonly unknown[]): string {
  const text = JSON.stringify(params)
  return text.length > QUOTED_PARAMS ? `${text.slice(0, QUOTED_PARAMS)}…` : text
}

/** The forked node has another block at this number than the one that the fork was made at, or none. */
export class ForkedChainChangedError extends PresealRpcError {
  override name = 'ForkedChainChangedError'
  constructor(block: bigint) {
    super(-32000, `the forked chain no longer has block ${block} as it was when it was forked`)
  }
}

/** The block to fork at does not exist on the forked node. */
export class ForkBlockNotFoundError extends PresealError {
  override name = 'ForkBlockNotFoundError'
  constructor(block: string) {
    super(`the forked node has no block ${block}; set fork.block to one that it has`)
  }
}

/** A chain cannot be reset to another fork, for a reason that has no code of its own; `cause` is the error. */
export class ForkFailedError extends PresealRpcError {
  override name = 'ForkFailedError'
  constructor(cause: Error) {
    super(-32000, `the chain cannot be forked: ${cause.message}`)
    this.cause = cause
  }
}

/** A chain with a database is asked to fork another chain, whose blocks would replace the stored ones. */
export class StoredChainForkError extends PresealRpcError {
  override name = 'StoredChainForkError'
  constructor() {
    super(-32000, 'a chain with a database cannot be reset to a fork; start a chain without a database')
  }
}

/** The node of a fork is to be changed, but the chain is no fork. */
export class NotForkedError extends PresealRpcError {
  override name = 'NotForkedError'
  constructor() {
    super(
      -32000,
      'the chain is no fork, so it has no node to change; reset it with forking, or start it with fork',
    )
  }
}

/** The node of a fork is to be changed, but the fork is `offline`, so that no node is asked. */
export class ForkOfflineError extends PresealRpcError {
  override name = 'ForkOfflineError'
  constructor() {
    super(-32000, 'the fork is offline, so it has no node to change')
  }
}

/** A node that a fork is to be read from does not have the forked chain, or not the forked block. */
export class OtherForkedChainError extends PresealRpcError {
  override name = 'OtherForkedChainError'
  constructor(expected: string) {
    super(-32000, `the node has another chain than the fork: expected ${expected}`)
  }
}
