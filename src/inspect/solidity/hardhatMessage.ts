/** Hardhat's message for a failed execution, where the output alone does not say it: the dialect `hardhat` shows it. */
import { checksum } from 'ox/Address'
import { bytesToHex } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { type SolidityCause, VM_EXCEPTION } from '../../base/solidityTrace.ts'
import type { Argument, ArgumentValue, Decoded } from '../explain/tree.ts'
import { findSpecial, functionsOf } from './abi.ts'
import type { RecordedFrame } from './recorder.ts'

/** The messages of causes that need nothing else. */
const MESSAGES: Readonly<Partial<Record<SolidityCause, string>>> = {
  'no contract': 'function call to a non-contract account',
  'invalid arguments': 'function was called with incorrect parameters',
  'unexpected return data': 'function returned an unexpected amount of data',
  'direct call of a library': 'library was called directly',
  'failed call': 'function call failed to execute',
  'out of gas': 'contract call run out of gas and made the transaction revert',
}

/**
 * Hardhat's message for a frame that failed by itself.
 *
 * @param error - the custom error, if it is one that a contract declares.
 * @returns undefined for causes that its output says, and for others that Hardhat gives no reason for.
 */
export function hardhatMessage(
  cause: SolidityCause,
  frame: RecordedFrame,
  error: Decoded | undefined,
  crypto: Crypto,
): string | undefined {
  if (error !== undefined) {
    return `${VM_EXCEPTION}reverted with custom error '${error.name}(${list(error.args)})'`
  }
  if (cause === 'invalid opcode') return `${VM_EXCEPTION}invalid opcode`
  const reason = reasonOf(cause, frame, crypto)
  return reason && `Transaction reverted: ${reason}`
}

function reasonOf(cause: SolidityCause, frame: RecordedFrame, crypto: Crypto): string | undefined {
  const isEntry = cause === 'unknown function' || cause === 'not payable'
  if (isEntry && frame.program!.isLibrary) return MESSAGES['direct call of a library']
  if (cause === 'unknown function') return unknownFunction(frame)
  if (cause === 'not payable') return notPayable(frame, crypto)
  // Without a check of the code before it, the call succeeds, and what it should return is absent.
  const isUnchecked = cause === 'no contract' && frame.codeless === undefined
  return MESSAGES[isUnchecked ? 'unexpected return data' : cause]
}

function unknownFunction({ start }: RecordedFrame): string {
  const absent = start.input.length === 0 ? 'fallback nor receive' : 'fallback'
  return `function selector was not recognized and there's no ${absent} function`
}

function notPayable({ start, program }: RecordedFrame, crypto: Crypto): string {
  const { contract, isCreation } = program!
  const { input, value } = start
  const isNamed = functionsOf(contract, crypto).has(bytesToHex(input.subarray(0, 4)))
  if (isCreation || isNamed) return `non-payable function was called with value ${value}`
  const none = input.length === 0 && !findSpecial(contract, 'receive') ? "there's no receive function, " : ''
  return `${none}fallback function is not payable and was called with value ${value}`
}

const list = (args: readonly Argument[]): string =>
  args.map(({ type, value }) => toText(value, type)).join(', ')

/** A value: text, addresses and bytes in quotes, arrays and structs in brackets. */
function toText(value: ArgumentValue, type: string): string {
  if (typeof value === 'string') return `"${type === 'address' ? checksum(value as `0x${string}`) : value}"`
  if (typeof value !== 'object') return `${value}`
  const element = /^(.*)\[\d*\]$/.exec(type)?.[1]
  if (element === undefined) return `[${list(value as readonly Argument[])}]`
  return `[${(value as readonly ArgumentValue[]).map((one) => toText(one, element)).join(', ')}]`
}
