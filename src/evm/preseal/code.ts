/**
 * Code in the form in which it is executed.
 *
 * Owns: one analysis per array of deployed code and instruction set, for as long as the array lives. State returns one
 * immutable array per code hash.
 */
import { bytesToEvmWord, type Word } from './word.ts'

const JUMPDEST = 0x5b
const PUSH1 = 0x60
const PUSH2 = 0x61
const PUSH32 = 0x7f
const INVALID = 0xfe

/** The most words on the stack (Yellow Paper, section 9.1). */
export const MAX_STACK = 1024

/** More zero bytes than the longest PUSH reads beyond the end; the first is the STOP that ends any code. */
const PADDING = 34

/** The gas and the stack effects that blocks are composed of, by opcode. */
export interface BlockCosts {
  /** Static gas. */
  readonly gas: Uint16Array
  /** The words that must be on the stack. */
  readonly need: Uint8Array
  /** The change of the stack's height. */
  readonly growth: Int8Array
  /** 1 for the opcodes that end a block. */
  readonly ends: Uint8Array
  /** 1 for the opcodes that the fork defines. */
  readonly isDefined: Uint8Array
}

/** Analysed code; see {@link analyse}. */
export interface Code {
  /** The code itself. */
  readonly bytes: Uint8Array
  /**
   * The code with padding. An opcode that the fork does not define is INVALID instead, and the first three bytes of the
   * data of PUSH3 to PUSH32 are the index of the constant.
   */
  readonly program: Uint8Array
  readonly constants: readonly Word[]
  /** The basic block that starts at an offset; 0 if none does. */
  readonly blockAt: Uint16Array | Uint32Array
  /** By block: the static gas of its instructions. */
  readonly blockGas: Uint32Array
  /** By block: the height of the stack that it needs at its start. */
  readonly blockNeed: Uint16Array
  /** By block: by how much the stack grows at most. */
  readonly blockRoom: Uint16Array
}

const analyses = new WeakMap<Uint8Array, { readonly costs: BlockCosts; readonly code: Code }>()

/** The analysis of deployed code, cached. */
export function codeOf(bytes: Uint8Array, costs: BlockCosts): Code {
  const cached = analyses.get(bytes)
  if (cached?.costs === costs) return cached.code
  const code = analyse(bytes, costs)
  analyses.set(bytes, { costs, code })
  return code
}

/** Whether a jump to an offset is valid: a JUMPDEST that is not the data of a PUSH. */
export function isJumpDestination({ program, blockAt }: Code, to: Word): to is number {
  return typeof to === 'number' && to < blockAt.length && program[to] === JUMPDEST && blockAt[to] !== 0
}

/**
 * Splits code into basic blocks: sequences of instructions that are all executed if the first one is and if none runs
 * out of gas. A block ends with a jump, before a JUMPDEST, and with each instruction that may see the exact gas.
 */
export function analyse(bytes: Uint8Array, costs: BlockCosts): Code {
  const { length } = bytes
  const program = new Uint8Array(length + PADDING)
  program.set(bytes)
  const blockAt = length < 0xfff0 ? new Uint16Array(length + PADDING) : new Uint32Array(length + PADDING)
  const constants: Word[] = []
  // Block 0 is none, so that 0 can stand for it.
  const blockGas = [0]
  const blockNeed = [0]
  const blockRoom = [0]
  let block = 0
  let height = 0
  let need = 0
  let room = 0
  let gas = 0
  const end = (): void => {
    blockGas.push(gas)
    blockNeed.push(Math.min(need, MAX_STACK + 1))
    blockRoom.push(Math.min(room, MAX_STACK + 1))
    block = 0
  }
  for (let at = 0; at <= length; at++) {
    const op = program[at]!
    if (op === JUMPDEST && block !== 0) end()
    if (block === 0) {
      block = blockGas.length
      blockAt[at] = block
      height = 0
      need = 0
      room = 0
      gas = 0
    }
    if (costs.isDefined[op] === 0) program[at] = INVALID
    gas += costs.gas[op]!
    need = Math.max(need, costs.need[op]! - height)
    height += costs.growth[op]!
    room = Math.max(room, height)
    if (op >= PUSH1 && op <= PUSH32) {
      const size = op - PUSH1 + 1
      if (op > PUSH2) {
        const index = constants.push(bytesToEvmWord(program.subarray(at + 1, at + 1 + size))) - 1
        program[at + 1] = index >>> 16
        program[at + 2] = index >>> 8
        program[at + 3] = index
      }
      at += size
    } else if (costs.ends[op] === 1) {
      end()
    }
  }
  // Only if the code ends within the data of a PUSH; the STOP that follows is part of the block.
  if (block !== 0) end()
  return {
    bytes,
    program,
    constants,
    blockAt,
    blockGas: Uint32Array.from(blockGas),
    blockNeed: Uint16Array.from(blockNeed),
    blockRoom: Uint16Array.from(blockRoom),
  }
}
