/**
 * Every error preseal throws: its class, its JSON-RPC code and its exact message, each written once.
 *
 * Codes and messages follow spec.md §7; where it is silent, go-ethereum's wording with -32000.
 */
import type { Address, Hash, Hex } from './types.ts'

/** Root of every error that preseal raises on purpose. */
export class PresealError extends Error {
  override name = 'PresealError'
}

/** An option of `createChain` that cannot be used; thrown before anything is started. */
export class InvalidOptionError extends PresealError {
  override name = 'InvalidOptionError'
  constructor(option: string, expected: string) {
    super(`invalid option ${option}: expected ${expected}`)
  }
}

/** The database handed to `createChain` holds a chain with another genesis block. */
export class GenesisMismatchError extends PresealError {
  override name = 'GenesisMismatchError'
  constructor(stored: Hash, expected: Hash) {
    super(`the database holds another chain: its genesis is ${stored}, these options give ${expected}`)
  }
}

/** A block of the database is missing, or does not re-execute to the header it was stored with. */
export class ReplayError extends PresealError {
  override name = 'ReplayError'
  /**
   * @param block - its number, or its hash where no more is known.
   * @param problem - such as `its stateRoot differs`.
   */
  constructor(block: bigint | Hash, problem: string) {
    super(`block ${block} of the database cannot be replayed: ${problem}`)
  }
}

/** A block is not what the protocol allows after its parent; told to users as what they asked for failing by it. */
export class InvalidBlockError extends PresealError {
  override name = 'InvalidBlockError'
  /** @param problem - such as `its stateRoot differs`. */
  constructor(problem: string, options?: { readonly cause?: unknown }) {
    super(problem)
    if (options !== undefined) this.cause = options.cause
  }
}

/** A block that was to be imported is invalid; nothing of it stays, while those before it do. */
export class ImportError extends PresealError {
  override name = 'ImportError'
  /** The number a valid block would have in its place. */
  readonly blockNumber: bigint
  /** @param problem - such as `its gasUsed is 1, expected 21000`. */
  constructor(blockNumber: bigint, problem: string, options?: { readonly cause?: unknown }) {
    super(`block ${blockNumber} cannot be imported: ${problem}`)
    this.blockNumber = blockNumber
    if (options !== undefined) this.cause = options.cause
  }
}

/** Something else listens on the port a server was to have. */
export class PortInUseError extends PresealError {
  override name = 'PortInUseError'
  readonly port: number
  constructor(host: string, port: number) {
    super(`port ${port} of ${host} is in use`)
    this.port = port
  }
}

/** A chain was to be advanced whose clock moves by itself. */
export class ClockNotManualError extends PresealError {
  override name = 'ClockNotManualError'
  constructor() {
    super('only a chain under a manual clock can be advanced')
  }
}

/** A worker could not be loaded, threw what nobody caught, or sent what cannot be read. */
export class WorkerFailedError extends PresealError {
  override name = 'WorkerFailedError'
  /** @param reason - what the host says of it, where it says anything. */
  constructor(reason: string | undefined, options?: { readonly cause?: unknown }) {
    super(`the worker failed: ${reason || 'the host does not say why'}`)
    if (options?.cause !== undefined) this.cause = options.cause
  }
}

/** What a failed test of `preseal/vitest` left waiting; stands beside the error it failed with. */
export class TransactionsWaitingError extends PresealError {
  override name = 'TransactionsWaitingError'
  /**
   * @param elapsedMs - by how much the manual clock moved during the test; undefined for another clock.
   */
  constructor(count: number, what: 'a tick' | 'the seal', elapsedMs: number | undefined) {
    const subject = count === 1 ? '1 transaction waits' : `${count} transactions wait`
    const clock = elapsedMs === undefined ? '' : `; the manual clock stands at ${elapsedMs} ms`
    super(`when the test ended: ${subject} for ${what}${clock}`)
  }
}

/** A string that should hold hex digits after `0x` does not. */
export class InvalidHexError extends PresealError {
  override name = 'InvalidHexError'
  constructor() {
    super('invalid hex string')
  }
}

/** What should be a hash is not 32 bytes long. */
export class InvalidHashError extends PresealError {
  override name = 'InvalidHashError'
  constructor() {
    super('invalid hash: expected 32 bytes')
  }
}

/** A private key is not 32 bytes between 1 and the order of secp256k1. */
export class InvalidPrivateKeyError extends PresealError {
  override name = 'InvalidPrivateKeyError'
  constructor() {
    super('invalid private key')
  }
}

/** An error with a JSON-RPC code: what `request` rejects with. */
export class RpcError extends PresealError {
  override name = 'RpcError'
  readonly code: number
  readonly data?: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    if (data !== undefined) this.data = data
  }
}

/** The argument of `request` is not a JSON-RPC request. */
export class InvalidRequestError extends RpcError {
  override name = 'InvalidRequestError'
  constructor(expected: string) {
    super(-32600, `invalid request: expected ${expected}`)
  }
}

/** What should be JSON is not (JSON-RPC 2.0). */
export class ParseError extends RpcError {
  override name = 'ParseError'
  constructor() {
    super(-32700, 'parse error')
  }
}

/** A batch without a request (JSON-RPC 2.0). */
export class EmptyBatchError extends RpcError {
  override name = 'EmptyBatchError'
  constructor() {
    super(-32600, 'empty batch')
  }
}

/** The answers of a batch, those so far, are as long as a server makes them (go-ethereum, code -32003). */
export class ResponseTooLargeError extends RpcError {
  override name = 'ResponseTooLargeError'
  constructor(limit: number) {
    super(-32003, `response too large: limit ${limit} bytes`)
  }
}

/** A batch has more requests than a server takes at once. */
export class BatchTooLargeError extends RpcError {
  override name = 'BatchTooLargeError'
  constructor(length: number, limit: number) {
    super(-32600, `batch too large: ${length} requests, limit ${limit}`)
  }
}

/** The body of an HTTP request is longer than a server takes; goes with status 413. */
export class BodyTooLargeError extends RpcError {
  override name = 'BodyTooLargeError'
  constructor(limit: number) {
    super(-32600, `request too large: limit ${limit} bytes`)
  }
}

/** An HTTP request's body is not said to be JSON; goes with status 415. */
export class ContentTypeError extends RpcError {
  override name = 'ContentTypeError'
  constructor() {
    super(-32600, 'invalid content type, only application/json is supported')
  }
}

/** An HTTP request by another method than POST; goes with status 405. */
export class HttpMethodError extends RpcError {
  override name = 'HttpMethodError'
  constructor() {
    super(-32600, 'method not allowed: requests are sent by POST')
  }
}

/** An HTTP request to another path than the root; goes with status 404. */
export class HttpPathError extends RpcError {
  override name = 'HttpPathError'
  constructor() {
    super(-32600, 'not found: requests are sent to the path /')
  }
}

/** The name a request was addressed to is none of the server's `hosts`; goes with status 403. */
export class HostRefusedError extends RpcError {
  override name = 'HostRefusedError'
  constructor() {
    super(-32600, 'host not allowed: see the option hosts')
  }
}

/** A request comes from a page that is none of the server's `origins`; goes with status 403. */
export class OriginRefusedError extends RpcError {
  override name = 'OriginRefusedError'
  constructor() {
    super(-32600, 'origin not allowed: see the option origins')
  }
}

/** A subscription was asked for over HTTP, which cannot push. */
export class SubscriptionsUnsupportedError extends RpcError {
  override name = 'SubscriptionsUnsupportedError'
  constructor() {
    super(-32601, 'notifications not supported')
  }
}

/** A connection has as many filters as it may have (EIP-1474, code -32005). */
export class FilterLimitError extends RpcError {
  override name = 'FilterLimitError'
  constructor(limit: number) {
    super(-32005, `too many filters: limit ${limit}`)
  }
}

/** A connection has as many subscriptions as a server lets it have (EIP-1474, code -32005). */
export class SubscriptionLimitError extends RpcError {
  override name = 'SubscriptionLimitError'
  constructor(limit: number) {
    super(-32005, `too many subscriptions: limit ${limit}`)
  }
}

/** A connection has as many requests in flight as a server lets it have (EIP-1474, code -32005). */
export class InFlightLimitError extends RpcError {
  override name = 'InFlightLimitError'
  constructor(limit: number) {
    super(-32005, `too many requests in flight: limit ${limit}`)
  }
}

/** A parameter has the wrong type, form or count. */
export class InvalidParamsError extends RpcError {
  override name = 'InvalidParamsError'
  /** @param position - the parameter's place, such as `0` or `0.topics[1]`. */
  constructor(position: number | string, expected: string) {
    super(-32602, `invalid argument ${position}: expected ${expected}`)
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

/** The chain or the provider was closed (EIP-1193, code 4900). */
export class DisconnectedError extends RpcError {
  override name = 'DisconnectedError'
  /** @param options - `cause`: why, where it was not asked for. */
  constructor(options?: { readonly cause?: unknown }) {
    super(4900, 'disconnected')
    if (options?.cause !== undefined) this.cause = options.cause
  }
}

/** A wallet is asked to switch to a chain it does not have (EIP-3326, code 4902). */
export class UnrecognizedChainError extends RpcError {
  override name = 'UnrecognizedChainError'
  constructor(chainId: bigint) {
    super(4902, `unrecognized chain ID 0x${chainId.toString(16)}`)
  }
}

/**
 * The account is none the connection may use: it has no key here, is not impersonated, or was revoked (EIP-1193, code
 * 4100).
 */
export class UnknownAccountError extends RpcError {
  override name = 'UnknownAccountError'
  constructor(account: Address) {
    super(4100, `unknown account ${account}`)
  }
}

/** A batch of calls needs a capability that there is not, and does not call it optional (EIP-5792, code 5700). */
export class UnsupportedCapabilityError extends RpcError {
  override name = 'UnsupportedCapabilityError'
  constructor(capability: string) {
    super(5700, `unsupported capability ${capability}`)
  }
}

/** A batch of calls is for another chain (EIP-5792, code 5710). */
export class UnsupportedChainError extends RpcError {
  override name = 'UnsupportedChainError'
  constructor(chainId: bigint) {
    super(5710, `unsupported chain ID 0x${chainId.toString(16)}`)
  }
}

/** There is a batch of calls with this id (EIP-5792, code 5720). */
export class DuplicateBatchError extends RpcError {
  override name = 'DuplicateBatchError'
  constructor(id: string) {
    super(5720, `duplicate batch ID ${id}`)
  }
}

/** There is no batch of calls with this id, or it is forgotten (EIP-5792, code 5730). */
export class UnknownBatchError extends RpcError {
  override name = 'UnknownBatchError'
  constructor(id: string) {
    super(5730, `unknown batch ID ${id}`)
  }
}

/** A batch has more calls than an account may have transactions waiting (EIP-5792, code 5740). */
export class TooManyCallsError extends RpcError {
  override name = 'TooManyCallsError'
  constructor(calls: number, limit: number) {
    super(5740, `batch too large: ${calls} calls, limit ${limit}`)
  }
}

/** A batch of calls must be atomic, and needs more gas than a block has (EIP-5792, code 5760). */
export class AtomicityUnsupportedError extends RpcError {
  override name = 'AtomicityUnsupportedError'
  constructor(gas: bigint, gasLimit: bigint) {
    super(5760, `no atomicity beyond one block: the calls need ${gas} gas, a block has ${gasLimit}`)
  }
}

/** Typed data whose values do not fit their types (EIP-712). */
export class InvalidTypedDataError extends RpcError {
  override name = 'InvalidTypedDataError'
  constructor(reason: string) {
    super(-32602, `invalid typed data: ${reason}`)
  }
}

/** A call or an estimate reverted; `data` is the revert output. */
export class ExecutionRevertedError extends RpcError {
  override name = 'ExecutionRevertedError'
  /** viem's `custom` transport decodes a revert only where it finds this beside the code. */
  readonly details = 'execution reverted'
  constructor(output: Hex) {
    super(-32000, 'execution reverted', output)
  }
}

/** A call ended with an error of the EVM other than a revert. */
export class ExecutionFailedError extends RpcError {
  override name = 'ExecutionFailedError'
  /** @param reason - the EVM's own name for it, such as `out of gas`. */
  constructor(reason: string) {
    super(-32000, reason)
  }
}

/** No gas limit within the allowance lets the transaction succeed. */
export class GasAllowanceError extends RpcError {
  override name = 'GasAllowanceError'
  constructor(allowance: bigint) {
    super(-32000, `gas required exceeds allowance (${allowance})`)
  }
}

/** eth_createAccessList meets code that touches something else with every list it is given. */
export class UnsettledAccessListError extends RpcError {
  override name = 'UnsettledAccessListError'
  constructor() {
    super(-32000, 'access list does not settle')
  }
}

/** The named block does not exist, and the method needs its state. */
export class HeaderNotFoundError extends RpcError {
  override name = 'HeaderNotFoundError'
  constructor() {
    super(-32000, 'header not found')
  }
}

/** eth_getLogs names a block hash the chain does not have. */
export class UnknownBlockError extends RpcError {
  override name = 'UnknownBlockError'
  constructor() {
    super(-32000, 'unknown block')
  }
}

/** The state was pruned, or belongs to a branch that was cut off. */
export class StateUnavailableError extends RpcError {
  override name = 'StateUnavailableError'
  constructor() {
    super(-32000, 'state not available')
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

/** A trace is asked for by a tracer there is not. */
export class UnknownTracerError extends RpcError {
  override name = 'UnknownTracerError'
  /** @param tracer - its name, or its source in JavaScript. */
  constructor(tracer: string, known: readonly string[]) {
    const problem = /^\w+$/.test(tracer)
      ? `unknown tracer ${tracer}`
      : 'tracers in JavaScript are not supported'
    super(-32602, `${problem}: expected one of ${known.join(', ')}`)
  }
}

/** eth_getStorageValues names more slots than it reads at once. */
export class SlotLimitError extends RpcError {
  override name = 'SlotLimitError'
  constructor(limit: number) {
    super(-38026, `too many slots (max ${limit})`)
  }
}

/** A range of blocks runs backwards. */
export class InvalidBlockRangeError extends RpcError {
  override name = 'InvalidBlockRangeError'
  constructor() {
    super(-32602, 'invalid block range params')
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

/** A request asks for more blocks than one request can have mined. */
export class TooManyBlocksError extends RpcError {
  override name = 'TooManyBlocksError'
  constructor(blocks: number, limit: number) {
    super(-32602, `too many blocks: ${blocks}, limit ${limit}`)
  }
}

/** A query matches more logs than `limits.logResults`. */
export class TooManyLogsError extends RpcError {
  override name = 'TooManyLogsError'
  constructor(limit: number) {
    super(-32602, `more than ${limit} logs`)
  }
}

/** The traces of one request take more than `limits.traceMemory`. */
export class TraceTooLargeError extends RpcError {
  override name = 'TraceTooLargeError'
  /** @param limit - in bytes. */
  constructor(limit: number) {
    super(-32602, `trace too large: more than ${limit} bytes of memory (limits.traceMemory)`)
  }
}

/** There is no snapshot with this id, or it is gone since one before it was returned to. */
export class UnknownSnapshotError extends RpcError {
  override name = 'UnknownSnapshotError'
  constructor(id: Hex) {
    super(-32000, `unknown snapshot ${id}`)
  }
}

/** What is to be withdrawn before it is sealed is not pre-confirmed. */
export class NotPreconfirmedError extends RpcError {
  override name = 'NotPreconfirmedError'
  constructor(hash: Hash) {
    super(-32000, `transaction ${hash} is not pre-confirmed`)
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

/** No single slot decides what a token answers. */
export class SlotNotFoundError extends RpcError {
  override name = 'SlotNotFoundError'
  constructor(token: Address) {
    super(-32000, `no slot of ${token} stands for what is to be set`)
  }
}

/** What was to be loaded as a state is none. */
export class InvalidStateFileError extends RpcError {
  override name = 'InvalidStateFileError'
  /** @param problem - such as `it has no accounts`. */
  constructor(problem: string) {
    super(-32602, `invalid state: ${problem}`)
  }
}

/** A timestamp does not come after the head's. */
export class TimestampTooLowError extends RpcError {
  override name = 'TimestampTooLowError'
  /** @param least - the first one that does. */
  constructor(timestamp: bigint, least: bigint) {
    super(-32602, `timestamp too low: ${timestamp}, at least ${least}`)
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

/** A transaction that cannot enter the mempool or a block; see the subclasses for why. */
export class TransactionRejectedError extends RpcError {
  override name = 'TransactionRejectedError'
  constructor(message: string) {
    super(-32000, message)
  }
}

/** The bytes are no transaction of a known type. */
export class TransactionDecodeError extends TransactionRejectedError {
  override name = 'TransactionDecodeError'
  constructor(reason: string) {
    super(`rlp: ${reason}`)
  }
}

/** The transaction's type is not active on this chain. */
export class TransactionTypeError extends TransactionRejectedError {
  override name = 'TransactionTypeError'
  constructor() {
    super('transaction type not supported')
  }
}

/** An EIP-4844 transaction on a chain without blobs. */
export class BlobsRefusedError extends TransactionRejectedError {
  override name = 'BlobsRefusedError'
  constructor() {
    super('blob transactions are not accepted by this chain (its option blobs is off)')
  }
}

/** A blob transaction was submitted without its blobs: as blocks hold it, not in the network's wrapper (EIP-4844). */
export class MissingSidecarError extends TransactionRejectedError {
  override name = 'MissingSidecarError'
  constructor() {
    super('missing sidecar in blob transaction')
  }
}

/** The blobs of a transaction, their commitments or proofs do not belong together (EIP-4844, EIP-7594). */
export class InvalidSidecarError extends TransactionRejectedError {
  override name = 'InvalidSidecarError'
  constructor(reason: string) {
    super(`invalid blob sidecar: ${reason}`)
  }
}

/** A blob transaction would create a contract (EIP-4844). */
export class BlobCreationError extends TransactionRejectedError {
  override name = 'BlobCreationError'
  constructor() {
    super('blob transaction of type create')
  }
}

/** A blob transaction without blobs (EIP-4844). */
export class MissingBlobHashesError extends TransactionRejectedError {
  override name = 'MissingBlobHashesError'
  constructor() {
    super('blob transaction missing blob hashes')
  }
}

/** A transaction has more blobs than a block, or since EIP-7594 one transaction, may have. */
export class TooManyBlobsError extends TransactionRejectedError {
  override name = 'TooManyBlobsError'
  constructor(got: number, permitted: number) {
    super(`too many blobs in transaction: have ${got}, permitted ${permitted}`)
  }
}

/** A versioned hash is of another version than KZG's (EIP-4844). */
export class BlobHashVersionError extends TransactionRejectedError {
  override name = 'BlobHashVersionError'
  constructor(index: number) {
    super(`blob ${index} has invalid hash version`)
  }
}

/** The blob fee cap is below the block's blob base fee (EIP-4844); only inclusion and calls raise this. */
export class BlobFeeCapTooLowError extends TransactionRejectedError {
  override name = 'BlobFeeCapTooLowError'
  constructor(feeCap: bigint, blobBaseFee: bigint) {
    super(
      `max fee per blob gas less than block blob gas fee: blobGasFeeCap: ${feeCap}, blobBaseFee: ${blobBaseFee}`,
    )
  }
}

/** The signature is malformed, not canonical (EIP-2), or recovers to nobody. */
export class InvalidSenderError extends TransactionRejectedError {
  override name = 'InvalidSenderError'
  constructor() {
    super('invalid sender')
  }
}

/** The transaction was signed for another chain (EIP-155). */
export class ChainIdMismatchError extends TransactionRejectedError {
  override name = 'ChainIdMismatchError'
  constructor(got: bigint, expected: bigint) {
    super(`invalid chain id for signer: have ${got} want ${expected}`)
  }
}

/** The nonce was used already. */
export class NonceTooLowError extends TransactionRejectedError {
  override name = 'NonceTooLowError'
  constructor() {
    super('nonce too low')
  }
}

/** The nonce lies ahead of the account's; only calls that check it and inclusion raise this. */
export class NonceTooHighError extends TransactionRejectedError {
  override name = 'NonceTooHighError'
  constructor() {
    super('nonce too high')
  }
}

/** The nonce is 2^64 - 1, which no transaction may use (EIP-2681). */
export class NonceMaxError extends TransactionRejectedError {
  override name = 'NonceMaxError'
  constructor() {
    super('nonce has max value')
  }
}

/** The sender cannot pay gas and value, its other transactions in the mempool included. */
export class InsufficientFundsError extends TransactionRejectedError {
  override name = 'InsufficientFundsError'
  constructor() {
    super('insufficient funds for gas * price + value')
  }
}

/** The same transaction is in the mempool or pre-confirmed. */
export class AlreadyKnownError extends TransactionRejectedError {
  override name = 'AlreadyKnownError'
  readonly hash: Hash
  constructor(hash: Hash) {
    super('already known')
    this.hash = hash
  }
}

/** A replacement does not raise both fee fields by `mempool.priceBump` percent. */
export class ReplacementUnderpricedError extends TransactionRejectedError {
  override name = 'ReplacementUnderpricedError'
  constructor() {
    super('replacement transaction underpriced')
  }
}

/** The fee lies below what the mempool accepts at all, or below its cheapest while it is full. */
export class UnderpricedError extends TransactionRejectedError {
  override name = 'UnderpricedError'
  constructor() {
    super('transaction underpriced')
  }
}

/** The sender has `mempool.maxPerSender` transactions waiting. */
export class AccountLimitError extends TransactionRejectedError {
  override name = 'AccountLimitError'
  constructor() {
    super('account limit exceeded')
  }
}

/** The gas limit does not cover what the transaction costs before it executes. */
export class IntrinsicGasError extends TransactionRejectedError {
  override name = 'IntrinsicGasError'
  constructor(have: bigint, want: bigint) {
    super(`intrinsic gas too low: have ${have}, want ${want}`)
  }
}

/** The gas limit does not cover the calldata floor (EIP-7623). */
export class FloorDataGasError extends TransactionRejectedError {
  override name = 'FloorDataGasError'
  constructor(have: bigint, want: bigint) {
    super(`insufficient gas for floor data gas cost: have ${have}, want ${want}`)
  }
}

/** The gas limit is above the block's. */
export class BlockGasLimitError extends TransactionRejectedError {
  override name = 'BlockGasLimitError'
  constructor() {
    super('exceeds block gas limit')
  }
}

/** The gas limit is above what one transaction may use (EIP-7825). */
export class TransactionGasLimitError extends TransactionRejectedError {
  override name = 'TransactionGasLimitError'
  constructor(cap: bigint, got: bigint) {
    super(`transaction gas limit too high (cap: ${cap}, tx: ${got})`)
  }
}

/** The priority fee is above the fee cap. */
export class TipAboveFeeCapError extends TransactionRejectedError {
  override name = 'TipAboveFeeCapError'
  constructor() {
    super('max priority fee per gas higher than max fee per gas')
  }
}

/** The fee cap is below the block's base fee; raised for calls, while transactions wait. */
export class FeeCapTooLowError extends TransactionRejectedError {
  override name = 'FeeCapTooLowError'
  constructor(feeCap: bigint, baseFee: bigint) {
    super(`max fee per gas less than block base fee: maxFeePerGas: ${feeCap}, baseFee: ${baseFee}`)
  }
}

/** The init code of a creation is longer than EIP-3860 allows. */
export class InitCodeTooLargeError extends TransactionRejectedError {
  override name = 'InitCodeTooLargeError'
  constructor(size: number, limit: bigint) {
    super(`max initcode size exceeded: code size ${size} limit ${limit}`)
  }
}

/** The sender has code that is no delegation (EIP-3607). */
export class SenderNotEOAError extends TransactionRejectedError {
  override name = 'SenderNotEOAError'
  constructor() {
    super('sender not an eoa')
  }
}

/** An EIP-7702 transaction without authorisations. */
export class EmptyAuthorizationListError extends TransactionRejectedError {
  override name = 'EmptyAuthorizationListError'
  constructor() {
    super('EIP-7702 transaction with empty auth list')
  }
}

/** An EIP-7702 transaction that would create a contract. */
export class SetCodeCreationError extends TransactionRejectedError {
  override name = 'SetCodeCreationError'
  constructor() {
    super('EIP-7702 transaction cannot be used to create contract')
  }
}

/** A log of the deposit contract with another layout than EIP-6110's, which would make the block invalid. */
export class InvalidDepositLogError extends TransactionRejectedError {
  override name = 'InvalidDepositLogError'
  constructor() {
    super('invalid deposit log')
  }
}

/** An override would move what is no precompile. */
export class NotPrecompileError extends RpcError {
  override name = 'NotPrecompileError'
  constructor(address: Address) {
    super(-32000, `account ${address} is not a precompile`)
  }
}

/** An override would move a precompile to an account that is overridden itself. */
export class PrecompileTargetOverriddenError extends RpcError {
  override name = 'PrecompileTargetOverriddenError'
  constructor(address: Address) {
    super(-32000, `account ${address} is already overridden`)
  }
}

/** An override would move a precompile to where it is (execution-apis). */
export class PrecompileMovedToItselfError extends RpcError {
  override name = 'PrecompileMovedToItselfError'
  constructor(address: Address) {
    super(-38022, `movePrecompileToAddress of ${address} references itself`)
  }
}

/** Overrides would move two precompiles to one address (execution-apis). */
export class PrecompileMovedTwiceError extends RpcError {
  override name = 'PrecompileMovedTwiceError'
  constructor(address: Address) {
    super(-38023, `more than one movePrecompileToAddress references ${address}`)
  }
}

/** The blocks of a simulation do not have ascending numbers above the block it starts from (execution-apis). */
export class BlockNumberOrderError extends RpcError {
  override name = 'BlockNumberOrderError'
  constructor(number: bigint, before: bigint) {
    super(-38020, `block numbers must be in order: ${number} <= ${before}`)
  }
}

/** The blocks of a simulation do not have ascending timestamps above the block it starts from (execution-apis). */
export class BlockTimestampOrderError extends RpcError {
  override name = 'BlockTimestampOrderError'
  constructor(timestamp: bigint, before: bigint) {
    super(-38021, `block timestamps must be in order: ${timestamp} <= ${before}`)
  }
}

/** A simulation has more blocks than `limits.simulateBlocks`, those that fill gaps counted (execution-apis). */
export class TooManySimulatedBlocksError extends RpcError {
  override name = 'TooManySimulatedBlocksError'
  constructor() {
    super(-38026, 'too many blocks')
  }
}

/** A simulation without a block. */
export class EmptySimulationError extends RpcError {
  override name = 'EmptySimulationError'
  constructor() {
    super(-32602, 'empty input')
  }
}

/** A call of a simulation may not be executed; the code says why (execution-apis). */
export class SimulatedCallRefusedError extends RpcError {
  override name = 'SimulatedCallRefusedError'
  constructor(code: number, message: string) {
    super(code, message)
  }
}

/** A call of a simulation asks for more gas than is left in its block. */
export class SimulatedBlockGasError extends TransactionRejectedError {
  override name = 'SimulatedBlockGasError'
  constructor(gasUsed: bigint, gasLimit: bigint) {
    super(`block gas limit reached: ${gasUsed} >= ${gasLimit}`)
  }
}

/** Withdrawals in a simulated block from before Shanghai. */
export class EarlyWithdrawalsError extends RpcError {
  override name = 'EarlyWithdrawalsError'
  constructor() {
    super(-32000, 'withdrawals set before Shanghai activation')
  }
}

/** The timeout of eth_sendRawTransactionSync is longer than anybody may wait. */
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
