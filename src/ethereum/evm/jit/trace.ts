/**
 * A trace: basic blocks that are likely to follow one after the next, compiled to one function of WebAssembly. It
 * starts with a single check that gas and stack suffice for all of it. While it runs, the words of the stack are in
 * local variables; at each exit it stores the changed ones.
 */
import { getOrInsert } from '../../../base/collections.ts'
import { type BlockCosts, type Code, isJumpDestination, MAX_STACK } from '../engine/code.ts'
import type { Word } from '../engine/word.ts'
import {
  assembleModule,
  branch,
  call,
  encode,
  end,
  global,
  I32,
  I64,
  i32,
  i64,
  local,
  loop,
  V128,
  v128,
  type Wasm,
  type WasmFunction,
  when,
} from './assembler.ts'
import { findLoops, isCold, isLast, pushed } from './blocks.ts'
import {
  exitTo,
  FIRST_TRACE,
  FUNCTIONS,
  GAS,
  GLOBALS,
  HEIGHT,
  IMPORTED,
  MEMORY,
  OPERAND,
  READABLE,
  runtimeFunctions,
  SIZE,
  STACK,
  TRACE,
  TRACE_GAS,
  TYPES,
} from './runtime.ts'
import {
  type Emitter,
  isZeroLimb,
  knownValue,
  knownWord,
  type Limb,
  type Limbs,
  nonZero,
  OPERATIONS,
  type StackLimb,
  ZERO,
} from './words.ts'

const [KECCAK256, POP, MLOAD, MSTORE, MSTORE8] = [0x20, 0x50, 0x51, 0x52, 0x53] as const
const [JUMP, JUMPI, PC, MSIZE, JUMPDEST] = [0x56, 0x57, 0x58, 0x59, 0x5b] as const
const [PUSH0, PUSH32, DUP1, DUP16, SWAP1, SWAP16] = [0x5f, 0x7f, 0x80, 0x8f, 0x90, 0x9f] as const

/** How many basic blocks a trace may have, and the number of instructions after which it takes no further block. */
const MAX_BLOCKS = 16
const MAX_INSTRUCTIONS = 160

/** The local variables after {@link BASE}: an index, 16 bytes, then limbs. */
const [INDEX, BYTES, LIMBS] = [1, 2, 3]

interface Surroundings {
  readonly code: Code
  readonly costs: BlockCosts
  /** The index of the trace that starts at a block; undefined if there is none. */
  traceAt(pc: number): number | undefined
  isLoop(pc: number): boolean
  isCold(pc: number): boolean
  /** Called for each known word that an exit leaves on the stack: it may be a destination. */
  onWord(word: Word): void
}

class Trace implements Emitter {
  readonly #start: number
  readonly #around: Surroundings
  #body: Wasm[] = []
  #variables = 0
  readonly #stack = new TraceStack()
  #need = 0
  #room = 0
  /** The static gas of the instructions so far, charged where the trace ends. */
  #gas = 0
  #instructions = 0
  #isOver = false
  readonly #blocks = new Set<number>()

  constructor(start: number, surroundings: Surroundings) {
    this.#start = start
    this.#around = surroundings
  }

  compile(): WasmFunction {
    for (let pc = this.#start; !this.#isOver; ) pc = this.#enter(pc) ? this.#block(pc) : pc
    const most = 32 * (MAX_STACK - this.#room - this.#need)
    const above = i32.sub(local.get(BASE), i32.const(32 * this.#need))
    const isHeightWrong = most < 0 ? i32.const(1) : i32.gtU(above, i32.const(most))
    const check = when(
      i32.or(isHeightWrong, i64.ltS(global.get(GAS), i64.const(BigInt(this.#gas)))),
      global.set(HEIGHT, local.get(BASE)),
      end(i32.const(exitTo(this.#start, false))),
    )
    return {
      type: TRACE,
      locals: [
        [2, I32],
        [1, V128],
        [this.#variables, I64],
      ],
      body: [local.set(BASE, global.get(HEIGHT)), loop(check, ...this.#body), i32.const(0)],
    }
  }

  value(limb: Limb): Wasm {
    if (limb.kind === 'known') return i64.const(limb.value)
    if (limb.kind === 'local') return local.get(limb.index)
    if (limb.variable === undefined) {
      limb.variable = this.#variable()
      this.#emit(local.set(limb.variable, load(limb)))
    }
    return local.get(limb.variable)
  }

  keep(value: Wasm): Limb {
    const index = this.#variable()
    this.#emit(local.set(index, value))
    return { kind: 'local', index }
  }

  keepWord(results: Wasm): Limbs {
    const word = [0, 1, 2, 3].map(() => this.#variable())
    this.#emit(results, ...word.toReversed().map((index) => local.set(index)))
    return word.map((index) => ({ kind: 'local', index }))
  }

  #variable(): number {
    this.#variables += 1
    return LIMBS + this.#variables - 1
  }

  #emit(...code: readonly Wasm[]): void {
    this.#body.push(...code)
  }

  /** Whether a block becomes part of the trace; if not, the trace ends. */
  #enter(pc: number): boolean {
    const { code, isLoop } = this.#around
    const block = code.blockAt[pc]!
    const isFirst = this.#blocks.size === 0
    if (!isFirst && pc === this.#start) {
      this.#emit(...this.#repeat(), branch(0))
      this.#isOver = true
      return false
    }
    const gas = this.#gas + code.blockGas[block]!
    const isFull = this.#blocks.size >= MAX_BLOCKS || this.#instructions > MAX_INSTRUCTIONS
    if (!isFirst && (isFull || gas > TRACE_GAS || this.#blocks.has(pc) || isLoop(pc))) {
      this.#emit(...this.#continueAt(pc))
      this.#isOver = true
      return false
    }
    this.#blocks.add(pc)
    this.#need = Math.max(this.#need, code.blockNeed[block]! - this.#stack.height)
    this.#room = Math.max(this.#room, code.blockRoom[block]! + this.#stack.height)
    return true
  }

  #block(start: number): number {
    const { code, costs } = this.#around
    const { program, blockAt } = code
    for (let pc = start; ; ) {
      const op = program[pc]!
      if (pc !== start && blockAt[pc] !== 0) return pc
      this.#instructions += 1
      const operation = OPERATIONS.get(op)
      let next = pc + 1
      if (op >= PUSH0 && op <= PUSH32) {
        this.#stack.push(knownWord(pushed(code, pc)))
        next += op - PUSH0
      } else if (op >= DUP1 && op <= DUP16) this.#stack.push(this.#stack.peek(1 + op - DUP1))
      else if (op >= SWAP1 && op <= SWAP16) this.#stack.swap(op - SWAP1 + 1)
      else if (op === POP) this.#stack.height -= 1
      else if (op === PC) this.#stack.push(knownWord(pc))
      else if (op === MSIZE) this.#stack.push([this.keep(global.get(SIZE)), ZERO, ZERO, ZERO])
      else if (costs.isDefined[op] === 0) return this.#leaveBefore(pc)
      else if (operation !== undefined) this.#operate(operation)
      else if (op === MLOAD || op === MSTORE || op === MSTORE8) this.#access(op, pc)
      else if (op === KECCAK256) this.#hash(pc)
      else if (op === JUMP) return this.#jump(pc)
      else if (op === JUMPI) return this.#jumpIf(pc)
      else if (op !== JUMPDEST) {
        const isCallable = costs.need[op]! <= 1 && costs.need[op]! + costs.growth[op]! === 1
        if (costs.ends[op] === 1 || !isCallable) return this.#leaveBefore(pc)
        this.#call(op)
      }
      if (this.#isOver) return pc
      this.#gas += costs.gas[op]!
      pc = next
    }
  }

  #operate({ operands, emit, compute }: NonNullable<ReturnType<typeof OPERATIONS.get>>): void {
    const words = Array.from({ length: operands }, () => this.#stack.pop())
    const values = words.map(knownValue)
    const isKnown = values.every((value) => value !== undefined)
    if (isKnown) this.#stack.push(knownWord(compute(values[0]!, values[1]!, values[2]!)))
    else this.#stack.push(emit(this, words[0]!, words[1]!, words[2]!))
  }

  #access(op: number, pc: number): void {
    const offset = this.#stack.peek(1)
    const at = this.value(offset[0]!)
    const upper = this.value(nonZero(this, [...offset.slice(1), ZERO]))
    const size = op === MSTORE8 ? 1 : 32
    const isBeyond = i64.geU(at, global.get(op === MSTORE8 ? SIZE : READABLE))
    const isLong = offset.slice(1).every(isZeroLimb)
      ? isBeyond
      : i32.or(i64.ne(upper, i64.const(0n)), isBeyond)
    // Emitted before the operands are popped: if memory cannot grow, the instruction executes again outside the trace.
    const grown = call(FUNCTIONS.grow, upper, at, i64.const(BigInt(size)))
    this.#emit(when(isLong, when(i32.eqz(grown), ...this.#exit(exitTo(pc, true)))))
    this.#stack.pop()
    const address = i32.wrap(at)
    if (op === MLOAD) this.#stack.push(readBytes(this, MEMORY, address))
    else if (op === MSTORE8) {
      this.#emit(i32.store8(MEMORY, address, i32.wrap(this.value(this.#stack.pop()[0]!))))
    } else this.#emit(writeBytes(this, this.#stack.pop(), MEMORY, address))
  }

  #hash(pc: number): void {
    const [offset, size] = [this.#stack.peek(1), this.#stack.peek(2)]
    const upper = this.value(nonZero(this, [...offset.slice(1), ...size.slice(1)]))
    const hashed = call(FUNCTIONS.hash, upper, this.value(offset[0]!), this.value(size[0]!))
    this.#emit(when(i32.eqz(hashed), ...this.#exit(exitTo(pc, true))))
    this.#stack.pop()
    this.#stack.pop()
    this.#stack.push(readBytes(this, OPERAND, i32.const(0)))
  }

  /** Has an instruction executed outside the module. It takes at most one word, and returns one. */
  #call(op: number): void {
    const zero = i32.const(0)
    if (this.#around.costs.need[op] === 1) {
      const word = this.#stack.pop().map((limb) => this.value(limb))
      this.#emit(...word.map((value, i) => i64.store(OPERAND + 8 * i, zero, value)))
    }
    this.#emit(call(FUNCTIONS.instruction, i32.const(op)))
    this.#stack.push([0, 1, 2, 3].map((i) => this.keep(i64.load(OPERAND + 8 * i, zero))))
  }

  #jump(pc: number): number {
    const { code, costs } = this.#around
    const word = this.#stack.peek(1)
    const to = knownValue(word)
    if (to !== undefined) {
      if (!isJumpDestination(code, to)) return this.#leaveBefore(pc)
      this.#stack.pop()
      this.#gas += costs.gas[JUMP]!
      return to
    }
    this.#emit(
      this.#find(word),
      when(i32.ltS(local.get(INDEX), i32.const(0)), ...this.#exit(exitTo(pc, true))),
    )
    this.#stack.pop()
    this.#gas += costs.gas[JUMP]!
    this.#emit(...this.#exit(undefined))
    this.#isOver = true
    return pc
  }

  #jumpIf(pc: number): number {
    const { code, costs, isCold } = this.#around
    const [word, condition] = [this.#stack.peek(1), this.#stack.peek(2)]
    const [to, flag] = [knownValue(word), knownValue(condition)]
    const isTaken = i64.ne(this.value(nonZero(this, condition)), i64.const(0n))
    if (to !== undefined && isJumpDestination(code, to)) {
      this.#stack.height -= 2
      this.#gas += costs.gas[JUMPI]!
      if (flag !== undefined) return flag === 0 ? pc + 1 : to
      const isLikely = isCold(pc + 1) && to !== this.#start
      const other = isLikely ? pc + 1 : to
      const leaves = to === this.#start ? [...this.#repeat(), branch(1)] : this.#continueAt(other)
      this.#emit(when(isLikely ? i32.eqz(isTaken) : isTaken, ...leaves))
      return isLikely ? to : pc + 1
    }
    const find = to === undefined ? this.#find(word) : local.set(INDEX, i32.const(-1))
    const isMissing = when(i32.ltS(local.get(INDEX), i32.const(0)), ...this.#exit(exitTo(pc, true)))
    this.#stack.height -= 2
    this.#gas += costs.gas[JUMPI]!
    this.#emit(when(isTaken, find, isMissing, ...this.#exit(undefined)))
    return pc + 1
  }

  #find(to: Limbs): Wasm {
    const upper = this.value(nonZero(this, [...to.slice(1), ZERO]))
    const found = call(FUNCTIONS.find, this.value(to[0]!))
    // No trace starts at an offset of more than 64 bits: the index is then -1.
    return local.set(INDEX, i32.or(found, i32.sub(i32.const(0), i64.ne(upper, i64.const(0n)))))
  }

  #leaveBefore(pc: number): number {
    this.#emit(...this.#exit(exitTo(pc, true)))
    this.#isOver = true
    // Compiled code can take over again after the instruction.
    const { code, traceAt } = this.#around
    if (!isLast(code.program[pc]!) && code.blockAt[pc + 1] !== 0) traceAt(pc + 1)
    return pc
  }

  #continueAt(pc: number): readonly Wasm[] {
    return this.#exit(this.#around.traceAt(pc) ?? exitTo(pc, false))
  }

  /** Ends the trace. @param result - the value to return; if undefined, the local variable {@link INDEX}. */
  #exit(result: number | undefined): readonly Wasm[] {
    for (const word of this.#stack.knownWords()) this.#around.onWord(word)
    return [
      ...this.#store(),
      global.set(HEIGHT, this.#newHeight()),
      end(result === undefined ? local.get(INDEX) : i32.const(result)),
    ]
  }

  #repeat(): readonly Wasm[] {
    return [...this.#store(), local.set(BASE, this.#newHeight())]
  }

  #newHeight(): Wasm {
    return i32.add(local.get(BASE), i32.const(32 * this.#stack.height))
  }

  #store(): readonly Wasm[] {
    const charge = global.set(GAS, i64.sub(global.get(GAS), i64.const(BigInt(this.#gas))))
    return [...this.#stack.store(this, () => this.#variable()), charge]
  }
}

/** The maximum number of traces of a module. After this many bytes, some ten milliseconds of work, compiling stops. */
const MAX_TRACES = 256
const MAX_BYTES = 2 ** 15

/** A compiled code: its module, not yet instantiated. */
export interface Compiled {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The index of each trace, by the offset of its first block. */
  readonly traces: ReadonlyMap<number, number>
}

/**
 * Compiles code. Yields before each trace, so that the caller can let the event loop turn.
 *
 * @param roots - the offsets of frequently executed blocks; their successors are compiled too.
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
    if (traces.size >= MAX_TRACES || size >= MAX_BYTES) return undefined
    traces.set(pc, traces.size)
    return traces.size - 1
  }
  const surroundings: Surroundings = {
    code,
    costs,
    traceAt,
    isLoop: (pc) => loops.has(pc),
    isCold: (pc) => isCold(code, costs, pc),
    onWord: (word) => {
      if (isJumpDestination(code, word)) traceAt(word)
    },
  }
  for (const start of starts) traceAt(start)
  // The map grows while it is iterated.
  for (const pc of traces.keys()) {
    if (size >= MAX_BYTES) {
      // Compiled traces continue at this one, so it needs a function: one that only exits.
      functions.push({ type: TRACE, locals: [], body: i32.const(exitTo(pc, false)) })
      continue
    }
    yield
    const trace = new Trace(pc, surroundings).compile()
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

/** The local variable with the height of the stack in bytes, at the start of the trace. */
const BASE = 0

const addressOf = (slot: number, limb: number): number => STACK + 32 * slot + 8 * limb

const load = ({ slot, limb }: StackLimb): Wasm => i64.load(addressOf(slot, limb), local.get(BASE))

/** The stack while a trace is compiled. Owns: the words that the trace has read or written so far, and the height. */
class TraceStack {
  height = 0
  readonly #slots = new Map<number, Limbs>()

  #word(slot: number): Limbs {
    const read = (limb: number): StackLimb => ({ kind: 'stack', slot, limb, variable: undefined })
    return getOrInsert(this.#slots, slot, () => [0, 1, 2, 3].map(read))
  }

  peek(depth: number): Limbs {
    return this.#word(this.height - depth)
  }

  pop(): Limbs {
    this.height -= 1
    return this.#word(this.height)
  }

  push(word: Limbs): void {
    this.#slots.set(this.height, word)
    this.height += 1
  }

  swap(depth: number): void {
    const [top, other] = [this.height - 1, this.height - 1 - depth]
    const [a, b] = [this.#word(top), this.#word(other)]
    this.#slots.set(top, b)
    this.#slots.set(other, a)
  }

  knownWords(): Word[] {
    return [...this.#slots].flatMap(([slot, word]) => {
      const value = slot < this.height ? knownValue(word) : undefined
      return value === undefined ? [] : [value]
    })
  }

  /** Stores the changed words. Reads into new variables, since the code may be in a branch that is not always taken. */
  store(emitter: Emitter, newVariable: () => number): Wasm[] {
    const loads: Wasm[] = []
    const stores: Wasm[] = []
    for (const [slot, word] of this.#slots) {
      if (slot >= this.height) continue
      for (const [i, limb] of word.entries()) {
        if (limb.kind === 'stack' && limb.slot === slot && limb.limb === i) continue
        let value: Wasm
        if (limb.kind === 'stack' && limb.variable === undefined) {
          const variable = newVariable()
          loads.push(local.set(variable, load(limb)))
          value = local.get(variable)
        } else value = emitter.value(limb)
        stores.push(i64.store(addressOf(slot, i), local.get(BASE), value))
      }
    }
    return [...loads, ...stores]
  }
}

// Words in memory as the EVM stores them: 32 bytes, most significant first.

function readBytes(e: Emitter, offset: number, address: Wasm): Limbs {
  const lanes = [16, 0].map((from) => {
    const bytes = v128.reverse(v128.load(offset + from, address))
    return [v128.lane(0, local.tee(BYTES, bytes)), v128.lane(1, local.get(BYTES))]
  })
  return e.keepWord(lanes)
}

function writeBytes(e: Emitter, word: Limbs, offset: number, address: Wasm): Wasm {
  return [16, 0].map((from, i) => {
    const [low, high] = [e.value(word[2 * i]!), e.value(word[2 * i + 1]!)]
    return v128.store(offset + from, address, v128.reverse(v128.withLane(1, v128.splat(low), high)))
  })
}
