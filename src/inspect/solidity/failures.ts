/**
 * Adds Solidity stack traces to the errors of failed executions, by executing them again. The first failure loads this
 * file.
 *
 * Owns: the contracts of the option `stackTraces`, shared by all chains: tests create many with the same contracts.
 */

import { checksum } from 'ox/Address'
import { bytesToHex, equalBytes } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import {
  forgetSolidityTraces,
  keepSolidityTrace,
  type SolidityCause,
  type SolidityFrame,
  type SolidityTrace,
  showSolidityTrace,
  VM_EXCEPTION,
} from '../../base/solidityTrace.ts'
import type { StackTraceSource } from '../../core/options.ts'
import type { Hooks } from '../../ethereum/evm/executor.ts'
import { AbiDecoder } from '../explain/abi.ts'
import { type Contract, type ReadArtifacts, readArtifacts } from '../explain/artifacts.ts'
import { Identifier, passesOn } from '../explain/identify.ts'
import type { Argument, ArgumentValue, Decoded } from '../explain/tree.ts'
import { readFolder } from './folder.ts'
import {
  type Cause,
  inferCause,
  type RecordedFrame,
  Recorder,
  searchSource,
  type Visit,
} from './inferCause.ts'
import { type Place, Program } from './program.ts'
import { findFunction, findSpecial } from './sources.ts'

/** A chain whose traces are forgotten when it closes. */
export interface ClosingChain {
  onClose(fn: () => void): unknown
}

/** Contracts by list of build info. */
const lists = new WeakMap<readonly object[], ReadArtifacts>()
/** The {@link StackTraces} of each project's contracts. */
const prepared = new WeakMap<ReadArtifacts, { readonly crypto: Crypto; readonly traces: StackTraces }>()

/** Explains the failed executions of a chain. */
export class Failures {
  readonly #source: StackTraceSource
  readonly #crypto: Crypto
  readonly #chain: ClosingChain

  constructor(source: StackTraceSource, crypto: Crypto, chain: ClosingChain) {
    this.#source = source
    this.#crypto = crypto
    this.#chain = chain
    chain.onClose(() => forgetSolidityTraces(chain))
  }

  /** Adds the trace to an error, as `solidity` and on top of its `stack`. A trace that fails is empty, with a note. */
  async explain<E extends Error>(error: E, execute: (hooks: Hooks) => Promise<unknown>): Promise<E> {
    const solidity = await this.#trace(execute).catch(toFailedTrace)
    return showSolidityTrace(Object.assign(error, solidity && { solidity }))
  }

  async #trace(execute: (hooks: Hooks) => Promise<unknown>): Promise<SolidityTrace | undefined> {
    const project = readProject(this.#source)
    const traces = prepare(project, this.#crypto)
    const recorder = traces.record()
    await execute(recorder)
    const { root } = recorder
    if (root?.end?.error === undefined) return undefined
    const trace = traces.of(root)
    const whole = { ...trace, notes: [...trace.notes, ...project.notes].slice(0, MAX_NOTES) }
    const [input, output] = [bytesToHex(root.start.input), bytesToHex(root.end.output)]
    keepSolidityTrace(this.#chain, { to: root.start.to ?? '', input, output }, whole)
    return whole
  }
}

/** Returns the contracts of the option. Looks at a folder each time, since it may have been compiled again. */
function readProject(source: StackTraceSource): ReadArtifacts {
  if (typeof source === 'string') return readFolder(source)
  return getOrInsert(lists, source, () => readArtifacts(source))
}

function prepare(project: ReadArtifacts, crypto: Crypto): StackTraces {
  const known = prepared.get(project)
  if (known?.crypto === crypto) return known.traces
  const traces = new StackTraces(project.contracts, crypto)
  prepared.set(project, { crypto, traces })
  return traces
}

function toFailedTrace(error: unknown): SolidityTrace {
  const notes = [`the stack trace failed: ${String(error)}`]
  return { cause: undefined, message: 'no stack trace', frames: [], stack: '', notes }
}

// Stack traces in JavaScript's format.

/** How many frames a trace may have. A longer trace keeps its `KEPT_OUTERMOST` outermost and its innermost frames. */
const MAX_FRAMES = 100
const KEPT_OUTERMOST = 20
const MAX_NOTES = 5
const VIA_IR =
  'compiled via IR, which keeps fewer locations: a line may be the start of its function, and functions may be missing'
/** Within this many instructions after a failed call without output, a revert without output passes the failure on. */
const FORWARDING_STEPS = 40

class StackTraces {
  readonly #crypto: Crypto
  readonly #decoder: AbiDecoder
  readonly #identifier: Identifier
  /** Programs by code object: all states return the same object for a code. */
  readonly #programs = new WeakMap<Uint8Array, Program>()
  /** Programs of deployed codes that match exactly: such codes may differ in data, but in no instruction. */
  readonly #deployed = new Map<Contract, Program>()

  constructor(contracts: readonly Contract[], crypto: Crypto) {
    this.#crypto = crypto
    this.#decoder = new AbiDecoder(crypto, contracts)
    this.#identifier = new Identifier(contracts)
  }

  record(): Recorder {
    return new Recorder((code, isCreation) => this.#programOf(code, isCreation))
  }

  #programOf(code: Uint8Array, isCreation: boolean): Program | undefined {
    const known = this.#programs.get(code)
    if (known !== undefined) return known
    const identified = isCreation
      ? this.#identifier.creation(code)
      : this.#identifier.runtime(code, this.#crypto.keccak256Hex(code))
    if (identified === undefined) return undefined
    const create = () => new Program(identified, code, isCreation, this.#crypto)
    const isShared = identified.isExact && !isCreation
    const program = isShared ? getOrInsert(this.#deployed, identified.contract, create) : create()
    this.#programs.set(code, program)
    return program
  }

  of(root: RecordedFrame): SolidityTrace {
    const path = failingPath(root)
    const failed = path.at(-1)!
    const { program } = failed
    const errorOf = (output: Uint8Array) => this.#decoder.revert(program?.contract, output)
    const cause = inferCause(failed, { crypto: this.#crypto, errorOf })
    const notes = new Set<string>()
    const frames = path
      .filter((frame, i) => !isProxy(frame, path[i + 1]))
      .toReversed()
      .flatMap((frame, i) => toFrames(frame, i === 0 ? cause : undefined, notes))
    const omitted = frames.length - MAX_FRAMES
    const end = MAX_FRAMES - KEPT_OUTERMOST
    const kept = omitted > 0 ? [...frames.slice(0, end), ...frames.slice(-KEPT_OUTERMOST)] : frames
    if (omitted > 0) notes.add(`${omitted} frames are left out`)
    const hardhat = hardhatMessage(cause.kind, failed, cause.error, this.#crypto)
    return {
      cause: cause.kind,
      message: cause.message,
      ...(hardhat !== undefined && { hardhatMessage: hardhat }),
      frames: kept,
      stack: kept.map(toLine).join('\n'),
      notes: [...notes].slice(0, MAX_NOTES),
    }
  }
}

/** Returns the frames from the outermost to the one that failed first. */
function failingPath(root: RecordedFrame): RecordedFrame[] {
  const path = [root]
  for (let frame = root; ; ) {
    const { lastChild, end, stepsSinceChild } = frame
    if (lastChild === undefined || !isForwarded(lastChild, end!, stepsSinceChild)) return path
    path.push(lastChild)
    frame = lastChild
  }
}

function isForwarded(child: RecordedFrame, end: NonNullable<RecordedFrame['end']>, steps: number): boolean {
  if (child.end?.error === undefined || end.error !== 'execution reverted') return false
  return equalBytes(child.end.output, end.output) && (end.output.length > 0 || steps <= FORWARDING_STEPS)
}

/** Returns whether unidentified code forwards its whole calldata by DELEGATECALL, as clones do. */
function isProxy({ program, start }: RecordedFrame, next: RecordedFrame | undefined): boolean {
  return program === undefined && next !== undefined && passesOn(start, next.start)
}

/** Returns the lines of a frame, innermost first. */
function toFrames(frame: RecordedFrame, cause: Cause | undefined, notes: Set<string>): SolidityFrame[] {
  const { program, start, end, hasStarted, omitted } = frame
  if (program === undefined) {
    if (!hasStarted) return []
    const address = start.to ?? end?.created ?? start.from
    notes.add(`no contract of the build info has the code of ${address}`)
    return [{ name: '<unknown contract>', file: address }]
  }
  const { contract } = program
  if (!program.isExact) notes.add(`the metadata of ${contract.name} differs from the build info's`)
  if (frame.isUnmapped) {
    notes.add(`the source map of ${contract.name} ends after ${program.mapped} instructions, before its code`)
  }
  if (program.file?.text === undefined) notes.add(`the build info lacks the source of ${contract.name}`)
  if (program.isViaIR) notes.add(VIA_IR)
  if (omitted > 0) notes.add(`${omitted} calls within ${contract.name} are left out`)
  if (cause?.place !== undefined) return [toFrame(cause.place, program)]
  const all = frame.calls.flatMap((call) => call.visits)
  // The compiler's code before a function has the place of the function's definition, but is no call of it.
  const visits = all.filter(
    ({ place, definition }, i) => place.isInside || all[i + 1]?.definition !== definition,
  )
  if (cause !== undefined) dropIdle(visits, cause, program)
  const last = visits.at(-1)
  const place = last && cause?.evidence && searchSource(last, cause.evidence)
  if (last !== undefined && place !== undefined) visits.splice(-1, 1, { ...last, place })
  if (visits.length > 0) return visits.toReversed().map(({ place }) => toFrame(place, program))
  if (program.declaration) return [toFrame(program.declaration, program)]
  return [{ name: contract.name, file: contract.source ?? '<unknown source>' }]
}

/** A function that reverts with a reason or an unknown error, or a function that it runs, has one of these words. */
const REVERTING = ['require', 'revert', 'assembly']

/** Drops inlined functions that cannot have reverted: they run nothing that reverts this way. */
function dropIdle(visits: Visit[], { kind, error }: Cause, { calls: graph }: Program): void {
  if (graph === undefined || (kind !== 'reason' && kind !== 'custom error')) return
  const words = error === undefined ? REVERTING : ['assembly', error.name]
  const isIdle = ({ definition, place: { file } }: Visit): boolean =>
    !words.some((word) => graph.reaches({ definition, file }, word))
  while (visits.length > 1 && isIdle(visits.at(-1)!)) visits.pop()
}

function toFrame({ file, start, definition }: Place, { contract, isCreation }: Program): SolidityFrame {
  const { line, column } = file.text?.positionOf(start) ?? {}
  const position = line === undefined || column === undefined ? {} : { line, column }
  return { name: nameOf(definition, contract.name, isCreation), file: file.path, ...position }
}

function nameOf(definition: Place['definition'], contract: string, isCreation: boolean): string {
  if (definition === undefined) return contract
  const { kind, name, contract: owner } = definition
  if (owner === undefined) return name
  return `${owner}.${kind === 'variable' && isCreation ? 'constructor' : name}`
}

function toLine({ name, file, line, column }: SolidityFrame): string {
  return `    at ${name} (${file}${line === undefined ? '' : `:${line}:${column}`})`
}

// The message that Hardhat gives a failed execution whose output has none, for the dialect `hardhat`.

const MESSAGES: Readonly<Partial<Record<SolidityCause, string>>> = {
  'no contract': 'function call to a non-contract account',
  'invalid arguments': 'function was called with incorrect parameters',
  'unexpected return data': 'function returned an unexpected amount of data',
  'direct call of a library': 'library was called directly',
  'failed call': 'function call failed to execute',
  'out of gas': 'contract call run out of gas and made the transaction revert',
}

/** Returns Hardhat's message for a frame that failed by itself; undefined if there is none, or the output says why. */
function hardhatMessage(
  cause: SolidityCause,
  frame: RecordedFrame,
  error: Decoded | undefined,
  crypto: Crypto,
): string | undefined {
  if (error !== undefined)
    return `${VM_EXCEPTION}reverted with custom error '${error.name}(${list(error.args)})'`
  if (cause === 'invalid opcode') return `${VM_EXCEPTION}invalid opcode`
  const reason = reasonOf(cause, frame, crypto)
  return reason && `Transaction reverted: ${reason}`
}

function reasonOf(cause: SolidityCause, frame: RecordedFrame, crypto: Crypto): string | undefined {
  const isEntry = cause === 'unknown function' || cause === 'not payable'
  if (isEntry && frame.program!.isLibrary) return MESSAGES['direct call of a library']
  if (cause === 'unknown function') {
    const absent = frame.start.input.length === 0 ? 'fallback nor receive' : 'fallback'
    return `function selector was not recognized and there's no ${absent} function`
  }
  if (cause === 'not payable') return notPayable(frame, crypto)
  // If the code is not checked before the call, the call succeeds and its return data is absent.
  const isUnchecked = cause === 'no contract' && frame.codeless === undefined
  return MESSAGES[isUnchecked ? 'unexpected return data' : cause]
}

function notPayable({ start, program }: RecordedFrame, crypto: Crypto): string {
  const { contract, isCreation } = program!
  const { input, value } = start
  if (isCreation || findFunction(contract, input, crypto) !== undefined)
    return `non-payable function was called with value ${value}`
  const none = input.length === 0 && !findSpecial(contract, 'receive') ? "there's no receive function, " : ''
  return `${none}fallback function is not payable and was called with value ${value}`
}

const list = (args: readonly Argument[]): string =>
  args.map(({ type, value }) => toText(value, type)).join(', ')

/** Formats a value: text, addresses and bytes in quotes, arrays and structs in brackets. */
function toText(value: ArgumentValue, type: string): string {
  if (typeof value === 'string') return `"${type === 'address' ? checksum(value as `0x${string}`) : value}"`
  if (typeof value !== 'object') return `${value}`
  const element = /^(.*)\[\d*\]$/.exec(type)?.[1]
  if (element === undefined) return `[${list(value as readonly Argument[])}]`
  return `[${(value as readonly ArgumentValue[]).map((one) => toText(one, element)).join(', ')}]`
}
