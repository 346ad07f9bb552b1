/** Infers why a frame failed, from its input, its last instructions and its output. */

import { bytesToHex } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { SolidityCause } from '../../base/solidityTrace.ts'
import type { Address, Hex } from '../../base/types.ts'
import { toRevertReason } from '../../core/trace/revertReason.ts'
import {
  type BlockEnv,
  type FrameEnd,
  type FrameStart,
  type Hooks,
  isCreation,
  type Step,
} from '../../ethereum/evm/executor.ts'
import { addressIn, FrameStack } from '../../ethereum/evm/hooks.ts'
import type { StateReader } from '../../ethereum/state/account.ts'
import type { TxEnv } from '../../ethereum/transaction.ts'
import { hasMethodList } from '../explain/abi.ts'
import { type Decoded, toCallText } from '../explain/tree.ts'
import type { CallGraph, Place, Program } from './program.ts'
import { type Definition, type Entry, findFunction, findSpecial, type Jump } from './sources.ts'

/** Why a frame failed. */
export interface Cause {
  readonly kind: SolidityCause
  /** A description, such as `reverted with the reason "too low"`. */
  readonly message: string
  /** Where it failed, if not at the last executed place. */
  readonly place?: Place | undefined
  /** Clues in the output to the place of the failure. */
  readonly evidence?: Evidence
  /** The custom error, if a contract declares it. */
  readonly error?: Decoded | undefined
}

interface CauseContext {
  readonly crypto: Crypto
  /** Returns the custom error of an output, if a contract declares it. */
  readonly errorOf: (output: Uint8Array) => Decoded | undefined
}

const MAX_REASON = 1000
const PANIC: Hex = '0x4e487b71'
const ERROR: Hex = '0x08c379a0'

/** Infers the cause of a frame that failed by itself. */
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
  const ofEntry = program?.isCreation ? ofCreation : ofCall
  const found = program && (ofEntry(frame, program, context) ?? ofLastCall(frame))
  return found ?? { kind: 'no reason', message: 'reverted without a reason' }
}

function ofOutput(output: Uint8Array, { errorOf }: CauseContext): Cause {
  const selector = bytesToHex(output.subarray(0, 4))
  const reason = toRevertReason(output)
  if (reason !== undefined && selector === ERROR) {
    const message = `reverted with the reason ${JSON.stringify(cut(reason))}`
    return { kind: 'reason', message, evidence: { reason } }
  }
  if (reason !== undefined && selector === PANIC) {
    const panic = output[35]!
    const message = `reverted with the panic 0x${panic.toString(16).padStart(2, '0')} (${reason})`
    return { kind: 'panic', message, evidence: { panic } }
  }
  const error = errorOf(output)
  const shown = error && `the custom error ${cut(toCallText(error))}`
  const message = `reverted with ${shown ?? `an unknown error, ${cut(bytesToHex(output))}`}`
  return { kind: 'custom error', message, evidence: { error: error?.name }, error }
}

function cut(text: string): string {
  return text.length <= MAX_REASON ? text : `${text.slice(0, MAX_REASON)}… (${text.length} characters)`
}

/** Finds a failed check that the compiler adds before a constructor. */
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

/** Finds a failed check that the compiler adds before a function. */
function ofCall(frame: RecordedFrame, program: Program, { crypto }: CauseContext): Cause | undefined {
  const { start, calls } = frame
  const { contract } = program
  const { input, value, type } = start
  const named = findFunction(contract, input, crypto)
  const receive = input.length === 0 ? findSpecial(contract, 'receive') : undefined
  const entry = named ?? receive ?? findSpecial(contract, 'fallback')
  if (entry === undefined) {
    // Library functions may be in no ABI.
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
  // Library functions accept the ether that their caller received.
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

/** Returns whether the user's code began, after the checks that the compiler adds before it. */
function hasBegun(calls: RecordedFrame['calls']): boolean {
  return calls.some(({ visits }) => visits.some(({ place }) => place.isInside))
}

function notPayable(name: string, place: Place | undefined): Cause {
  return { kind: 'not payable', message: `${name} is not payable, but was sent ether`, place }
}

function placeOfEntry({ calls }: RecordedFrame, program: Program, { name }: Entry): Place | undefined {
  const visited = calls.flatMap(({ visits }) => visits).find(({ definition }) => definition.name === name)
  return visited?.place ?? program.placeOfDefinition(name) ?? program.declaration
}

/** How many instructions after a call may belong to the compiler's checks of its return data. */
const DECODING_STEPS = 200

/** Finds a failed check that the compiler adds before or after a call. */
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

// Searches the text of a function for the cause of an output. With via-IR, the optimiser moves failing code to the end,
// and the source map loses the place of that code.

/** Matches source code that can panic, by panic code. */
const PANICS: Readonly<Record<number, RegExp>> = {
  1: /\bassert\s*\(/g,
  17: /\+\+|--|[-+*]/g,
  18: /[/%]/g,
  49: /\.pop\s*\(/g,
  50: /\[[^\]]+\]/g,
  65: /\bnew\b/g,
}

/** Clues in the source text: the literal of a reason, the name of an error, or the code of a panic. */
interface Evidence {
  readonly reason?: string | undefined
  readonly error?: string | undefined
  readonly panic?: number | undefined
}

/**
 * Returns the place in the last executed function that fits the evidence: the only one, or the first after the last
 * executed place. Undefined if none fits, or if the line of the last executed place fits already.
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
  if (start === undefined) return undefined
  return { ...place, start: startOfStatement(outline.code, start), isInside: true }
}

function patternOf({ reason, error, panic }: Evidence): RegExp | undefined {
  if (reason !== undefined && reason !== '') return new RegExp(escapePattern(JSON.stringify(reason)), 'g')
  if (error !== undefined) return new RegExp(`\\b${escapePattern(error)}\\s*\\(`, 'g')
  return panic === undefined ? undefined : PANICS[panic]
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function startOfStatement(code: string, at: number): number {
  let start = at
  while (start > 0 && !';{}'.includes(code[start - 1]!)) start--
  while (start < at && /\s/.test(code[start]!)) start++
  return start
}

/** An entered definition, and the place of its last executed instruction. */
export interface Visit {
  readonly definition: Definition
  place: Place
}

/** A call within a frame: its function, with modifiers and inlined functions. */
interface InternalCall {
  readonly visits: Visit[]
  /** How many calls of compiler-generated functions are open. */
  generated: number
}

/** An EVM frame of a recorded execution. */
export interface RecordedFrame {
  readonly start: FrameStart
  /** Absent until the first instruction; undefined for unknown code. */
  program?: Program | undefined
  readonly hasStarted: boolean
  readonly calls: readonly InternalCall[]
  readonly omitted: number
  /** Absent while the frame is open. */
  readonly end?: FrameEnd
  readonly lastChild?: RecordedFrame | undefined
  readonly stepsSinceChild: number
  readonly calledFrom: Place | undefined
  /** The account that one of the last instructions found to have no code. */
  readonly codeless: Address | undefined
  /** Whether an instruction beyond the source map was executed. */
  readonly isUnmapped: boolean
}

type Open = { -readonly [Key in keyof RecordedFrame]: RecordedFrame[Key] } & {
  calls: InternalCall[]
  /** Whether the last instruction was a jump into a function. */
  isEntering: boolean
  stepsSinceCodeless: number
  /**
   * The `require` or `revert` that jumped to the end of a different `require` or `revert`, since the optimiser merges
   * equal ends. A JUMPI resets this to undefined: a `require` that holds executes one.
   */
  thrown: Place | undefined
}

/** How many open calls of a frame are kept. Of more calls, keeps the `KEPT_OUTERMOST` outermost and the innermost. */
const MAX_CALLS = 256
const KEPT_OUTERMOST = 32

const [JUMP, JUMPI, EXTCODESIZE, PUSH0, PUSH32] = [0x56, 0x57, 0x3b, 0x5f, 0x7f] as const
/** How many instructions may follow EXTCODESIZE up to the revert of its check. */
const CODELESS_STEPS = 24

/**
 * Records an execution for a stack trace: the Solidity calls of each open frame, and the failure of each ended one.
 *
 * Owns: one record, bounded by the depth of frames and {@link MAX_CALLS}.
 */
export class Recorder implements Hooks {
  readonly #programOf: (code: Uint8Array, isCreation: boolean) => Program | undefined
  readonly #frames = new FrameStack<Open>()

  constructor(programOf: (code: Uint8Array, isCreation: boolean) => Program | undefined) {
    this.#programOf = programOf
  }

  get root(): RecordedFrame | undefined {
    return this.#frames.root
  }

  onStart(_tx: TxEnv, _env: BlockEnv, state: StateReader): void {
    this.#frames.start(state)
  }

  onEnter(start: FrameStart): void {
    const caller = this.#frames.current
    if (caller !== undefined) caller.calledFrom = lastPlaceOf(caller)
    this.#frames.enter({
      // The input may be a view of the caller's memory.
      start: { ...start, input: start.input.slice() },
      hasStarted: false,
      calls: [{ visits: [], generated: 0 }],
      omitted: 0,
      stepsSinceChild: 0,
      calledFrom: undefined,
      codeless: undefined,
      isUnmapped: false,
      isEntering: false,
      thrown: undefined,
      stepsSinceCodeless: 0,
    })
  }

  onExit(end: FrameEnd): void {
    const frame = this.#frames.exit(end)
    // The output may be a view of memory too. Of the output of a successful frame, only the length is read.
    frame.end = { ...end, output: end.error === undefined ? end.output : end.output.slice() }
    const parent = this.#frames.current
    if (parent === undefined) return
    // Drops the calls of a successful frame, since none of them is the cause.
    if (end.error === undefined) frame.lastChild = undefined
    parent.lastChild = frame
    parent.stepsSinceChild = 0
  }

  onStep(step: Step): void {
    const frame = this.#frames.current!
    if (!frame.hasStarted) this.#begin(frame)
    frame.stepsSinceChild++
    const { program } = frame
    if (program === undefined) return
    const { pc, opcode } = step
    if (opcode === EXTCODESIZE) this.#noteCodeSize(frame, step)
    else if (frame.codeless !== undefined && ++frame.stepsSinceCodeless > CODELESS_STEPS)
      frame.codeless = undefined
    const place = program.placeOf(pc)
    if (frame.isEntering) enter(frame, place)
    frame.isEntering = false
    const location = program.locationOf(pc)
    // The optimiser shares pushed constants and keeps one place for all.
    if (opcode < PUSH0 || opcode > PUSH32) advance(frame, place, opcode, location?.jump)
    if (location === undefined) frame.isUnmapped = true
    else if (opcode === JUMP && location.jump === 'in') frame.isEntering = true
    else if (opcode === JUMP && location.jump === 'out') leave(frame)
  }

  #begin(frame: Open): void {
    frame.hasStarted = true
    const { type, input } = frame.start
    const creates = isCreation(type)
    frame.program = this.#programOf(this.#frames.codeOfFrame(frame.start), creates)
    const entry = creates ? undefined : frame.program?.entryOf(input)
    if (entry !== undefined) frame.calls[0]!.visits.push({ definition: entry.definition!, place: entry })
  }

  #noteCodeSize(frame: Open, step: Step): void {
    const word = step.stack().at(-1)
    if (word === undefined) return
    const address = addressIn(word)
    frame.codeless = this.#frames.codeOf(address).length === 0 ? address : undefined
    frame.stepsSinceCodeless = 0
  }
}

function lastPlaceOf({ calls }: Pick<RecordedFrame, 'calls'>): Place | undefined {
  return calls.findLast(({ visits }) => visits.length > 0)?.visits.at(-1)?.place
}

/** Begins a call within a frame at its first instruction, which has the place of the whole definition. */
function enter(frame: Open, place: Place | undefined): void {
  const call = frame.calls.at(-1)!
  if (place?.definition === undefined || place.isInside) {
    call.generated++
    return
  }
  const { visits } = call
  const graph = frame.program?.calls
  // If no open inlined function can call this function, the outermost function did.
  if (graph !== undefined && visits.length > 0 && !returnTo(visits, place.definition, graph))
    visits.length = 1
  frame.calls.push({ visits: [], generated: 0 })
  if (frame.calls.length <= MAX_CALLS) return
  frame.calls.splice(KEPT_OUTERMOST, 1)
  frame.omitted++
}

function leave(frame: Open): void {
  const call = frame.calls.at(-1)!
  if (call.generated > 0) call.generated--
  else if (frame.omitted > 0 && frame.calls.length <= KEPT_OUTERMOST + 1) frame.omitted--
  else if (frame.calls.length > 1) frame.calls.pop()
}

/** Records an instruction, unless it belongs to the end of a different `require`; see {@link Open.thrown}. */
function advance(frame: Open, place: Place | undefined, opcode: number, jump: Jump): void {
  if (opcode === JUMPI) frame.thrown = undefined
  else if (opcode === JUMP && jump === undefined) {
    const last = place ?? lastPlaceOf(frame)
    if (last?.throws) frame.thrown ??= last
  }
  if (place === undefined) return
  if (frame.thrown === undefined || frame.thrown === place)
    visit(frame.calls.at(-1)!, place, frame.program?.calls)
}

/** Records an instruction. If its definition is open, closes definitions inside it. If not, begins an inlined one. */
function visit({ visits }: InternalCall, place: Place, graph: CallGraph | undefined): void {
  const { definition } = place
  if (definition === undefined) return
  const at = visits.findLastIndex((one) => one.definition === definition)
  if (at === -1) {
    // A variable is initialised before a constructor, not by it.
    if (visits.at(-1)?.definition.kind === 'variable') visits.pop()
    const isCalled = definition.kind === 'function' || definition.kind === 'modifier'
    // Ignores code that the optimiser shares between functions: it has the place of only one of them.
    if (graph !== undefined && isCalled && visits.length > 0 && !returnTo(visits, definition, graph)) return
    visits.push({ definition, place })
    return
  }
  visits.length = at + 1
  const last = visits[at]!
  if (place.isInside || !last.place.isInside) last.place = place
}

/**
 * Closes the inlined functions that have returned: all after the last function that contains the name of the next
 * definition. If no function contains it, all after the last function that can run a function with the name. Returns
 * false, and closes none, if no function can.
 */
function returnTo(visits: Visit[], { name }: Definition, graph: CallGraph): boolean {
  const located = visits.map(({ definition, place: { file } }) => ({ definition, file }))
  let at = located.findLastIndex((one) => graph.mentions(one, name))
  if (at === -1) at = located.findLastIndex((one) => graph.reaches(one, name))
  if (at === -1) return false
  visits.length = at + 1
  return true
}
