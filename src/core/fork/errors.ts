/** Errors of the forked node, its answers and their cache. */
import { PresealError, PresealRpcError } from '../../base/errors.ts'

/** How many characters of a request's params an error quotes. */
const QUOTED_PARAMS = 200

/** An error answer of the forked node, with its code, message and data. */
export class RemoteRpcError extends PresealRpcError {
  override name = 'RemoteRpcError'
}

/** The forked node has discarded the state of the forked block. */
export class ForkedStateUnavailableError extends PresealRpcError {
  override name = 'ForkedStateUnavailableError'
  constructor(block: bigint) {
    super(
      -32000,
      `the forked node no longer has the state of block ${block}; use an archive node or a later block`,
    )
  }
}

/** The forked node did not answer within the option `timeout`, or not at all. `cause` is the last failure. */
export class ForkedNodeUnansweredError extends PresealRpcError {
  override name = 'ForkedNodeUnansweredError'
  constructor(method: string, cause: Error) {
    super(-32000, `the forked node did not answer ${method}: ${cause.message}`)
    this.cause = cause
  }
}

/** A trip to the forked node failed. Names the node by its origin only, since a URL can contain secrets. */
export class TripError extends PresealError {
  override name = 'TripError'
  constructor(place: string, problem: string) {
    super(`${place}: ${problem}`)
  }
}

/** The forked node's answer is not a valid result of the method or, with `fork.verify`, not proven. */
export class InvalidRemoteAnswerError extends PresealRpcError {
  override name = 'InvalidRemoteAnswerError'
  /** @param path - the invalid field, such as `.transactions[0].hash`; empty for the whole answer. */
  constructor(method: string, params: readonly unknown[], path: string, expected: string) {
    const request = `${method} ${quoteParams(params)}`
    const place = path === '' ? '' : ` at ${path}`
    super(-32000, `invalid answer of the forked node to ${request}: expected ${expected}${place}`)
  }
}

/** An offline fork needs an answer that its cache does not have. */
export class NotInForkCacheError extends PresealRpcError {
  override name = 'NotInForkCacheError'
  /** @param path - the path of the cache's files, if any. */
  constructor(method: string, params: readonly unknown[], path?: string) {
    const place = path === undefined ? '' : ` ${path}`
    const request = `${method} ${quoteParams(params)}`
    const remedy = 'to record it, run once with fork.url (--fork-url) and without fork.offline (--offline)'
    super(-32000, `not in the fork's cache${place}: ${request}; ${remedy}`)
  }
}

/** The fork was closed or reset before the forked node answered. */
export class ForkClosedError extends PresealRpcError {
  override name = 'ForkClosedError'
  constructor(method: string) {
    super(-32000, `the fork was closed before the forked node answered: ${method}`)
  }
}

/** The fork's cache cannot be used. `cause`, if any, is the error of the file or database. */
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

/** A reorganisation of the forked chain has replaced the forked block or an earlier block. */
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

/** A chain cannot be reset to a fork, for a reason without an error code. `cause` is the reason. */
export class ForkFailedError extends PresealRpcError {
  override name = 'ForkFailedError'
  constructor(cause: Error) {
    super(-32000, `the chain cannot be forked: ${cause.message}`)
    this.cause = cause
  }
}

/** A chain with a database was asked to fork: the fork's blocks would replace the stored ones. */
export class StoredChainForkError extends PresealRpcError {
  override name = 'StoredChainForkError'
  constructor() {
    super(-32000, 'a chain with a database cannot be reset to a fork; start a chain without a database')
  }
}

/** The node of a fork was to be changed, but the chain is no fork. */
export class NotForkedError extends PresealRpcError {
  override name = 'NotForkedError'
  constructor() {
    super(
      -32000,
      'the chain is no fork, so it has no node to change; reset it with forking, or start it with fork',
    )
  }
}

/** The node of a fork was to be changed, but the fork is `offline`. */
export class ForkOfflineError extends PresealRpcError {
  override name = 'ForkOfflineError'
  constructor() {
    super(-32000, 'the fork is offline, so it has no node to change')
  }
}

/** The new node of a fork does not have the forked chain or the forked block. */
export class OtherForkedChainError extends PresealRpcError {
  override name = 'OtherForkedChainError'
  constructor(expected: string) {
    super(-32000, `the node serves a different chain: expected ${expected}`)
  }
}
