/** Infers why a frame failed, from what it was called with, what it executed last and what it returned. */

import { bytesToHex } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { SolidityCause } from '../../base/solidityTrace.ts'
import type { Hex } from '../../base/types.ts'
import { toRevertReason } from '../../core/trace/revertReason.ts'
import { toCallText } from '../explain/lines.ts'
import { hasMethodList } from '../explain/methods.ts'
import type { Decoded } from '../explain/tree.ts'
import { type Entry, findSpecial, functionsOf } from './functions.ts'
import type { Place, Program } from './program.ts'
import { lastPlaceOf, type RecordedFrame, type Visit } from './recorder.ts'

/** Why a frame failed. */
export interface Cause {
  readonly kind: SolidityCause
  /** In words, such as `reverted with the reason "too low"`. */
  readonly message: string
  /** Where, if that is not what was executed last. */
  readonly place?: Place | undefined
  /** What its output says of where it is. */
  readonly evidence?: Evidence
  /** The custom error, if a contract declares it. */
  readonly error?: Decoded | undefined
}

/** What causes are inferred with. */
export interface CauseContext {
  readonly crypto: Crypto
  /** The custom error that an output is; undefined if no contract declares it. */
  readonly errorOf: (output: Uint8Array) => Decoded | undefined
}

/** The characters of a reason that are shown. */
const MAX_REASON = 1000
const PANIC: Hex = '0x4e487b71'
const ERROR: Hex = '0x08c379a0'

/** Infers the cause of a frame that failed by itself; see the file's header. */
export function inferCause(frame: RecordedFrame, context: CauseContext): Cause {
  const { error = '', output } = frame.end!
  if (error === 'out of gas') return { kind: 'out of gas', message: 'ran out of gas' }
  if (error.startsWith('invalid opcode')) {
    return { kind: 'invalid opcode', message: 'failed an assertion, or executed an invalid opcode' }
  }
  if (error !== 'execution reverted') {
    return { kind: frame.hasStarted ? 'other' : 'failed call', message: `failed: ${error}` }
  }
  if (output.length > 0) return ofOutput(output, context)
  const { program } = frame
  if (program === undefined) return { kind: 'no reason', message: 'reverted without a reason' }
  return (
    (program.isCreation ? ofCreation(frame, program) : ofCall(frame, program, context)) ??
    ofLastCall(frame) ?? { kind: 'no reason', message: 'reverted without a reason' }
  )
}

function ofOutput(output: Uint8Array, { errorOf }: CauseContext): Cause {
  const selector = bytesToHex(output.subarray(0, 4))
  const reason = toRevertReason(output)
  if (reason !== undefined && selector === ERROR) {
    const message = `reverted with the reason ${JSON.stringify(cut(reason))}`
    return { kind: 'reason', message, evidence: { reason } }
  }
  if (reason !== undefined && selector === PANIC) {
    const code = `0x${output[35]!.toString(16).padStart(2, '0')}`
    return {
      kind: 'panic',
      message: `reverted with the panic ${code} (${reason})`,
      evidence: { panic: output[35]! },
    }
  }
  const error = errorOf(output)
  const shown =
    error === undefined
      ? `an unknown error, ${cut(bytesToHex(output))}`
      : `the custom error ${cut(toCallText(error))}`
  return { kind: 'custom error', message: `reverted with ${shown}`, evidence: { error: error?.name }, error }
}

function cut(text: string): string {
  return text.length <= MAX_REASON ? text : `${text.slice(0, MAX_REASON)}… (${text.length} characters)`
}

/** What the compiler checks before a constructor. */
function ofCreation({ start, calls }: RecordedFrame, program: Program): Cause | undefined {
  const { contract } = program
  const entry = findSpecial(contract, 'constructor')
  const place = program.placeOfDefinition('constructor', contract.name) ?? program.declaration
  if (start.value > 0n && entry?.isPayable !== true)
    return notPayable(`the constructor of ${contract.name}`, place)
  const given = start.input.length - (contract.creation?.object.length ?? 0) / 2
  const needed = entry?.argumentBytes ?? 0
  if (given >= needed || hasBegun(calls)) return undefined
  const bytes = `${Math.max(0, given)} bytes, expected ${needed}`
  const message = `the constructor of ${contract.name} got too few arguments: ${bytes}`
  return { kind: 'invalid arguments', message, place }
}

/** What the compiler checks before a function. */
function ofCall(frame: RecordedFrame, program: Program, { crypto }: CauseContext): Cause | undefined {
  const { start, calls } = frame
  const { contract } = program
  const { input, value, type } = start
  const functions = functionsOf(contract, crypto)
  const named = input.length < 4 ? undefined : functions.get(bytesToHex(input.subarray(0, 4)))
  const entry = named ?? specialOf(program, input.length)
  if (entry === undefined) {
    // A function of a library may be in no ABI.
    if (input.length >= 4 && program.isLibrary && !hasMethodList(contract)) return undefined
    const has = contract.abi.some((one) => one.type === 'receive') ? '' : 'receive or '
    const message =
      input.length === 0
        ? `${contract.name} has no ${has}fallback function`
        : `${contract.name} has no function with the selector ${bytesToHex(input.subarray(0, 4))}, and no fallback`
    return { kind: 'unknown function', message, place: program.declaration }
  }
  const name = `${contract.name}.${entry.name}`
  const place = placeOfEntry(frame, program, entry)
  if (hasBegun(calls)) return undefined
  // The functions of libraries take ether, which the caller has got.
  if (value > 0n && !program.isLibrary && !entry.isPayable) return notPayable(name, place)
  if (named === undefined) return undefined
  const given = input.length - 4
  if (named.argumentBytes !== undefined && given < named.argumentBytes) {
    const message = `${name} got too few arguments: ${given} bytes, expected ${named.argumentBytes}`
    return { kind: 'invalid arguments', message, place }
  }
  if (type !== 'DELEGATECALL' && type !== 'CALLCODE' && program.isLibrary) {
    const message = `${name} is a function of a library, which can only be called with DELEGATECALL`
    return { kind: 'direct call of a library', message, place }
  }
  return { kind: 'invalid arguments', message: `${name} got arguments that do not match their types`, place }
}

/** Whether code of the user was executed, and not only what the compiler adds before it. */
function hasBegun(calls: RecordedFrame['calls']): boolean {
  return calls.some(({ visits }) => visits.some(({ place }) => place.isInside))
}

function notPayable(name: string, place: Place | undefined): Cause {
  return { kind: 'not payable', message: `${name} is not payable, but was sent ether`, place }
}

function specialOf({ contract }: Program, inputBytes: number): Entry | undefined {
  return (
    (inputBytes === 0 ? findSpecial(contract, 'receive') : undefined) ?? findSpecial(contract, 'fallback')
  )
}

function placeOfEntry({ calls }: RecordedFrame, program: Program, { name }: Entry): Place | undefined {
  const visited = calls.flatMap(({ visits }) => visits).find(({ definition }) => definition.name === name)
  return visited?.place ?? program.placeOfDefinition(name) ?? program.declaration
}

/** Instructions that the compiler adds after a call. */
const DECODING_STEPS = 200

/** What the compiler checks before and after a call. */
function ofLastCall(frame: RecordedFrame): Cause | undefined {
  const { codeless, lastChild, stepsSinceChild, calledFrom } = frame
  if (codeless !== undefined) return noContract(codeless)
  const isLast = stepsSinceChild <= DECODING_STEPS && isSameLine(lastPlaceOf(frame), calledFrom)
  if (lastChild?.end?.error !== undefined || !isLast || lastChild?.start.to === undefined) return undefined
  const { hasStarted, end, start } = lastChild
  if (!hasStarted && end!.output.length === 0) return noContract(start.to!)
  const message = `a call to ${start.to} returned ${end!.output.length} bytes, which do not match the expected type`
  return { kind: 'unexpected return data', message }
}

function isSameLine(one: Place | undefined, other: Place | undefined): boolean {
  if (one === undefined || other === undefined || one.file !== other.file) return one === other
  return one.file.text?.positionOf(one.start)?.line === other.file.text?.positionOf(other.start)?.line
}

function noContract(address: string): Cause {
  return { kind: 'no contract', message: `called ${address}, which is not a contract` }
}

// Finds in the text of a function what can have failed with an output, if the source map does not say it: with via-IR, the
// optimiser moves what fails to the end of a code, and the place is lost.

/** What a panic fails in, by its code. */
const PANICS: Readonly<Record<number, RegExp>> = {
  1: /\bassert\s*\(/g,
  17: /\+\+|--|[-+*]/g,
  18: /[/%]/g,
  49: /\.pop\s*\(/g,
  50: /\[[^\]]+\]/g,
  65: /\bnew\b/g,
}

/** What a failure leaves in the text: a literal of its reason, the name of its error, or the code of its panic. */
export interface Evidence {
  readonly reason?: string | undefined
  readonly error?: string | undefined
  readonly panic?: number | undefined
}

/**
 * The place in the function that was executed last which fits the evidence: the only one, or the first that follows what was
 * executed last.
 *
 * @returns undefined if nothing fits, or if what was executed last fits itself.
 */
export function searchSource({ definition, place }: Visit, evidence: Evidence): Place | undefined {
  const { file } = place
  const pattern = patternOf(evidence)
  const { text, outline } = file
  if (pattern === undefined || text === undefined || outline === undefined || place.throws) return undefined
  const code = evidence.reason === undefined ? outline.code : text.characters
  const found = [...code.slice(definition.start, definition.end).matchAll(pattern)]
    .map(({ index }) => definition.start + index)
    .filter((at) => file.outline?.code[at] !== ' ' || evidence.reason !== undefined)
  const lineOf = (at: number): number | undefined => text.positionOf(at)?.line
  if (found.some((at) => lineOf(at) === lineOf(place.start))) return undefined
  const start = found.length === 1 ? found[0] : found.find((at) => at >= place.start)
  return start === undefined
    ? undefined
    : { ...place, start: startOfStatement(outline.code, start), isInside: true }
}

function patternOf({ reason, error, panic }: Evidence): RegExp | undefined {
  if (reason !== undefined && reason !== '') return new RegExp(escapePattern(JSON.stringify(reason)), 'g')
  if (error !== undefined) return new RegExp(`\\b${escapePattern(error)}\\s*\\(`, 'g')
  return panic === undefined ? undefined : PANICS[panic]
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** The first character of the statement that contains a position. */
function startOfStatement(code: string, at: number): number {
  let start = at
  while (start > 0 && !';{}'.includes(code[start - 1]!)) start--
  while (start < at && /\s/.test(code[start]!)) start++
  return start
}
