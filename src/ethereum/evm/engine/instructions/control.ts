/** The stack, jumps, and the ends of frames. */
import { isJumpDestination } from '../code.ts'
import { type Frame, type Instruction, type Instructions, memoryEnd, RETURNED, REVERTED } from '../frame.ts'
import { Halt } from '../halt.ts'
import { toEvmWord, type Word } from '../word.ts'

const PUSH0 = 0x5f
const PUSH2 = 0x61
const DUP1 = 0x80
const SWAP1 = 0x90
const INVALID = 0xfe

/** The end of a frame that jumps to what is not a JUMPDEST. */
export const INVALID_JUMP = new Halt('invalid jump destination')

/** @throws Halt if the destination is not valid. */
export function jump(frame: Frame, to: Word): void {
  if (!isJumpDestination(frame.code, to)) throw INVALID_JUMP
  frame.pc = to
}

/** An instruction that ends the frame with bytes of its memory. */
function end(state: typeof RETURNED | typeof REVERTED): Instruction {
  return (frame) => {
    const offset = frame.peek(1)
    const size = frame.peek(2)
    frame.expand(memoryEnd(offset, size))
    frame.end(state, frame.read(offset, size))
  }
}

/** What is executed for opcodes that the fork does not define. */
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
