/** The stack, arithmetic, jumps, and the ends of frames. */

import { isJumpDestination } from '../code.ts'
import { type Frame, type Instruction, type Instructions, memoryEnd, RETURNED, REVERTED } from '../frame.ts'
import { Halt } from '../message.ts'
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
  toEvmWord,
  type Word,
  xor,
} from '../word.ts'

const PUSH0 = 0x5f
const PUSH2 = 0x61
const DUP1 = 0x80
const SWAP1 = 0x90
const INVALID = 0xfe

/** Thrown by jumps to a byte that is no JUMPDEST; one object, as making it takes time. */
export const INVALID_JUMP = new Halt('invalid jump destination')

/** @throws Halt if the destination is invalid. */
export function jump(frame: Frame, to: Word): void {
  if (!isJumpDestination(frame.code, to)) throw INVALID_JUMP
  frame.pc = to
}

/** Creates an instruction that ends the frame with bytes of its memory. */
function end(state: typeof RETURNED | typeof REVERTED): Instruction {
  return (frame) => {
    const offset = frame.peek(1)
    const size = frame.peek(2)
    frame.expand(memoryEnd(offset, size))
    frame.end(state, frame.read(offset, size))
  }
}

/** Runs for opcodes that the fork does not define. */
export const undefinedInstruction: Instruction = ({ code, pc }) => {
  const op = code.bytes[pc - 1]!
  throw new Halt(`invalid opcode: ${op === INVALID ? 'INVALID' : `opcode 0x${op.toString(16)} not defined`}`)
}

/** PUSH1 to PUSH32. */
export const push: Instruction = (frame, op) => {
  const { program, constants } = frame.code
  const { pc } = frame
  let word: Word = 0
  if (op > PUSH2) {
    word = constants[(program[pc]! << 16) | (program[pc + 1]! << 8) | program[pc + 2]!]!
  } else {
    for (let i = 0; i < op - PUSH0; i++) word = word * 256 + program[pc + i]!
  }
  frame.push(word)
  frame.pc = pc + op - PUSH0
}

/** DUP1 to DUP16. */
export const dup: Instruction = (frame, op) => frame.push(frame.peek(op - DUP1 + 1))

/** SWAP1 to SWAP16. */
export const swap: Instruction = (frame, op) => {
  const top = frame.height - 1
  const other = top - (op - SWAP1 + 1)
  const word = frame.stack[top]!
  frame.stack[top] = frame.stack[other]!
  frame.stack[other] = word
}

/** The instructions that move the program counter or end the frame, and GAS, POP and PUSH0. */
export const CONTROL: Instructions = {
  STOP: (frame) => frame.end(RETURNED),
  POP(frame) {
    frame.height -= 1
  },
  JUMP: (frame) => jump(frame, frame.pop()),
  JUMPI(frame) {
    const to = frame.pop()
    if (frame.pop() !== 0) jump(frame, to)
  },
  PC: (frame) => frame.push(frame.pc - 1),
  GAS(frame) {
    frame.machine.observesGas = true
    frame.push(frame.reserve === 0n ? frame.gas : toEvmWord(frame.gasLeft()))
  },
  JUMPDEST: () => {},
  PUSH0: (frame) => frame.push(0),
  RETURN: end(RETURNED),
  REVERT: end(REVERTED),
}

// Arithmetic, comparisons and bit operations.

/** Creates an instruction of two operands, the topmost first. */
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

/** The gas per byte of the exponent, since and before EIP-160. */
const EXPONENT_BYTE = 50
const FRONTIER_EXPONENT_BYTE = 10

/** The instructions that compute one word from one to three words, and read nothing else. */
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
