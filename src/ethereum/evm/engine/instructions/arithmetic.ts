/** Arithmetic, comparisons and operations on bits. */
import type { Frame, Instructions } from '../frame.ts'
import {
  add,
  addmod,
  and,
  byte,
  byteLength,
  clz,
  div,
  exp,
  lt,
  mod,
  mul,
  mulmod,
  not,
  or,
  sar,
  sdiv,
  shl,
  shr,
  signextend,
  slt,
  smod,
  sub,
  type Word,
  xor,
} from '../word.ts'

/** An instruction of two operands, the topmost first. */
function binary(operation: (a: Word, b: Word) => Word): (frame: Frame) => void {
  return (frame) => {
    const a = frame.pop()
    frame.push(operation(a, frame.pop()))
  }
}

function unary(operation: (a: Word) => Word): (frame: Frame) => void {
  return (frame) => frame.push(operation(frame.pop()))
}

function ternary(operation: (a: Word, b: Word, c: Word) => Word): (frame: Frame) => void {
  return (frame) => {
    const a = frame.pop()
    const b = frame.pop()
    frame.push(operation(a, b, frame.pop()))
  }
}

/** The gas of a byte of the exponent, before and since EIP-160. */
const EXPONENT_BYTE = 50
const FRONTIER_EXPONENT_BYTE = 10

export const ARITHMETIC: Instructions = {
  ADD: binary(add),
  MUL: binary(mul),
  SUB: binary(sub),
  DIV: binary(div),
  SDIV: binary(sdiv),
  MOD: binary(mod),
  SMOD: binary(smod),
  ADDMOD: ternary(addmod),
  MULMOD: ternary(mulmod),
  EXP(frame) {
    const price = frame.machine.fork.spuriousDragon ? EXPONENT_BYTE : FRONTIER_EXPONENT_BYTE
    frame.charge(price * byteLength(frame.peek(2)))
    const base = frame.pop()
    frame.push(exp(base, frame.pop()))
  },
  SIGNEXTEND: binary(signextend),
  LT: binary(lt),
  GT: binary((a, b) => lt(b, a)),
  SLT: binary(slt),
  SGT: binary((a, b) => slt(b, a)),
  EQ: binary((a, b) => (a === b ? 1 : 0)),
  ISZERO: unary((a) => (a === 0 ? 1 : 0)),
  AND: binary(and),
  OR: binary(or),
  XOR: binary(xor),
  NOT: unary(not),
  BYTE: binary(byte),
  SHL: binary(shl),
  SHR: binary(shr),
  SAR: binary(sar),
  CLZ: unary(clz),
}
