/** Errors of requests and RPC methods. */
import { PresealRpcError } from '../base/errors.ts'
import type { Hash } from '../base/types.ts'

/** A request does not have the form of JSON-RPC. */
export class InvalidRequestError extends PresealRpcError {
  override name = 'InvalidRequestError'
  constructor(expected: string) {
    super(-32600, `invalid request: expected ${expected}`)
  }
}

/** A connection has reached its limit of filters (EIP-1474, code -32005). */
export class FilterLimitError extends PresealRpcError {
  override name = 'FilterLimitError'
  constructor(limit: number) {
    super(-32005, `too many filters: limit ${limit}`)
  }
}

/** A request has more parameters than the method accepts, or lacks a required one. */
export class ParamsCountError extends PresealRpcError {
  override name = 'ParamsCountError'
  constructor(required: number, allowed: number, got: number) {
    const expected = required === allowed ? `${allowed}` : `${required} to ${allowed}`
    super(-32602, `invalid argument count: expected ${expected}, got ${got}`)
  }
}

/** The method does not exist, or the endpoint does not serve it. */
export class MethodNotFoundError extends PresealRpcError {
  override name = 'MethodNotFoundError'
  constructor(method: string) {
    super(-32601, `the method ${method} does not exist/is not available`)
  }
}

/** The kind of subscription does not exist, or the endpoint does not serve it. */
export class SubscriptionKindError extends PresealRpcError {
  override name = 'SubscriptionKindError'
  constructor(kind: string) {
    super(-32601, `no "${kind}" subscription in eth namespace`)
  }
}

/** A log filter names an unknown block hash. */
export class UnknownBlockError extends PresealRpcError {
  override name = 'UnknownBlockError'
  constructor() {
    super(-32000, 'unknown block')
  }
}

/** A request names a transaction to trace that is in no block of the view, or an unknown one to explain. */
export class TransactionNotFoundError extends PresealRpcError {
  override name = 'TransactionNotFoundError'
  constructor() {
    super(-32000, 'transaction not found')
  }
}

/** In the `geth` dialect, the genesis block has no traces. */
export class GenesisNotTraceableError extends PresealRpcError {
  override name = 'GenesisNotTraceableError'
  constructor() {
    super(-32000, 'genesis is not traceable')
  }
}

/** debug_traceBlock got bytes that do not decode to a block under the chain's hardforks. */
export class BlockDecodeError extends PresealRpcError {
  override name = 'BlockDecodeError'
  /** @param problem - such as `its RLP is truncated`. */
  constructor(problem: string) {
    super(-32000, `could not decode block: ${problem}`)
  }
}

/** eth_getStorageValues names too many slots. */
export class SlotLimitError extends PresealRpcError {
  override name = 'SlotLimitError'
  constructor(limit: number) {
    super(-38026, `too many slots (max ${limit})`)
  }
}

/** In the `geth` dialect, a block range reaches beyond the newest block. */
export class BlockRangeBeyondHeadError extends PresealRpcError {
  override name = 'BlockRangeBeyondHeadError'
  constructor() {
    super(-32602, 'block range extends beyond current head block')
  }
}

/** In the `geth` dialect, a log filter names both a block hash and a range. */
export class BlockHashWithRangeError extends PresealRpcError {
  override name = 'BlockHashWithRangeError'
  constructor() {
    super(-32602, 'cannot specify both blockHash and fromBlock/toBlock, choose one or the other')
  }
}

/** A block range is longer than `limits.logBlockRange` or, for traces, `limits.traceBlockRange`. */
export class BlockRangeTooLargeError extends PresealRpcError {
  override name = 'BlockRangeTooLargeError'
  constructor(blocks: bigint, limit: number) {
    super(-32602, `block range too large: ${blocks}, limit ${limit}`)
  }
}

/** A sealed transaction cannot be dropped. The message is Hardhat's. */
export class TransactionSealedError extends PresealRpcError {
  override name = 'TransactionSealedError'
  constructor(hash: Hash) {
    super(-32602, `transaction ${hash} cannot be dropped because it's already mined`)
  }
}

/** No filter with this id is installed, or eth_getFilterLogs names a filter that is not a log filter. */
export class FilterNotFoundError extends PresealRpcError {
  override name = 'FilterNotFoundError'
  constructor() {
    super(-32000, 'filter not found')
  }
}

/** A synchronous send reached its timeout. The transaction is not dropped (EIP-7966, code 4). */
export class SyncTimeoutError extends PresealRpcError {
  override name = 'SyncTimeoutError'
  constructor(hash: Hash, timeoutMs: number) {
    super(4, `the transaction was added to the mempool but was not included within ${timeoutMs} ms`, hash)
  }
}

/** A synchronous send added a transaction that cannot be executed yet (EIP-7966, code 5). */
export class SyncQueuedError extends PresealRpcError {
  override name = 'SyncQueuedError'
  /** @param gap - nonce of the transaction and next nonce of its sender, if nonces between them are missing. */
  constructor(hash: Hash, gap?: { readonly nonce: bigint; readonly next: bigint }) {
    const why = gap === undefined ? '' : `: its nonce is ${gap.nonce}, the next one is ${gap.next}`
    super(5, `the transaction was added to the mempool but is not ready to be executed${why}`, hash)
  }
}

/** A synchronous send added a transaction that was dropped before it was included. */
export class SyncDroppedError extends PresealRpcError {
  override name = 'SyncDroppedError'
  constructor(hash: Hash, reason: string) {
    super(-32000, `the transaction was dropped: ${reason}`, hash)
  }
}

/** A call that `eth_simulateV1` simulates cannot be executed. The code depends on the reason (execution-apis). */
export class SimulatedCallRefusedError extends PresealRpcError {
  override name = 'SimulatedCallRefusedError'
  constructor(code: number, message: string) {
    super(code, message)
  }
}

/** The timeout of a synchronous send (EIP-7966) is longer than allowed. */
export class SyncTimeoutRangeError extends PresealRpcError {
  override name = 'SyncTimeoutRangeError'
  constructor(timeoutMs: number, maxMs: number) {
    super(-32602, `timeout too long: ${timeoutMs} ms, max ${maxMs} ms`)
  }
}

/** A defect of preseal; `cause` is the original error. */
export class InternalError extends PresealRpcError {
  override name = 'InternalError'
  constructor(cause: unknown) {
    super(-32603, 'internal error')
    this.cause = cause
  }
}
