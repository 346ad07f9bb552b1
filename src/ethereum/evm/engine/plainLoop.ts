/**
 * The plain loop: it checks each instruction before it executes it, and reports it to the hooks. It is used for watched
 * executions, and to end a frame with the exact error.
 */
import { MAX_STACK } from './code.ts'
import { type Frame, RUNNING } from './frame.ts'
import { Halt, outOfGas } from './halt.ts'

const STACK_UNDERFLOW = new Halt('stack underflow')
const STACK_OVERFLOW = new Halt('stack overflow')

/**
 * Runs a frame until it ends, starts a message or has executed this many instructions.
 *
 * @throws Halt if it ends with an error. @throws Missing if something that it reads is not loaded.
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
