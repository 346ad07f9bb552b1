/** Compiles the parts of code that are executed often to a module of WebAssembly. */
import { type BlockCosts, type Code, isJumpDestination } from '../engine/code.ts'
import { assembleModule, encode, i32, type WasmFunction } from './assembler.ts'
import { findLoops, isCold } from './blocks.ts'
import { exitTo, FIRST_TRACE, FUNCTIONS, GLOBALS, IMPORTED, TRACE, TRACE_GAS, TYPES } from './layout.ts'
import { runtimeFunctions } from './runtime.ts'
import { compileTrace } from './trace.ts'

/** The most traces of a module, and the bytes of code after which no more are compiled: some ten milliseconds of work. */
const MOST_TRACES = 256
const MOST_BYTES = 2 ** 15

/** Compiled code. */
export interface Compiled {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The traces: the index of each by the offset of the block that it starts at. */
  readonly traces: ReadonlyMap<number, number>
}

/**
 * Compiles code. It yields after each trace, so that its caller can let the event loop turn.
 *
 * @param roots - the offsets of blocks that are executed often; what can follow them is compiled too.
 */
export function* compile(
  code: Code,
  costs: BlockCosts,
  roots: Iterable<number>,
): Generator<undefined, Compiled> {
  const starts = [...roots]
  const loops = findLoops(code, costs, starts, false)
  const traces = new Map<number, number>()
  const functions: WasmFunction[] = []
  const compiled = new Map<number, number>()
  let size = 0
  const traceAt = (pc: number): number | undefined => {
    const index = traces.get(pc)
    if (index !== undefined) return index
    const block = code.blockAt[pc]!
    if (block === 0 || code.blockGas[block]! > TRACE_GAS) return undefined
    if (traces.size >= MOST_TRACES || size >= MOST_BYTES) return undefined
    traces.set(pc, traces.size)
    return traces.size - 1
  }
  const surroundings = {
    code,
    costs,
    traceAt,
    isLoop: (pc: number) => loops.has(pc),
    isCold: (pc: number) => isCold(code, costs, pc),
    onWord: (word: number | bigint) => {
      if (isJumpDestination(code, word)) traceAt(word)
    },
  }
  for (const start of starts) traceAt(start)
  // The map grows while it is iterated.
  for (const pc of traces.keys()) {
    if (size >= MOST_BYTES) {
      // Others continue there, so that it has to have a function.
      functions.push(leaveAt(pc))
      continue
    }
    yield
    const trace = compileTrace(pc, surroundings)
    const body = encode(trace.body)
    functions.push({ ...trace, body })
    size += body.length
    compiled.set(pc, functions.length - 1)
  }
  const destinations = [...compiled].filter(([pc]) => isJumpDestination(code, pc)).sort(([a], [b]) => a - b)
  const bytes = assembleModule({
    types: TYPES,
    imported: IMPORTED,
    functions: [...runtimeFunctions(destinations), ...functions],
    table: functions.map((_, i) => FIRST_TRACE + i),
    globals: GLOBALS,
    exported: FUNCTIONS.run,
  })
  return { bytes, traces: compiled }
}

/** A trace that executes nothing. */
function leaveAt(pc: number): WasmFunction {
  return { type: TRACE, locals: [], body: i32.const(exitTo(pc, false)) }
}

/** Whether there is a loop that compiled code executes without stopping in each round, which it has to save time. */
export function isWorthwhile(code: Code, costs: BlockCosts, roots: Iterable<number>): boolean {
  return findLoops(code, costs, roots, true).size > 0
}
