/**
 * The fast loop, for executions without hooks on instructions. It checks gas and stack once per basic block, and
 * executes the frequent instructions in a switch, without calling their `Instruction`. If the check of a block fails,
 * the plain loop takes over, and finds the failing instruction and error.
 */
import { isJumpDestination, MAX_STACK } from './code.ts'
import { type Frame, memoryEnd, RUNNING } from './frame.ts'
import { INVALID_JUMP } from './instructions/control.ts'
import { Halt, outOfGas } from './message.ts'
import {
  add,
  addmod,
  and,
  byte,
  clz,
  div,
  lt,
  mod,
  mul,
  mulmod,
  not,
  or,
  readWord,
  sar,
  shl,
  shr,
  signextend,
  slt,
  sub,
  type Word,
  writeWord,
  xor,
} from './word.ts'

/** The gas after which the loop returns, at the end of a basic block: some ten microseconds for most code. */
export const LOOP_GAS = 10_000

/**
 * Runs a frame until it ends, stops or starts a message, and adds the gas used to the machine's work. Returns earlier,
 * at the end of a basic block, when it has used the gas `most`: at least 1, else no block would run.
 *
 * @throws Halt if it ends with an error. @throws Missing if it reads something that is not loaded.
 */
export function runFast(frame: Frame, most = LOOP_GAS): void {
  const { stack, code, machine } = frame
  const { program, constants, blockAt, blockGas, blockNeed, blockRoom } = code
  const { run, ends } = machine.instructions
  let { pc, height, gas } = frame
  const first = gas
  const least = gas - most
  for (;;) {
    const start = pc
    const block = blockAt[pc]!
    const fails =
      blockGas[block]! > gas || height < blockNeed[block]! || height + blockRoom[block]! > MAX_STACK
    if (fails || gas <= least) {
      frame.pc = pc
      frame.height = height
      frame.gas = gas
      if (fails) runPlain(frame)
      return
    }
    gas -= blockGas[block]!
    inBlock: for (;;) {
      const op = program[pc]!
      pc += 1
      switch (op) {
        case 0x01: // ADD
          height -= 1
          stack[height - 1] = add(stack[height]!, stack[height - 1]!)
          break
        case 0x02: // MUL
          height -= 1
          stack[height - 1] = mul(stack[height]!, stack[height - 1]!)
          break
        case 0x03: // SUB
          height -= 1
          stack[height - 1] = sub(stack[height]!, stack[height - 1]!)
          break
        case 0x04: // DIV
          height -= 1
          stack[height - 1] = div(stack[height]!, stack[height - 1]!)
          break
        case 0x06: // MOD
          height -= 1
          stack[height - 1] = mod(stack[height]!, stack[height - 1]!)
          break
        case 0x08: // ADDMOD
          height -= 2
          stack[height - 1] = addmod(stack[height + 1]!, stack[height]!, stack[height - 1]!)
          break
        case 0x09: // MULMOD
          height -= 2
          stack[height - 1] = mulmod(stack[height + 1]!, stack[height]!, stack[height - 1]!)
          break
        case 0x0b: // SIGNEXTEND
          height -= 1
          stack[height - 1] = signextend(stack[height]!, stack[height - 1]!)
          break
        case 0x10: // LT
          height -= 1
          stack[height - 1] = lt(stack[height]!, stack[height - 1]!)
          break
        case 0x11: // GT
          height -= 1
          stack[height - 1] = lt(stack[height - 1]!, stack[height]!)
          break
        case 0x12: // SLT
          height -= 1
          stack[height - 1] = slt(stack[height]!, stack[height - 1]!)
          break
        case 0x13: // SGT
          height -= 1
          stack[height - 1] = slt(stack[height - 1]!, stack[height]!)
          break
        case 0x14: // EQ
          height -= 1
          stack[height - 1] = stack[height] === stack[height - 1] ? 1 : 0
          break
        case 0x15: // ISZERO
          stack[height - 1] = stack[height - 1] === 0 ? 1 : 0
          break
        case 0x16: // AND
          height -= 1
          stack[height - 1] = and(stack[height]!, stack[height - 1]!)
          break
        case 0x17: // OR
          height -= 1
          stack[height - 1] = or(stack[height]!, stack[height - 1]!)
          break
        case 0x18: // XOR
          height -= 1
          stack[height - 1] = xor(stack[height]!, stack[height - 1]!)
          break
        case 0x19: // NOT
          stack[height - 1] = not(stack[height - 1]!)
          break
        case 0x1a: // BYTE
          height -= 1
          stack[height - 1] = byte(stack[height]!, stack[height - 1]!)
          break
        case 0x1b: // SHL
          height -= 1
          stack[height - 1] = shl(stack[height]!, stack[height - 1]!)
          break
        case 0x1c: // SHR
          height -= 1
          stack[height - 1] = shr(stack[height]!, stack[height - 1]!)
          break
        case 0x1d: // SAR
          height -= 1
          stack[height - 1] = sar(stack[height]!, stack[height - 1]!)
          break
        case 0x1e: // CLZ
          stack[height - 1] = clz(stack[height - 1]!)
          break
        case 0x50: // POP
          height -= 1
          break
        case 0x51: {
          // MLOAD
          const at = stack[height - 1]!
          if (!(typeof at === 'number' && at + 32 <= frame.memorySize)) gas -= expand(frame, at, 32, gas)
          stack[height - 1] = readWord(frame.view, at as number)
          break
        }
        case 0x52: {
          // MSTORE
          const at = stack[height - 1]!
          if (!(typeof at === 'number' && at + 32 <= frame.memorySize)) gas -= expand(frame, at, 32, gas)
          height -= 2
          writeWord(frame.view, at as number, stack[height]!)
          break
        }
        case 0x53: {
          // MSTORE8
          const at = stack[height - 1]!
          gas -= expand(frame, at, 1, gas)
          height -= 2
          frame.memory[at as number] = and(stack[height]!, 0xff) as number
          break
        }
        case 0x56: {
          // JUMP
          height -= 1
          const to = stack[height]!
          if (!isJumpDestination(code, to)) throw INVALID_JUMP
          pc = to
          break inBlock
        }
        case 0x57: {
          // JUMPI
          height -= 2
          if (stack[height] !== 0) {
            const to = stack[height + 1]!
            if (!isJumpDestination(code, to)) throw INVALID_JUMP
            pc = to
          }
          break inBlock
        }
        case 0x58: // PC
          stack[height] = pc - 1
          height += 1
          break
        case 0x5b: // JUMPDEST
          if (pc - 1 !== start) {
            pc -= 1
            break inBlock
          }
          break
        case 0x5f: // PUSH0
          stack[height] = 0
          height += 1
          break
        case 0x60: // PUSH1
          stack[height] = program[pc]!
          height += 1
          pc += 1
          break
        case 0x61: // PUSH2
          stack[height] = (program[pc]! << 8) | program[pc + 1]!
          height += 1
          pc += 2
          break
        case 0x62:
        case 0x63:
        case 0x64:
        case 0x65:
        case 0x66:
        case 0x67:
        case 0x68:
        case 0x69:
        case 0x6a:
        case 0x6b:
        case 0x6c:
        case 0x6d:
        case 0x6e:
        case 0x6f:
        case 0x70:
        case 0x71:
        case 0x72:
        case 0x73:
        case 0x74:
        case 0x75:
        case 0x76:
        case 0x77:
        case 0x78:
        case 0x79:
        case 0x7a:
        case 0x7b:
        case 0x7c:
        case 0x7d:
        case 0x7e:
        case 0x7f: // PUSH3 to PUSH32
          stack[height] = constants[(program[pc]! << 16) | (program[pc + 1]! << 8) | program[pc + 2]!]!
          height += 1
          pc += op - 0x5f
          break
        case 0x80:
        case 0x81:
        case 0x82:
        case 0x83:
        case 0x84:
        case 0x85:
        case 0x86:
        case 0x87:
        case 0x88:
        case 0x89:
        case 0x8a:
        case 0x8b:
        case 0x8c:
        case 0x8d:
        case 0x8e:
        case 0x8f: // DUP1 to DUP16
          stack[height] = stack[height + 0x7f - op]!
          height += 1
          break
        case 0x90:
        case 0x91:
        case 0x92:
        case 0x93:
        case 0x94:
        case 0x95:
        case 0x96:
        case 0x97:
        case 0x98:
        case 0x99:
        case 0x9a:
        case 0x9b:
        case 0x9c:
        case 0x9d:
        case 0x9e:
        case 0x9f: {
          // SWAP1 to SWAP16
          const other = height + 0x8e - op
          const word = stack[height - 1]!
          stack[height - 1] = stack[other]!
          stack[other] = word
          break
        }
        default:
          frame.height = height
          if (ends[op] === 0) {
            run[op]!(frame, op)
            height = frame.height
            break
          }
          frame.pc = pc
          frame.gas = gas
          run[op]!(frame, op)
          if (frame.state !== RUNNING) {
            machine.work += first - gas
            return
          }
          height = frame.height
          gas = frame.gas
          break inBlock
      }
    }
  }
}

/**
 * Extends the memory for an access within a block, and returns the price. `gas` is the gas left after the whole block
 * is paid. If it is too little, the frame can fail at once: it could not reach the end of the block, and no instruction
 * before that end has an effect outside the frame.
 */
function expand(frame: Frame, offset: Word, size: number, gas: number): number {
  const end = memoryEnd(offset, size)
  const cost = frame.expansionGas(end)
  if (cost > gas) outOfGas()
  frame.grow(end)
  return cost
}

// The plain loop, for watched executions and exact errors: it checks and reports each instruction.

const STACK_UNDERFLOW = new Halt('stack underflow')
const STACK_OVERFLOW = new Halt('stack overflow')

/**
 * Runs a frame until it ends, stops, starts a message, or has executed `most` instructions.
 *
 * @throws Halt if it ends with an error. @throws Missing if it reads something that is not loaded.
 */
export function runPlain(frame: Frame, most = Number.POSITIVE_INFINITY): void {
  const { machine, code } = frame
  const { steps, instructions } = machine
  const { program } = code
  const { run, gas, need, growth } = instructions
  for (let left = most; left > 0 && frame.state === RUNNING; left--) {
    const op = program[frame.pc]!
    frame.pc += 1
    steps?.onInstruction(frame, op)
    // go-ethereum checks the stack before the gas.
    if (frame.height < need[op]!) throw STACK_UNDERFLOW
    if (frame.height + growth[op]! > MAX_STACK) throw STACK_OVERFLOW
    if (gas[op]! > frame.gas) outOfGas()
    frame.gas -= gas[op]!
    run[op]!(frame, op)
  }
}
