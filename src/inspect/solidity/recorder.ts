/**
 * Records an execution for a stack trace: of each open frame the chain of Solidity's calls, and of each ended one only what
 * its caller can have failed with.
 *
 * Owns: what is recorded of one execution. Its memory is bounded by the depth of frames and by {@link MAX_CALLS}.
 */

import type { Address } from '../../base/types.ts'
import type { BlockEnv, FrameEnd, FrameStart, Step, Tracer } from '../../ethereum/evm/executor.ts'
import { FrameCodes } from '../../ethereum/evm/watch.ts'
import type { Overlay } from '../../ethereum/state/overlay.ts'
import type { TxEnv } from '../../ethereum/transaction.ts'
import type { Definition } from './functions.ts'
import type { CallGraph, Place, Program } from './program.ts'
import type { Jump } from './sources.ts'

/** A definition that was entered, and the last instruction of it that was executed. */
export interface Visit {
  readonly definition: Definition
  place: Place
}

/** A call within a frame: its function, and those that are a part of it, such as modifiers and inlined functions. */
export interface InternalCall {
  readonly visits: Visit[]
  /** The calls within it of functions that the compiler generates. */
  generated: number
}

/** A frame of the EVM. */
export interface RecordedFrame {
  readonly start: FrameStart
  /** Undefined if its code is not of a known contract; absent until its first instruction. */
  program?: Program | undefined
  readonly hasStarted: boolean
  readonly calls: readonly InternalCall[]
  /** The calls that were left out, as there were too many. */
  readonly omitted: number
  /** Absent while it is open. */
  readonly end?: FrameEnd
  /** The last frame that it called. */
  readonly lastChild?: RecordedFrame | undefined
  /** The instructions since `lastChild` ended. */
  readonly stepsSinceChild: number
  /** The place that called `lastChild`. */
  readonly calledFrom: Place | undefined
  /** The account without code that it last asked for the size of its code, if that was a few instructions ago. */
  readonly codeless: Address | undefined
  /** Whether an instruction was executed that the source map does not describe. */
  readonly isUnmapped: boolean
}

type Open = { -readonly [Key in keyof RecordedFrame]: RecordedFrame[Key] } & {
  calls: InternalCall[]
  /** Whether the last instruction was a jump into a function. */
  isEntering: boolean
  stepsSinceCodeless: number
  /**
   * The `require` or `revert` that jumped to the end of another one: the optimiser keeps one of equal ends. A jump from one
   * that holds is conditional.
   */
  thrown: Place | undefined
}

/** The calls within a frame that are kept; of those above, the outermost and the innermost are. */
const MAX_CALLS = 256
const KEPT_OUTERMOST = 32

const [JUMP, JUMPI, EXTCODESIZE, PUSH0, PUSH32] = [0x56, 0x57, 0x3b, 0x5f, 0x7f] as const
/** Instructions between a check of EXTCODESIZE and its revert. */
const CODELESS_STEPS = 24

/** See the file's header. */
export class Recorder implements Tracer {
  readonly #programOf: (code: Uint8Array, isCreation: boolean) => Program | undefined
  readonly #codes = new FrameCodes()
  #open: Open[] = []
  /** The outermost frame, once it has ended. */
  root: RecordedFrame | undefined

  constructor(programOf: (code: Uint8Array, isCreation: boolean) => Program | undefined) {
    this.#programOf = programOf
  }

  onStart(_tx: TxEnv, _env: BlockEnv, state: Overlay): void {
    this.#codes.start(state)
    this.#open = []
    this.root = undefined
  }

  onEnter(start: FrameStart): void {
    const caller = this.#open.at(-1)
    if (caller !== undefined) caller.calledFrom = lastPlaceOf(caller)
    this.#open.push({
      // Copied, since the input may be a view of the caller's memory.
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
    const frame = this.#open.pop()
    if (frame === undefined) return
    this.#codes.end(end)
    // The output may be a view of memory too, and a successful one is not read.
    frame.end = { ...end, output: end.error === undefined ? end.output : end.output.slice() }
    const parent = this.#open.at(-1)
    if (parent === undefined) this.root = frame
    else {
      // What it called is of interest only if it failed.
      if (end.error === undefined) frame.lastChild = undefined
      parent.lastChild = frame
      parent.stepsSinceChild = 0
    }
  }

  onStep(step: Step): void {
    const frame = this.#open.at(-1)
    if (frame === undefined) return
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
    if (!isPush(opcode)) advance(frame, place, opcode, location?.jump)
    if (location === undefined) frame.isUnmapped = true
    else if (opcode === JUMP && location.jump === 'in') frame.isEntering = true
    else if (opcode === JUMP && location.jump === 'out') leave(frame)
  }

  #begin(frame: Open): void {
    frame.hasStarted = true
    const { type, to, input } = frame.start
    const isCreation = type === 'CREATE' || type === 'CREATE2'
    frame.program = this.#programOf(isCreation ? input : this.#codes.codeOf(to!), isCreation)
    const entry = isCreation ? undefined : frame.program?.entryOf(input)
    if (entry !== undefined) frame.calls[0]!.visits.push({ definition: entry.definition!, place: entry })
  }

  #noteCodeSize(frame: Open, step: Step): void {
    const word = step.stack().at(-1)
    if (word === undefined) return
    const address: Address = `0x${BigInt.asUintN(160, word).toString(16).padStart(40, '0')}`
    frame.codeless = this.#codes.codeOf(address).length === 0 ? address : undefined
    frame.stepsSinceCodeless = 0
  }
}

/** Whether an instruction is a constant's: the optimiser shares constants, with the place of one of them. */
function isPush(opcode: number): boolean {
  return opcode >= PUSH0 && opcode <= PUSH32
}

/** The last place that a frame executed. */
export function lastPlaceOf({ calls }: Pick<RecordedFrame, 'calls'>): Place | undefined {
  return calls.findLast(({ visits }) => visits.length > 0)?.visits.at(-1)?.place
}

/** Begins a call within a frame at its first instruction, which has the place of the whole definition. */
function enter(frame: Open, place: Place | undefined): void {
  const isUsers = place?.definition !== undefined && !place.isInside
  if (!isUsers) {
    frame.calls.at(-1)!.generated++
    return
  }
  const graph = frame.program?.calls
  const { visits } = frame.calls.at(-1)!
  // What runs now was called by the outermost one if no inlined one can call it.
  if (graph !== undefined && visits.length > 0 && !returnTo(visits, place.definition!, graph))
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

/** Notes an instruction of a frame, unless it is of the end of another `require`; see {@link Open.thrown}. */
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

/** Notes an instruction: of a definition further out if there is one, else the definition is a part of one before it. */
function visit({ visits }: InternalCall, place: Place, graph: CallGraph | undefined): void {
  const { definition } = place
  if (definition === undefined) return
  const at = visits.findLastIndex((one) => one.definition === definition)
  if (at === -1) {
    // A variable's initial value is computed before a constructor, not by one.
    if (visits.at(-1)?.definition.kind === 'variable') visits.pop()
    const isCalled = definition.kind === 'function' || definition.kind === 'modifier'
    // Code that the optimiser shares between functions has the place of one of them.
    if (graph !== undefined && isCalled && visits.length > 0 && !returnTo(visits, definition, graph)) return
    visits.push({ definition, place })
    return
  }
  visits.length = at + 1
  const last = visits[at]!
  if (place.isInside || !last.place.isInside) last.place = place
}

/**
 * Leaves the inlined functions that have returned when another one begins: those above the last one that names it, or that can
 * run one which names it.
 *
 * @returns false if there is none.
 */
function returnTo(visits: Visit[], { name }: Definition, graph: CallGraph): boolean {
  const located = visits.map(({ definition, place: { file } }) => ({ definition, file }))
  let at = located.findLastIndex((one) => graph.mentions(one, name))
  if (at === -1) at = located.findLastIndex((one) => graph.reaches(one, name))
  if (at === -1) return false
  visits.length = at + 1
  return true
}
