/** The `hardhat` dialect, with the answers of Hardhat 3. */

import { hexToBytes } from '../../base/bytes.ts'
import { PresealRpcError, type TransactionRejectedError } from '../../base/errors.ts'
import { isObject, type Schema } from '../../base/schema.ts'
import { findSolidityTrace, VM_EXCEPTION } from '../../base/solidityTrace.ts'
import { TextDecoder, TextEncoder } from '../../base/textEncoding.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import { UnknownAccountError } from '../../core/accounts/errors.ts'
import { BlockBuilder } from '../../core/block/blockBuilder.ts'
import { includeAll } from '../../core/block/inclusion.ts'
import type { Payload } from '../../core/block/payload.ts'
import { TimestampTooLowError } from '../../core/cheats/errors.ts'
import { AlreadyKnownError } from '../../core/mempool/errors.ts'
import type { Tip } from '../../core/sequencer/tip.ts'
import { HeaderNotFoundError } from '../../core/view/errors.ts'
import type { ViewedTip } from '../../core/view/view.ts'
import { extraFeesOf } from '../../ethereum/chainSpec.ts'
import {
  BlockGasLimitError,
  FeeCapTooLowError,
  FloorDataGasError,
  InitCodeTooLargeError,
  InsufficientFundsError,
  IntrinsicGasError,
  NonceTooHighError,
  NonceTooLowError,
  TipAboveFeeCapError,
} from '../../ethereum/errors.ts'
import { toFailure } from '../../ethereum/evm/call.ts'
import { ExecutionFailedError, ExecutionRevertedError, GasAllowanceError } from '../../ethereum/evm/errors.ts'
import { feeCapOf, maxCost, type Transaction } from '../../ethereum/transaction.ts'
import type {
  AdaptedRequest,
  DialectExtension,
  EstimateContext,
  FailedRequest,
  SendContext,
} from '../dialectExtension.ts'
import { FilterNotFoundError, MethodNotFoundError } from '../errors.ts'
import { atTurn, createPause } from '../method.ts'
import { reexecute } from '../traces.ts'

// Results as in Hardhat's network: true for done, decimal digits for times, null for unknown filters.

const adapt: DialectExtension['adapt'] = async (name, request) => {
  const run = RESULTS[name.slice(name.indexOf('_') + 1)]
  return run === undefined ? ((await request.answer()) ?? true) : run(request)
}

/** Adapters by method name without prefix. If a method has no adapter, its null result becomes true. */
const RESULTS: Readonly<Record<string, (request: AdaptedRequest) => Promise<unknown>>> = {
  increaseTime: async ({ answer }) => String(Number(await answer())),
  setNextBlockTimestamp: async ({ values, answer }) => {
    await answer()
    return String(values[0])
  },
  async mine({ answer }) {
    const result = await answer()
    return result === null ? true : String(Number(result))
  },
  async stopImpersonatingAccount({ context, values, answer }) {
    const wasImpersonated = context.send.signers.impersonated.includes(values[0] as Address)
    await answer()
    return wasImpersonated
  },
  getFilterChanges: ({ answer }) => nullIfUnknown(answer),
  getFilterLogs: ({ answer }) => nullIfUnknown(answer),
}

async function nullIfUnknown(answer: () => unknown): Promise<unknown> {
  try {
    return await answer()
  } catch (error) {
    if (error instanceof FilterNotFoundError) return null
    throw error
  }
}

// Hardhat's pending block contains all waiting transactions. Its clients send transactions without a block in between,
// such as a deployment and a call of the deployed contract.
//
// Owns: by tip, the last unpublished preconf block with waiting transactions.

/** The last result of {@link includeAhead}, by tip. */
const aheads = new WeakMap<Tip, Payload>()

const estimateOn: DialectExtension['estimateOn'] = async (context, { env }) => {
  const { state } = await includeAhead(context)
  return { state, env }
}

/** Returns the newest preconf block with all waiting transactions added, unpublished. */
async function includeAhead({ view, read, control, closed }: EstimateContext): Promise<Payload> {
  const { tip } = view.capture()
  const waiting = new Map<Hash, Transaction>()
  for (const transaction of control.cheats.mempool.best()) waiting.set(transaction.hash, transaction)
  let from = aheads.get(tip) ?? tip.preconf
  // Begins anew if a transaction was replaced or dropped meanwhile: it cannot be removed from the block.
  if (!addedTo(from, tip).every(({ hash }) => waiting.has(hash))) from = tip.preconf
  for (const { hash } of addedTo(from, tip)) waiting.delete(hash)
  if (waiting.size === 0) return from
  const builder = new BlockBuilder(tip.base.config, from, createPause({ read, closed }))
  await includeAll(builder, [...waiting.values()])
  if (builder.size === 0) return from
  const ahead = await builder.end(from.index + 1)
  aheads.set(tip, ahead)
  return ahead
}

/** Returns the transactions of an unpublished block that are not pre-confirmed. */
function addedTo({ block }: Payload, { preconf }: Tip): readonly Transaction[] {
  return block.transactions.slice(preconf.block.transactions.length)
}

// Hardhat seals one block per transaction, and throws if the transaction fails in it.

/**
 * Sends a transaction. In `auto` mining, does so after all earlier sends, and seals it together with any waiting
 * transactions.
 *
 * @throws TransactionRejectedError in `auto` mining also for a nonce gap and a low fee cap: it would not be sealed
 * @throws ExecutionRevertedError, ExecutionFailedError in `auto` mining, if the transaction failed in its block; the
 *   error's `transactionHash` is its hash
 */
const send: DialectExtension['send'] = async (context, submit) => {
  const { mining } = context.send
  // Does not seal waiting transactions first: they enter the same block, as in Hardhat.
  const earlier = mining.prepare(context.turn, false)
  if (earlier !== undefined) await earlier
  const now = atTurn(context)
  const isSealed = mining.automine
  const tx = await submit(now, (tx) => {
    if (isSealed) check(tx, now.viewed)
  })
  if (isSealed) await refuseFailed({ ...now, viewed: context.view.capture() }, tx.hash)
  return tx
}

/** Refuses, in Hardhat's words, a transaction that the next block could not include. */
function check(tx: Transaction, viewed: ViewedTip): void {
  const { env, state } = viewed.pending
  const { balance = 0n } = state.account(tx.from) ?? {}
  const nonce = viewed.nextNonce(tx.from)
  if (tx.nonce !== nonce) {
    const error = tx.nonce < nonce ? new NonceTooLowError() : new NonceTooHighError()
    const side = tx.nonce < nonce ? 'low' : 'high'
    const gap = `Expected nonce to be ${nonce} but got ${tx.nonce}.`
    throw worded(error, `Nonce too ${side}. ${gap} Note that transactions can't be queued when automining.`)
  }
  if (tx.gasLimit > env.gasLimit) {
    const limits = `${tx.gasLimit} and exceeds block gas limit of ${env.gasLimit}`
    throw worded(new BlockGasLimitError(), `Transaction gas limit is ${limits}`)
  }
  const feeCap = feeCapOf(tx)
  if (feeCap < env.baseFee) {
    const field = tx.type < 2 ? 'gasPrice' : 'maxFeePerGas'
    const next = `the next block, which has a baseFeePerGas of ${env.baseFee}`
    const error = new FeeCapTooLowError(feeCap, env.baseFee)
    throw worded(error, `Transaction ${field} (${feeCap}) is too low for ${next}`)
  }
  const cost = maxCost(tx) + extraFeesOf(tx, viewed.pending)
  if (cost > balance) {
    const amounts = `The max upfront cost is: ${cost} and the sender's balance is: ${balance}.`
    throw worded(new InsufficientFundsError(), `Sender doesn't have enough funds to send tx. ${amounts}`)
  }
}

function worded(error: TransactionRejectedError, message: string): TransactionRejectedError {
  return Object.assign(error, { message })
}

/** @throws ExecutionRevertedError, ExecutionFailedError if the transaction failed in a block */
async function refuseFailed(context: SendContext, hash: Hash): Promise<void> {
  const place = context.viewed.findRecent(hash)
  if (place === undefined || place.block.receipts[place.index]!.succeeded) return
  const view = await context.viewed.require({ kind: 'hash', hash: place.block.hash, requireCanonical: false })
  const execution = reexecute(context, view)
  const pause = createPause(context)
  const failure = toFailure(await execution.run(place.index, {}, pause))
  Object.assign(failure, { transactionHash: hash })
  await context.read.traceFailure?.(failure, (hooks) => execution.run(place.index, hooks, pause))
  throw failure
}

// Codes, messages and data of Hardhat 3, by error class.

interface Wording {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Hardhat's code of failed executions; go-ethereum uses it for reverts. */
const FAILED = 3
const INVALID_INPUT = -32000
const NO_REASON = 'Transaction reverted without a reason string'

/** Sets Hardhat's code, message and data of an error, and returns the error. Most errors stay unchanged. */
function word(error: PresealRpcError, request: FailedRequest): PresealRpcError {
  const wording = wordingOf(error, request)
  if (wording === undefined) return error
  // Some clients show the details rather than the message.
  const details = 'details' in error ? { details: wording.message } : {}
  return Object.assign(error, wording, details)
}

function wordingOf(error: PresealRpcError, request: FailedRequest): Wording | undefined {
  if (error instanceof ExecutionRevertedError) {
    const message = findSolidityTrace(error)?.hardhatMessage
    return { ...revertWording(error.data as Hex), ...(message !== undefined && { message }) }
  }
  if (error instanceof ExecutionFailedError) return failureWording(error.message)
  if (error instanceof GasAllowanceError) {
    const { cause } = error
    return cause instanceof PresealRpcError ? wordingOf(cause, request) : failureWording('out of gas')
  }
  const message = messageOf(error, request)
  return message === undefined ? undefined : { code: codeOf(error), message }
}

function codeOf(error: PresealRpcError): number {
  if (error instanceof MethodNotFoundError) return -32004
  return error instanceof InitCodeTooLargeError ? -32602 : INVALID_INPUT
}

function messageOf(
  error: PresealRpcError,
  { method, params, viewed, crypto }: FailedRequest,
): string | undefined {
  if (error instanceof MethodNotFoundError) return `Method ${method} is not supported`
  if (error instanceof UnknownAccountError) return `Unknown account ${toChecksum(error.account, crypto)}`
  if (error instanceof AlreadyKnownError) return `Known transaction: ${error.hash}`
  if (error instanceof IntrinsicGasError || error instanceof FloorDataGasError) {
    return `Transaction requires at least ${error.want} gas but got ${error.have}`
  }
  if (error instanceof InitCodeTooLargeError) {
    const length = `whose init code length is ${error.size}. The max length allowed by EIP-3860 is ${error.limit}.`
    const hint = "Enable the 'allowUnlimitedContractSize' option to allow init codes of any length."
    return `Trying to send a deployment transaction ${length}\n\n${hint}`
  }
  if (error instanceof TipAboveFeeCapError) {
    return `maxPriorityFeePerGas (${error.tip}) is bigger than maxFeePerGas (${error.feeCap})`
  }
  const { block } = viewed.tip.head
  if (error instanceof TimestampTooLowError) {
    const { timestamp } = error
    const theirs = "the previous block's timestamp"
    return timestamp < block.timestamp
      ? `Timestamp ${timestamp} is lower than ${theirs} ${block.timestamp}`
      : `Timestamp ${timestamp} is equal to ${theirs}. Enable the 'allowBlocksWithSameTimestamp' option to allow this`
  }
  if (error instanceof HeaderNotFoundError) {
    return `Received invalid block tag ${blockOf(params)}. Latest block number is ${block.number}`
  }
  return undefined
}

function revertWording(data: Hex): Wording {
  return { code: FAILED, message: revertMessage(data), data }
}

function revertMessage(data: Hex): string {
  if (data === '0x') return NO_REASON
  const reason = readErrorString(data)
  if (reason !== undefined) return `${VM_EXCEPTION}reverted with reason string '${reason}'`
  if (data.startsWith(PANIC_SELECTOR) && data.length === 2 + 2 * 36) {
    const code = BigInt(`0x${data.slice(10)}`)
    const meaning = PANICS[Number(code)]
    const hex = `0x${code.toString(16)}`
    const panic = meaning === undefined ? `unknown panic code ${hex}` : `panic code ${hex} (${meaning})`
    return `${VM_EXCEPTION}reverted with ${panic}`
  }
  return `${VM_EXCEPTION}reverted with an unrecognized custom error (return data: ${data})`
}

/** Returns the wording for an execution that failed without a revert, and therefore without output. */
function failureWording(reason: string): Wording {
  const data = '0x'
  if (reason.endsWith('out of gas')) {
    return { code: INVALID_INPUT, message: 'Transaction ran out of gas', data }
  }
  if (reason.startsWith('invalid opcode')) {
    return { code: FAILED, message: `${VM_EXCEPTION}invalid opcode`, data }
  }
  if (reason.startsWith('max code size exceeded')) {
    const message = 'Transaction reverted: trying to deploy a contract whose code is too large'
    return { code: FAILED, message, data }
  }
  return { code: FAILED, message: NO_REASON, data }
}

const ERROR_SELECTOR = '0x08c379a0'
const PANIC_SELECTOR = '0x4e487b71'

const PANICS: Readonly<Record<number, string>> = {
  1: 'Assertion error',
  17: 'Arithmetic operation overflowed outside of an unchecked block',
  18: 'Division or modulo division by zero',
  33: 'Tried to convert a value into an enum, but the value was too big or negative',
  34: 'Incorrectly encoded storage byte array',
  49: '.pop() was called on an empty array',
  50: 'Array accessed at an out-of-bounds or negative index',
  65: 'Too much memory was allocated, or an array was created that is too large',
  81: 'Called a zero-initialized variable of internal function type',
}

function readErrorString(data: Hex): string | undefined {
  if (!data.startsWith(ERROR_SELECTOR)) return undefined
  const bytes = hexToBytes(`0x${data.slice(ERROR_SELECTOR.length)}`)
  const offset = readIndex(bytes, 0)
  const length = offset === undefined ? undefined : readIndex(bytes, offset)
  if (offset === undefined || length === undefined || offset + 32 + length > bytes.length) return undefined
  return new TextDecoder().decode(bytes.subarray(offset + 32, offset + 32 + length))
}

/** Reads a word as an index; undefined if the word or the index is out of bounds. */
function readIndex(bytes: Uint8Array, at: number): number | undefined {
  if (at + 32 > bytes.length) return undefined
  let value = 0
  for (const byte of bytes.subarray(at, at + 32)) {
    value = value * 256 + byte
    if (value > bytes.length) return undefined
  }
  return value
}

/** Returns the last parameter that names a block, as Hardhat prints it. */
function blockOf(params: unknown): string {
  const values = Array.isArray(params) ? [...params].reverse() : []
  for (const value of values) {
    const { blockNumber, blockHash } = isObject(value) ? value : { blockNumber: value, blockHash: undefined }
    if (blockHash !== undefined) return String(blockHash)
    if (typeof blockNumber === 'number') return String(blockNumber)
    if (typeof blockNumber !== 'string' || !/^0x[0-9a-f]+$/i.test(blockNumber)) continue
    if (blockNumber.length === 66) return blockNumber
    if (blockNumber.length <= 18) return BigInt(blockNumber).toString()
  }
  return 'latest'
}

/** Formats an address with EIP-55 checksum. */
function toChecksum(address: Address, crypto: FailedRequest['crypto']): string {
  const digits = address.slice(2)
  const hash = crypto.keccak256Hex(new TextEncoder().encode(digits)).slice(2)
  return `0x${[...digits].map((digit, i) => (hash[i]! >= '8' ? digit.toUpperCase() : digit)).join('')}`
}

/** The extension of the `hardhat` dialect. */
export const hardhat: DialectExtension = {
  readParams(params, specs) {
    if (!Array.isArray(params)) return params
    return params.map((value: unknown, i) => (isAccepted(value, specs[i]) ? value : toQuantities(value)))
  },
  complete(request, { pending: { env } }) {
    if (request.gas !== undefined) return request
    const { maxTransactionGas: cap = env.gasLimit } = env.rules
    return { ...request, gas: cap < env.gasLimit ? cap : env.gasLimit }
  },
  estimateOn,
  adapt,
  send,
  word,
}

function isAccepted(value: unknown, spec: Schema<unknown> | undefined): boolean {
  try {
    spec?.parse(value, '')
    return true
  } catch {
    return false
  }
}

/** Converts a JSON number, or the numbers in an object's fields, to quantities. */
function toQuantities(value: unknown): unknown {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return `0x${(value as number).toString(16)}`
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, isObject(field) ? field : toQuantities(field)]),
  )
}
