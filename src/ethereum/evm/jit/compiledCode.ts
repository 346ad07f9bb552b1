/**
 * Runs compiled code. Only ever imported lazily: most chains execute no code that is worth compiling.
 *
 * Owns: one WebAssembly memory for the whole process. A frame's stack and memory are copied into it on entry, and back
 * on exit, so that executions leave nothing behind.
 */
import { systemClock } from '../../../base/clock.ts'
import { createMemory, instantiate, type WasmMemory } from '../../../base/crypto/instantiate.ts'
import { createYielder } from '../../../base/waiting.ts'
import type { BlockCosts, Code } from '../engine/code.ts'
import { type Frame, RUNNING } from '../engine/frame.ts'
import { runFast, runPlain } from '../engine/loop.ts'
import type { Word } from '../engine/word.ts'
import { findLoops } from './blocks.ts'
import { HASHES_LEFT, MEMORY, OPERAND, RESULTS, STACK } from './runtime.ts'
import { type Compiled, compile } from './trace.ts'

const PAGE = 2 ** 16

/** The maximum memory of a frame that compiled code runs on, in bytes; copying it takes some ten microseconds. */
const MAX_MEMORY = 2 ** 19

/** The gas after which compiled code returns: less than a millisecond for most code. */
const MAX_GAS = 500_000

/** The number of keccak256 blocks after which compiled code returns: about a millisecond. */
const MAX_HASHES = 2048

/** How many basic blocks the fast loop may execute to reach a compiled one. */
const MAX_STEPS = 8

/**
 * The cost of entering and leaving compiled code: a constant, per word of the stack, and per byte of memory. In gas:
 * entering pays off if compiled code uses at least as much.
 */
const ENTRY_COST = 400
const WORD_COST = 16
const COST_PER_BYTE = 1 / 6

/** The credit of a place of entry in gas, at first and at most. Below zero, code is not entered there. */
const FIRST_CREDIT = 8 * ENTRY_COST
const MAX_CREDIT = 64 * ENTRY_COST

type Run = (index: number, height: number, gas: number, size: number, capacity: number) => number

let memory: WasmMemory | undefined
let bytes: Uint8Array
let digits: Uint32Array
let limbs: BigUint64Array
let doubles: Float64Array
let current: Frame | undefined

function memoryFor(size: number): WasmMemory {
  memory ??= createMemory((MEMORY + MAX_MEMORY) / PAGE)
  const missing = MEMORY + Math.min(2 * size + PAGE, MAX_MEMORY) - memory.buffer.byteLength
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE))
  if (bytes?.buffer !== memory.buffer) {
    bytes = new Uint8Array(memory.buffer)
    digits = new Uint32Array(memory.buffer)
    limbs = new BigUint64Array(memory.buffer)
    doubles = new Float64Array(memory.buffer)
  }
  return memory
}

/** A code with the instance of its module, and the credit of each place where it can be entered. */
export class CompiledCode {
  readonly #traces: ReadonlyMap<number, number>
  /** By the index of a trace: its credit as a place of entry; see {@link FIRST_CREDIT}. */
  readonly #credits: Float64Array
  readonly #mostCredit: number
  readonly #run: Run

  /** @param credit - the gas that each place of entry may lose at first; see {@link ENTRY_COST}. */
  constructor({ traces }: Compiled, { run }: { readonly run: Run }, credit = FIRST_CREDIT) {
    this.#traces = traces
    this.#credits = new Float64Array(traces.size).fill(credit)
    this.#mostCredit = Math.max(credit, MAX_CREDIT)
    this.#run = run
  }

  /**
   * Runs a frame until it ends, starts a message, has run for a while, or reaches code on which the fast loop is as
   * fast. @returns false if it reached code that is not compiled.
   * @throws Halt if the frame ends with an error. @throws Missing if it reads something that is not loaded.
   */
  run(frame: Frame): boolean {
    const least = frame.gas - MAX_GAS
    const first = this.#findTrace(frame)
    if (first === undefined) return frame.state !== RUNNING
    let credit = this.#credits[first]!
    for (let index: number | undefined = first; index !== undefined && credit >= 0; ) {
      if (frame.memorySize > MAX_MEMORY) break
      const { gas, height, memorySize } = frame
      const isWithin = this.#enter(frame, index, Math.min(gas, MAX_GAS))
      const cost = ENTRY_COST + WORD_COST * height + COST_PER_BYTE * memorySize
      credit = Math.min(credit + gas - frame.gas - cost, this.#mostCredit)
      if (!isWithin) break
      runPlain(frame, leftOfBlock(frame))
      const isLong = frame.gas < least || digits[HASHES_LEFT / 4] === 0
      if (frame.state !== RUNNING || isLong) break
      index = this.#findTrace(frame)
    }
    this.#credits[first] = credit
    return true
  }

  /** The trace that a frame is at, or reaches soon. */
  #findTrace(frame: Frame): number | undefined {
    for (let steps = 0; steps < MAX_STEPS && frame.state === RUNNING; steps++) {
      const index = this.#traces.get(frame.pc)
      if (index !== undefined) return index
      runFast(frame, 1)
    }
    return undefined
  }

  /** Runs compiled code from a trace on. @returns whether it left at an instruction for the plain loop. */
  #enter(frame: Frame, index: number, gas: number): boolean {
    const { stack, height, memorySize } = frame
    const capacity = memoryFor(memorySize).buffer.byteLength - MEMORY
    for (let i = 0; i < height; i++) writeLimbs(STACK + 32 * i, stack[i]!)
    bytes.set(frame.memory.subarray(0, memorySize), MEMORY)
    digits[HASHES_LEFT / 4] = MAX_HASHES
    current = frame
    // Instructions that JavaScript executes meanwhile use the frame's stack from the bottom.
    frame.height = 0
    const left = ~this.#run(index, 32 * height, gas, memorySize, capacity)
    current = undefined
    frame.pc = left >> 1
    frame.gas -= gas - doubles[RESULTS / 8]!
    frame.height = digits[RESULTS / 4 + 4]! / 32
    const size = doubles[RESULTS / 8 + 1]!
    frame.grow(size)
    frame.memory.set(bytes.subarray(MEMORY, MEMORY + size))
    for (let i = 0; i < frame.height; i++) stack[i] = readLimbs(STACK + 32 * i)
    return (left & 1) === 1
  }
}

function leftOfBlock({ code: { program, blockAt }, machine, pc }: Frame): number {
  const { ends } = machine.instructions
  let count = 1
  for (let at = pc; ends[program[at]!] === 0; count++) {
    const op = program[at]!
    at += op >= 0x60 && op <= 0x7f ? op - 0x5e : 1
    if (blockAt[at] !== 0) return count
  }
  return count
}

/** Executes an instruction that is not compiled; it takes at most one word, and results in one. */
function instruction(op: number): void {
  const frame = current!
  const { run, need } = frame.machine.instructions
  if (need[op] === 1) frame.push(readLimbs(OPERAND))
  run[op]!(frame, op)
  writeLimbs(OPERAND, frame.pop())
}

function hash(offset: number, size: number): void {
  const at = MEMORY + offset
  bytes.set(current!.machine.crypto.keccak256(bytes.subarray(at, at + size)), OPERAND)
}

const TWO_32 = 2 ** 32

function writeLimbs(address: number, word: Word): void {
  const at = address / 8
  if (typeof word === 'number') {
    digits[2 * at] = word
    digits[2 * at + 1] = word / TWO_32
    doubles[at + 1] = 0
    doubles[at + 2] = 0
    doubles[at + 3] = 0
    return
  }
  limbs[at] = word
  limbs[at + 1] = word >> 64n
  limbs[at + 2] = word >> 128n
  limbs[at + 3] = word >> 192n
}

function readLimbs(address: number): Word {
  const at = address / 4
  const high = digits[at + 1]!
  const rest = digits[at + 2]! | digits[at + 3]! | digits[at + 4]! | digits[at + 5]!
  if (high < 0x20_0000 && (rest | digits[at + 6]! | digits[at + 7]!) === 0) return high * TWO_32 + digits[at]!
  const first = at / 2
  const upper = (limbs[first + 3]! << 64n) | limbs[first + 2]!
  return (upper << 128n) | (limbs[first + 1]! << 64n) | limbs[first]!
}

/** Returns the imports of a module: the shared memory, and the instructions that JavaScript executes. */
export const imports = (): object => ({ env: { call: instruction, hash, memory: memoryFor(0) } })

/** Compiles code; undefined if it would not be faster. @throws Error if the host refuses. */
export async function compileCode(
  code: Code,
  costs: BlockCosts,
  roots: readonly number[],
): Promise<CompiledCode | undefined> {
  // Compiled code saves time only in loops that it need not leave in each round.
  if (findLoops(code, costs, roots, true).size === 0) return undefined
  const pause = createYielder(systemClock)
  const work = compile(code, costs, roots)
  let step = work.next()
  for (; step.done !== true; step = work.next()) await pause()
  return new CompiledCode(step.value, await instantiate(step.value.bytes, imports()))
}
