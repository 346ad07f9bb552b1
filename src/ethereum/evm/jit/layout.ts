/** The layout of a compiled module: types, functions and globals by index, and its memory. */
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

/** A trace; returns the index of the next trace, or an {@link exitTo}. */
export const TRACE = 0
/** An opcode. */
export const ACTION = 1
export const RUN = 2
export const GROW = 3
export const FIND = 4
export const BINARY = 5
export const TERNARY = 6
/** An offset and a size in the frame's memory. */
const RANGE = 7

/** The imported functions: names and types, indexed from 0. */
export const IMPORTED = [
  ['call', ACTION],
  ['hash', RANGE],
] as const

/** Indices of functions: first the imported ones, then the runtime of each module. */
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

/** The function index of the first trace. */
export const FIRST_TRACE = 19

/** The gas left. */
export const GAS = 0
/** The height of the stack in bytes. */
export const HEIGHT = 1
/** The memory in use, in bytes. */
export const SIZE = 2
/** The first offset at which no whole word is within the memory in use. */
export const READABLE = 3
/** The available bytes of memory. */
export const CAPACITY = 4

export const GLOBALS = [I64, I32, I64, I64, I64] as const

/** A division in digits of 32 bits: dividend (later remainder), divisor and quotient. */
export const DIVIDEND = 0
export const DIVISOR = 128
export const QUOTIENT = 192
/** The operand and result of an instruction that is not compiled; or a hash, first byte first. */
export const OPERAND = 384
/** After a run: gas and memory in use as doubles, and the height of the stack. */
export const RESULTS = 512
/** How many keccak256 blocks a run may still hash; 0 after code needed more. */
export const HASHES_LEFT = 544
/** The stack: 32 bytes per word, least significant first. */
export const STACK = 0x8000
export const MEMORY = 0x10000

/** The maximum static gas of a trace, kept in reserve while a trace runs. */
export const TRACE_GAS = 8192

/**
 * The value that a trace returns to leave the module.
 *
 * @param pc - the next instruction.
 * @param isWithin - whether `pc` may be within a basic block.
 */
export function exitTo(pc: number, isWithin: boolean): number {
  return ~(pc * 2 + (isWithin ? 1 : 0))
}
