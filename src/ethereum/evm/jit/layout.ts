/** The parts of a module that holds compiled code: types, functions and globals by index, and its memory. */
import { F64, type FunctionType, I32, I64 } from './assembler.ts'

const LIMBS = [I64, I64, I64, I64] as const

export const TYPES: readonly FunctionType[] = [
  { params: [], results: [I32] },
  { params: [I32], results: [] },
  { params: [I32, I32, F64, F64, F64], results: [I32] },
  { params: [I64, I64, I64], results: [I32] },
  { params: [I64], results: [I32] },
  { params: [...LIMBS, ...LIMBS], results: LIMBS },
  { params: [...LIMBS, ...LIMBS, ...LIMBS], results: LIMBS },
  { params: [I32, I32], results: [] },
]

/** A trace: it returns the index of the trace to continue with, or an {@link exitTo}. */
export const TRACE = 0
/** An opcode. */
export const ACTION = 1
export const RUN = 2
export const GROW = 3
export const FIND = 4
export const BINARY = 5
export const TERNARY = 6
/** The offset and the size of bytes of the frame's memory. */
const RANGE = 7

/** The functions that a module imports: their names and types. Their indices begin with 0. */
export const IMPORTED = [
  ['call', ACTION],
  ['hash', RANGE],
] as const

/** The indices of functions: the imported ones, and those that each module has. */
export const FUNCTIONS = {
  instruction: 0,
  keccak256: 1,
  run: 2,
  grow: 3,
  hash: 4,
  find: 5,
  divide: 6,
  mul: 7,
  div: 8,
  mod: 9,
  sdiv: 10,
  smod: 11,
  addmod: 12,
  mulmod: 13,
  shl: 14,
  shr: 15,
  sar: 16,
  signextend: 17,
  byte: 18,
} as const

/** The index of the first trace's function. */
export const FIRST_TRACE = 19

/** The gas left. */
export const GAS = 0
/** The height of the stack, in bytes. */
export const HEIGHT = 1
/** The memory in use, in bytes. */
export const SIZE = 2
/** The offset from which on no word is within the memory in use. */
export const READABLE = 3
/** The bytes of memory that there are. */
export const CAPACITY = 4

export const GLOBALS = [I64, I32, I64, I64, I64] as const

/** The dividend and later the remainder, divisor and quotient of a division, in digits of 32 bits. */
export const DIVIDEND = 0
export const DIVISOR = 128
export const QUOTIENT = 192
/** The operand and result of an instruction that is not compiled; a hash, its first byte first. */
export const OPERAND = 384
/** Gas and memory in use as doubles and the height of the stack, after a run. */
export const RESULTS = 512
/** The blocks of keccak256 that may still be hashed in a run; 0 once one has asked for more. */
export const HASHES_LEFT = 544
/** The stack: 32 bytes per word, the least significant first. */
export const STACK = 0x8000
/** The memory of the frame. */
export const MEMORY = 0x10000

/** The most static gas of a trace, which is there whenever one is at work. */
export const TRACE_GAS = 8192

/**
 * What a trace returns to leave the module.
 *
 * @param pc - the next instruction.
 * @param isWithin - whether that may be within a basic block.
 */
export function exitTo(pc: number, isWithin: boolean): number {
  return ~(pc * 2 + (isWithin ? 1 : 0))
}
