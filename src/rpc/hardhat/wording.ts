/** Errors of the `hardhat` dialect: codes, messages and data of Hardhat 3 by error class. */

import { hexToBytes } from '../../base/bytes.ts'
import { PresealRpcError } from '../../base/errors.ts'
import { isObject } from '../../base/schema.ts'
import { findSolidityTrace, VM_EXCEPTION } from '../../base/solidityTrace.ts'
import { TextDecoder, TextEncoder } from '../../base/textEncoding.ts'
import type { Address, Hex } from '../../base/types.ts'
import { UnknownAccountError } from '../../core/accounts/errors.ts'
import { TimestampTooLowError } from '../../core/cheats/errors.ts'
import { AlreadyKnownError } from '../../core/mempool/errors.ts'
import { HeaderNotFoundError } from '../../core/view/errors.ts'
import {
  FloorDataGasError,
  InitCodeTooLargeError,
  IntrinsicGasError,
  TipAboveFeeCapError,
} from '../../ethereum/errors.ts'
import { ExecutionFailedError, ExecutionRevertedError, GasAllowanceError } from '../../ethereum/evm/errors.ts'
import type { FailedRequest } from '../dialectExtension.ts'
import { MethodNotFoundError } from '../errors.ts'

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
export function word(error: PresealRpcError, request: FailedRequest): PresealRpcError {
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

/** Words an execution that failed without a revert, and so without output. */
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
