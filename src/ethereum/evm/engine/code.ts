/** Code in its executable form. Owns: the latest analysis of each array of deployed code, while the array lives. */
import { type Word, wordAt } from './word.ts'

const JUMPDEST = 0x5b
const PUSH1 = 0x60
const PUSH2 = 0x61
const PUSH32 = 0x7f
const INVALID = 0xfe

/** The maximum number of words on the stack (Yellow Paper, section 9.1). */
export const MAX_STACK = 1024

/** The zero bytes after the code: more than the data of any PUSH. The first of them is the STOP that ends all code. */
const PADDING = 34

const FIRST_BLOCKS = 64

/** Arrays for up to this many blocks are copied, so that they have no spare capacity. */
const MAX_COPIED = 2 ** 14

/** The gas and stack effects by opcode, from which the costs of blocks are computed. */
export interface BlockCosts {
  readonly gas: Uint16Array
  readonly need: Uint8Array
  readonly growth: Int8Array
  /** 1 for opcodes that end a block. */
  readonly ends: Uint8Array
  readonly isDefined: Uint8Array
}

/** A code with the basic blocks that the analysis found; valid for the costs of one hardfork. */
export interface Code {
  readonly bytes: Uint8Array
  /**
   * The code with padding. Opcodes unknown to the fork are replaced by INVALID, and the first three data bytes of PUSH3
   * to PUSH32 by the index of the constant.
   */
  readonly program: Uint8Array
  readonly constants: readonly Word[]
  /** The basic block that starts at an offset; 0 if none does. */
  readonly blockAt: Uint16Array | Uint32Array
  readonly blockGas: Uint32Array
  /** By block: the required height of the stack at its start. */
  readonly blockNeed: Uint16Array
  /** By block: the maximum growth of the stack. */
  readonly blockRoom: Uint16Array
}

/** The analysis of the empty code, whose first instruction is the STOP of the padding. */
export const NO_CODE: Code = {
  bytes: new Uint8Array(0),
  program: new Uint8Array(PADDING),
  constants: [],
  blockAt: new Uint16Array(PADDING),
  blockGas: new Uint32Array(1),
  blockNeed: new Uint16Array(1),
  blockRoom: new Uint16Array(1),
}

const analyses = new WeakMap<Uint8Array, { readonly costs: BlockCosts; readonly code: Code }>()

/** Returns the kept analysis of an array of code; undefined if there is none with these costs. */
export function analysed(bytes: Uint8Array, costs: BlockCosts): Code | undefined {
  const cached = analyses.get(bytes)
  return cached?.costs === costs ? cached.code : undefined
}

/** Keeps the analysis of a code while its array lives. Replaces an analysis with different costs. */
export function keepAnalysis(code: Code, costs: BlockCosts): void {
  analyses.set(code.bytes, { costs, code })
}

/** Whether a jump to an offset is valid: a JUMPDEST that is not the data of a PUSH. */
export function isJumpDestination({ program, blockAt }: Code, to: Word): to is number {
  return typeof to === 'number' && to < blockAt.length && program[to] === JUMPDEST && blockAt[to] !== 0
}

/**
 * Splits code into basic blocks: sequences of instructions that all execute if the first one does and none runs out of
 * gas. A block ends with a jump, before a JUMPDEST, and with each instruction that may see the exact gas. The analysis
 * takes some nanoseconds per byte. It runs in parts, since gas pays little for it in initcode, and nothing in a call.
 */
export class Analysis {
  readonly #bytes: Uint8Array
  readonly #costs: BlockCosts
  readonly #program: Uint8Array
  readonly #blockAt: Code['blockAt']
  readonly #constants: Word[] = []
  #blockGas = new Uint32Array(FIRST_BLOCKS)
  #blockNeed = new Uint16Array(FIRST_BLOCKS)
  #blockRoom = new Uint16Array(FIRST_BLOCKS)
  #at = 0
  /** The current block; the first is 1, so that 0 can mean in `blockAt` that no block starts. */
  #block = 0
  #begins = true
  #height = 0
  #need = 0
  #room = 0
  #gas = 0

  constructor(bytes: Uint8Array, costs: BlockCosts) {
    const { length } = bytes
    this.#bytes = bytes
    this.#costs = costs
    this.#program = new Uint8Array(length + PADDING)
    this.#program.set(bytes)
    this.#blockAt = length < 0xfff0 ? new Uint16Array(length + PADDING) : new Uint32Array(length + PADDING)
  }

  /** Analyses the next `bytes` bytes. @returns whether all are done. */
  advance(bytes: number): boolean {
    const program = this.#program
    const blockAt = this.#blockAt
    const { gas: gasOf, need: needOf, growth, ends, isDefined } = this.#costs
    const { length } = this.#bytes
    const until = Math.min(this.#at + bytes - 1, length)
    let blockGas = this.#blockGas
    let blockNeed = this.#blockNeed
    let blockRoom = this.#blockRoom
    let at = this.#at
    let block = this.#block
    let begins = this.#begins
    let height = this.#height
    let need = this.#need
    let room = this.#room
    let gas = this.#gas
    for (; at <= until; at++) {
      const op = program[at]!
      if (begins || op === JUMPDEST) {
        blockGas[block] = gas
        blockNeed[block] = need > MAX_STACK ? MAX_STACK + 1 : need
        blockRoom[block] = room > MAX_STACK ? MAX_STACK + 1 : room
        block += 1
        if (block === blockGas.length) {
          blockGas = resized(blockGas, 2 * block)
          blockNeed = resized(blockNeed, 2 * block)
          blockRoom = resized(blockRoom, 2 * block)
        }
        blockAt[at] = block
        begins = false
        height = 0
        need = 0
        room = 0
        gas = 0
      }
      if (isDefined[op] === 0) program[at] = INVALID
      gas += gasOf[op]!
      const needed = needOf[op]! - height
      if (needed > need) need = needed
      height += growth[op]!
      if (height > room) room = height
      if (op >= PUSH1 && op <= PUSH32) {
        if (op > PUSH2) this.#addConstant(at + 1, op - PUSH1 + 1)
        at += op - PUSH1 + 1
      } else if (ends[op] === 1) {
        begins = true
      }
    }
    // The block may be incomplete; the next part then writes it again.
    blockGas[block] = gas
    blockNeed[block] = need > MAX_STACK ? MAX_STACK + 1 : need
    blockRoom[block] = room > MAX_STACK ? MAX_STACK + 1 : room
    this.#blockGas = blockGas
    this.#blockNeed = blockNeed
    this.#blockRoom = blockRoom
    this.#at = at
    this.#block = block
    this.#begins = begins
    this.#height = height
    this.#need = need
    this.#room = room
    this.#gas = gas
    return at > length
  }

  #addConstant(at: number, size: number): void {
    const program = this.#program
    const index = this.#constants.push(wordAt(program, at, size)) - 1
    program[at] = index >>> 16
    program[at + 1] = index >>> 8
    program[at + 2] = index
  }

  code(): Code {
    return {
      bytes: this.#bytes,
      program: this.#program,
      constants: this.#constants,
      blockAt: this.#blockAt,
      blockGas: resized(this.#blockGas, this.#block + 1),
      blockNeed: resized(this.#blockNeed, this.#block + 1),
      blockRoom: resized(this.#blockRoom, this.#block + 1),
    }
  }
}

function resized<Numbers extends Uint16Array | Uint32Array>(numbers: Numbers, length: number): Numbers {
  // Copying long arrays would take longer than the analysis.
  if (length <= numbers.length)
    return numbers[length > MAX_COPIED ? 'subarray' : 'slice'](0, length) as Numbers
  const longer = new (numbers.constructor as new (length: number) => Numbers)(length)
  longer.set(numbers)
  return longer
}
