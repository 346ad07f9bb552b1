/**
 * The EVM's words as four 64-bit limbs, least significant first, and the instructions on them. Limbs known at compile
 * time take no instructions.
 */
import * as evm from '../engine/word.ts'
import { call, i64, select, type Wasm } from './assembler.ts'
import { FUNCTIONS } from './runtime.ts'

interface LocalLimb {
  readonly kind: 'local'
  readonly index: number
}

interface KnownLimb {
  readonly kind: 'known'
  readonly value: bigint
}

/** A limb of the stack at the start of the trace; read into a variable when first needed. */
export interface StackLimb {
  readonly kind: 'stack'
  /** The slot, relative to the height at the start. */
  readonly slot: number
  readonly limb: number
  variable: number | undefined
}

/** A quarter of a word: in a variable, known at compile time, or on the stack. */
export type Limb = LocalLimb | KnownLimb | StackLimb

/** The four limbs of a word, least significant first. */
export type Limbs = readonly Limb[]

/** Collects the code of a trace. `value` reads a limb; `keep` and `keepWord` store results in new local variables. */
export interface Emitter {
  value(limb: Limb): Wasm
  keep(value: Wasm): Limb
  keepWord(results: Wasm): Limbs
}

const MASK = 2n ** 64n - 1n
const INDICES = [0, 1, 2, 3] as const
const known = (value: bigint): KnownLimb => ({ kind: 'known', value })
/** The limb that is known to be 0. */
export const ZERO: Limb = known(0n)
const ONES = known(MASK)

/** Returns the limbs of a word that is known at compile time. */
export function knownWord(word: evm.Word): Limbs {
  const n = BigInt(word)
  return INDICES.map((i) => known((n >> BigInt(64 * i)) & MASK))
}

/** The value of a word; undefined unless all limbs are known. */
export function knownValue(word: Limbs): evm.Word | undefined {
  let value = 0n
  for (const limb of [...word].reverse()) {
    if (limb.kind !== 'known') return undefined
    value = (value << 64n) | limb.value
  }
  return evm.toEvmWord(value)
}

const isKnown = (limb: Limb, value: bigint): boolean => limb.kind === 'known' && limb.value === value
/** Returns whether a limb is known to be 0. */
export const isZeroLimb = (limb: Limb): boolean => isKnown(limb, 0n)

/** An operation on two limbs; computed at compile time if both are known. */
function limbOf(
  e: Emitter,
  a: Limb,
  b: Limb,
  instruction: (a: Wasm, b: Wasm) => Wasm,
  compute: (a: bigint, b: bigint) => bigint,
): Limb {
  if (a.kind === 'known' && b.kind === 'known') return known(BigInt.asUintN(64, compute(a.value, b.value)))
  return e.keep(instruction(e.value(a), e.value(b)))
}

function addLimbs(e: Emitter, a: Limb, b: Limb): Limb {
  if (isZeroLimb(b)) return a
  return isZeroLimb(a) ? b : limbOf(e, a, b, i64.add, (x, y) => x + y)
}

function subLimbs(e: Emitter, a: Limb, b: Limb): Limb {
  return isZeroLimb(b) ? a : limbOf(e, a, b, i64.sub, (x, y) => x - y)
}

function orLimbs(e: Emitter, a: Limb, b: Limb): Limb {
  if (isZeroLimb(b) || isKnown(a, MASK)) return a
  return isZeroLimb(a) || isKnown(b, MASK) ? b : limbOf(e, a, b, i64.or, (x, y) => x | y)
}

function andLimbs(e: Emitter, a: Limb, b: Limb): Limb {
  if (isZeroLimb(a) || isKnown(b, MASK)) return a
  return isZeroLimb(b) || isKnown(a, MASK) ? b : limbOf(e, a, b, i64.and, (x, y) => x & y)
}

function xorLimbs(e: Emitter, a: Limb, b: Limb): Limb {
  if (isZeroLimb(b)) return a
  return isZeroLimb(a) ? b : limbOf(e, a, b, i64.xor, (x, y) => x ^ y)
}

function isBelow(e: Emitter, a: Limb, b: Limb): Limb {
  if (isZeroLimb(b)) return ZERO
  const instruction = (x: Wasm, y: Wasm) => i64.extend(i64.ltU(x, y))
  return limbOf(e, a, b, instruction, (x, y) => (x < y ? 1n : 0n))
}

function addWords(e: Emitter, a: Limbs, b: Limbs, isDifference: boolean): Limbs {
  const combine = isDifference ? subLimbs : addLimbs
  let carry: Limb = ZERO
  return INDICES.map((i) => {
    const [x, y] = [a[i]!, b[i]!]
    const first = combine(e, x, y)
    const result = combine(e, first, carry)
    if (i === 3) return result
    // A sum below its summand has overflowed; a minuend below its subtrahend borrows.
    const isFirst = isDifference ? isBelow(e, x, y) : isZeroLimb(x) ? ZERO : isBelow(e, first, y)
    const isSecond = isDifference ? isBelow(e, first, carry) : isBelow(e, result, carry)
    carry = orLimbs(e, isFirst, isSecond)
    return result
  })
}

/** 0 if and only if the word is 0. */
export const nonZero = (e: Emitter, word: Limbs): Limb => word.reduce((sum, limb) => orLimbs(e, sum, limb))

/** The word 1 if the condition holds, else 0. */
const flag = (e: Emitter, condition: Wasm): Limbs => [e.keep(i64.extend(condition)), ZERO, ZERO, ZERO]
const isZero = (e: Emitter, word: Limbs): Limbs => flag(e, i64.eqz(e.value(nonZero(e, word))))

function isLess(e: Emitter, a: Limbs, b: Limbs, isSigned: boolean): Limbs {
  let result = i64.ltU(e.value(a[0]!), e.value(b[0]!))
  for (const i of INDICES.slice(1)) {
    const [x, y] = [a[i]!, b[i]!]
    if (isZeroLimb(x) && isZeroLimb(y)) continue
    const less = isSigned && i === 3 ? i64.ltS : i64.ltU
    result = select(result, less(e.value(x), e.value(y)), i64.eq(e.value(x), e.value(y)))
  }
  return flag(e, result)
}

/** Shifts by a known number of bits below 256. */
function shiftBy(e: Emitter, word: Limbs, bits: number, isLeft: boolean, isSigned = false): Limbs {
  const [by, rest] = [bits >> 6, bits & 63]
  const fill = isSigned && bits > 0 ? e.keep(i64.shrS(e.value(word[3]!), i64.const(63n))) : ZERO
  const limbAt = (i: number): Limb => word[i] ?? (i < 0 ? ZERO : fill)
  return INDICES.map((i) => {
    const main = limbAt(isLeft ? i - by : i + by)
    if (rest === 0) return main
    const other = limbAt(isLeft ? i - by - 1 : i + by + 1)
    return orLimbs(e, shiftLimb(e, main, rest, isLeft), shiftLimb(e, other, 64 - rest, !isLeft))
  })
}

function shiftLimb(e: Emitter, limb: Limb, bits: number, isLeft: boolean): Limb {
  const n = BigInt(bits)
  if (isLeft) return limbOf(e, limb, known(n), i64.shl, (x) => x << n)
  return limbOf(e, limb, known(n), i64.shrU, (x) => x >> n)
}

/** SHL, SHR or SAR. */
function shift(e: Emitter, amount: Limbs, word: Limbs, isLeft: boolean, isSigned = false): Limbs {
  const bits = knownValue(amount)
  if (bits !== undefined && bits < 256) return shiftBy(e, word, bits as number, isLeft, isSigned)
  if (bits !== undefined && !isSigned) return knownWord(0)
  return callOn(e, isLeft ? FUNCTIONS.shl : isSigned ? FUNCTIONS.sar : FUNCTIONS.shr, [amount, word])
}

function callOn(e: Emitter, index: number, words: readonly Limbs[]): Limbs {
  return e.keepWord(call(index, ...words.flat().map((limb) => e.value(limb))))
}

const POWERS: ReadonlyMap<evm.Word, number> = new Map(
  Array.from({ length: 256 }, (_, n) => [evm.toEvmWord(2n ** BigInt(n)), n]),
)

/** The exponent of a word known to be a power of two. */
function exponentOf(word: Limbs): number | undefined {
  const value = knownValue(word)
  return value === undefined ? undefined : POWERS.get(value)
}

function multiply(e: Emitter, a: Limbs, b: Limbs): Limbs {
  const [first, second] = [exponentOf(a), exponentOf(b)]
  if (first !== undefined) return shiftBy(e, b, first, true)
  return second === undefined ? callOn(e, FUNCTIONS.mul, [a, b]) : shiftBy(e, a, second, true)
}

function divide(e: Emitter, a: Limbs, b: Limbs): Limbs {
  const exponent = exponentOf(b)
  return exponent === undefined ? callOn(e, FUNCTIONS.div, [a, b]) : shiftBy(e, a, exponent, false)
}

function remainder(e: Emitter, a: Limbs, b: Limbs): Limbs {
  const exponent = exponentOf(b)
  if (exponent === undefined) return callOn(e, FUNCTIONS.mod, [a, b])
  return bitwise(e, a, knownWord(2n ** BigInt(exponent) - 1n), andLimbs)
}

type LimbOperation = (e: Emitter, a: Limb, b: Limb) => Limb

const bitwise = (e: Emitter, a: Limbs, b: Limbs, operation: LimbOperation): Limbs =>
  INDICES.map((i) => operation(e, a[i]!, b[i]!))

function byte(e: Emitter, index: Limbs, word: Limbs): Limbs {
  const at = knownValue(index)
  if (at === undefined) return callOn(e, FUNCTIONS.byte, [index, word])
  if (at > 31) return knownWord(0)
  const bits = 8 * (31 - (at as number))
  const limb = shiftLimb(e, word[bits >> 6]!, bits & 63, false)
  return [andLimbs(e, limb, known(255n)), ZERO, ZERO, ZERO]
}

function signextend(e: Emitter, size: Limbs, word: Limbs): Limbs {
  const last = knownValue(size)
  if (last === undefined) return callOn(e, FUNCTIONS.signextend, [size, word])
  if (last > 30) return word
  const bits = 8 * (last as number) + 8
  const [at, unused] = [(bits - 1) >> 6, i64.const(BigInt(63 - ((bits - 1) & 63)))]
  const top = e.keep(i64.shrS(i64.shl(e.value(word[at]!), unused), unused))
  const sign = at === 3 ? ZERO : e.keep(i64.shrS(e.value(top), i64.const(63n)))
  return INDICES.map((i) => (i < at ? word[i]! : i === at ? top : sign))
}

function clz(e: Emitter, word: Limbs): Limbs {
  let zeros: Wasm = i64.const(0n)
  for (const limb of word) {
    const value = e.value(limb)
    zeros = i64.add(i64.clz(value), select(zeros, i64.const(0n), i64.eqz(value)))
  }
  return [e.keep(zeros), ZERO, ZERO, ZERO]
}

interface Operation {
  readonly operands: number
  /** The operands begin with the topmost. */
  readonly emit: (e: Emitter, a: Limbs, b: Limbs, n: Limbs) => Limbs
  /** The same on known words. */
  readonly compute: (a: evm.Word, b: evm.Word, n: evm.Word) => evm.Word
}

const binary = (
  compute: (a: evm.Word, b: evm.Word) => evm.Word,
  emit: (e: Emitter, a: Limbs, b: Limbs) => Limbs,
): Operation => ({ operands: 2, emit, compute })

const calls = (index: number) => (e: Emitter, a: Limbs, b: Limbs) => callOn(e, index, [a, b])
const gt = (a: evm.Word, b: evm.Word): evm.Word => evm.lt(b, a)
const sgt = (a: evm.Word, b: evm.Word): evm.Word => evm.slt(b, a)
const eq = (a: evm.Word, b: evm.Word): evm.Word => (a === b ? 1 : 0)

/** The instructions that only compute on words, by opcode. */
export const OPERATIONS: ReadonlyMap<number, Operation> = new Map<number, Operation>([
  [0x01, binary(evm.add, (e, a, b) => addWords(e, a, b, false))],
  [0x02, binary(evm.mul, multiply)],
  [0x03, binary(evm.sub, (e, a, b) => addWords(e, a, b, true))],
  [0x04, binary(evm.div, divide)],
  [0x05, binary(evm.sdiv, calls(FUNCTIONS.sdiv))],
  [0x06, binary(evm.mod, remainder)],
  [0x07, binary(evm.smod, calls(FUNCTIONS.smod))],
  [0x08, { operands: 3, emit: (e, ...words) => callOn(e, FUNCTIONS.addmod, words), compute: evm.addmod }],
  [0x09, { operands: 3, emit: (e, ...words) => callOn(e, FUNCTIONS.mulmod, words), compute: evm.mulmod }],
  [0x0b, binary(evm.signextend, signextend)],
  [0x10, binary(evm.lt, (e, a, b) => isLess(e, a, b, false))],
  [0x11, binary(gt, (e, a, b) => isLess(e, b, a, false))],
  [0x12, binary(evm.slt, (e, a, b) => isLess(e, a, b, true))],
  [0x13, binary(sgt, (e, a, b) => isLess(e, b, a, true))],
  [0x14, binary(eq, (e, a, b) => isZero(e, bitwise(e, a, b, xorLimbs)))],
  [0x15, { operands: 1, emit: isZero, compute: (a) => (a === 0 ? 1 : 0) }],
  [0x16, binary(evm.and, (e, a, b) => bitwise(e, a, b, andLimbs))],
  [0x17, binary(evm.or, (e, a, b) => bitwise(e, a, b, orLimbs))],
  [0x18, binary(evm.xor, (e, a, b) => bitwise(e, a, b, xorLimbs))],
  [0x19, { operands: 1, emit: (e, a) => a.map((limb) => xorLimbs(e, limb, ONES)), compute: evm.not }],
  [0x1a, binary(evm.byte, byte)],
  [0x1b, binary(evm.shl, (e, a, b) => shift(e, a, b, true))],
  [0x1c, binary(evm.shr, (e, a, b) => shift(e, a, b, false))],
  [0x1d, binary(evm.sar, (e, a, b) => shift(e, a, b, false, true))],
  [0x1e, { operands: 1, emit: clz, compute: evm.clz }],
])
