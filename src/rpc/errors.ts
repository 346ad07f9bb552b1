/** Errors of requests and of the methods that answer them. */
import { RpcError } from '../primitives/errors.ts'
import type { Hash } from '../primitives/types.ts'

/** The argument of `request` is not a JSON-RPC request. */
export class InvalidRequestError extends RpcError {
  override name = 'InvalidRequestError'
  constructor(expected: string) {
    super(-32600, `invalid request: expected ${expected}`)
  }
}

/** A connection has as many filters as it may have (EIP-1474, code -32005). */
export class FilterLimitError extends RpcError {
  override name = 'FilterLimitError'
  constructor(limit: number) {
    super(-32005, `too many filters: limit ${limit}`)
  }
}

/** More parameters than the method takes, or a required one left out. */
export class ParamsCountError extends RpcError {
  override name = 'ParamsCountError'
  constructor(required: number, allowed: number, got: number) {
    const expected = required === allowed ? `${allowed}` : `${required} to ${allowed}`
    super(-32602, `invalid argument count: expected ${expected}, got ${got}`)
  }
}

/** The view does not serve this method. */
export class MethodNotFoundError extends RpcError {
  override name = 'MethodNotFoundError'
  constructor(method: string) {
    super(-32601, `the method ${method} does not exist/is not available`)
  }
}

/** The view does not serve this kind of subscription. */
export class SubscriptionKindError extends RpcError {
  override name = 'SubscriptionKindError'
  constructor(kind: string) {
    super(-32601, `no "${kind}" subscription in eth namespace`)
  }
}

/** eth_getLogs names a block hash the chain does not have. */
export class UnknownBlockError extends RpcError {
  override name = 'UnknownBlockError'
  constructor() {
    super(-32000, 'unknown block')
  }
}

/** A trace is asked for of a transaction that is in no block the view shows. */
export class TransactionNotFoundError extends RpcError {
  override name = 'TransactionNotFoundError'
  constructor() {
    super(-32000, 'transaction not found')
  }
}

/** The traces of genesis, in the dialect of go-ethereum. */
export class GenesisNotTraceableError extends RpcError {
  override name = 'GenesisNotTraceableError'
  constructor() {
    super(-32000, 'genesis is not traceable')
  }
}

/** eth_getStorageValues names more slots than it reads at once. */
export class SlotLimitError extends RpcError {
  override name = 'SlotLimitError'
  constructor(limit: number) {
    super(-38026, `too many slots (max ${limit})`)
  }
}

/** A range of blocks ends beyond the newest one; raised in the dialect of go-ethereum alone. */
export class BlockRangeBeyondHeadError extends RpcError {
  override name = 'BlockRangeBeyondHeadError'
  constructor() {
    super(-32602, 'block range extends beyond current head block')
  }
}

/** A log filter names one block and a range of them; raised in the dialect of go-ethereum alone. */
export class BlockHashWithRangeError extends RpcError {
  override name = 'BlockHashWithRangeError'
  constructor() {
    super(-32602, 'cannot specify both blockHash and fromBlock/toBlock, choose one or the other')
  }
}

/** A range of blocks is longer than `limits.logBlockRange`. */
export class BlockRangeTooLargeError extends RpcError {
  override name = 'BlockRangeTooLargeError'
  constructor(blocks: bigint, limit: number) {
    super(-32602, `block range too large: ${blocks}, limit ${limit}`)
  }
}

/** What is sealed cannot be given up any more; the words are Hardhat's, whose helpers ask. */
export class TransactionSealedError extends RpcError {
  override name = 'TransactionSealedError'
  constructor(hash: Hash) {
    super(-32602, `transaction ${hash} cannot be dropped because it's already mined`)
  }
}

/** There is no other chain to be a copy of: everything begins with a genesis block of its own. */
export class ForkingUnsupportedError extends RpcError {
  override name = 'ForkingUnsupportedError'
  constructor() {
    super(-32602, 'forking is not supported')
  }
}

/** eth_getFilterChanges or eth_getFilterLogs names a filter that is not installed. */
export class FilterNotFoundError extends RpcError {
  override name = 'FilterNotFoundError'
  constructor() {
    super(-32000, 'filter not found')
  }
}

/** eth_sendRawTransactionSync waited longer than its timeout (EIP-7966, code 4). */
export class SyncTimeoutError extends RpcError {
  override name = 'SyncTimeoutError'
  constructor(hash: Hash, timeoutMs: number) {
    super(4, `the transaction was added to the mempool but was not included within ${timeoutMs} ms`, hash)
  }
}

/** eth_sendRawTransactionSync added a transaction that cannot be executed yet (EIP-7966, code 5). */
export class SyncQueuedError extends RpcError {
  override name = 'SyncQueuedError'
  /** @param gap - the transaction's nonce, and the next one of its sender, if nonces between them are missing. */
  constructor(hash: Hash, gap?: { readonly nonce: bigint; readonly next: bigint }) {
    const why = gap === undefined ? '' : `: nonce ${gap.nonce}, next is ${gap.next}`
    super(5, `the transaction was added to the mempool but is not ready to be executed${why}`, hash)
  }
}

/** eth_sendRawTransactionSync added a transaction that was dropped before it was included. */
export class SyncDroppedError extends RpcError {
  override name = 'SyncDroppedError'
  constructor(hash: Hash, reason: string) {
    super(-32000, `the transaction was dropped: ${reason}`, hash)
  }
}

/** A call of a simulation may not be executed; the code says why (execution-apis). */
export class SimulatedCallRefusedError extends RpcError {
  override name = 'SimulatedCallRefusedError'
  constructor(code: number, message: string) {
    super(code, message)
  }
}

/** The timeout of eth_sendRawTransactionSync is longer than allowed. */
export class SyncTimeoutRangeError extends RpcError {
  override name = 'SyncTimeoutRangeError'
  constructor(timeoutMs: number, maxMs: number) {
    super(-32602, `timeout too long: ${timeoutMs} ms, max ${maxMs} ms`)
  }
}

/** A fault of this library: the only error with this code. */
export class InternalError extends RpcError {
  override name = 'InternalError'
  constructor(cause: unknown) {
    super(-32603, 'internal error')
    this.cause = cause
  }
}
