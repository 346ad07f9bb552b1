/**
 * Reports instructions to the hooks of an execution.
 *
 * Owns: the instruction reported last.
 */
import type { Hooks } from '../executor.ts'
import { reportAccess } from '../hooks.ts'
import type { Frame, InstructionHooks } from './frame.ts'
import { opcodeName } from './opcodes.ts'
import { toEvmWord } from './word.ts'

const STOP = 0x00

/** See the file's header. */
export class StepReporter implements InstructionHooks {
  readonly #hooks: Hooks
  /** The current instruction. */
  #op = 0
  #isReported = true

  constructor(hooks: Hooks) {
    this.#hooks = hooks
  }

  onInstruction(frame: Frame, op: number): void {
    this.#op = frame.code.bytes[frame.pc - 1] ?? STOP
    this.#isReported = this.#hooks.onStep === undefined
    if (this.#hooks.onAccess !== undefined) {
      reportAccess(this.#hooks, this.#op, frame.account.address, frame.height, (at) => frame.peek(at))
    }
    if (frame.machine.instructions.effect[op] !== 'charges') this.#report(frame, 0n, frame.gasLeft())
  }

  onCharge(frame: Frame, amount: number | bigint): void {
    const paid = frame.machine.instructions.gas[this.#op]!
    this.#report(frame, BigInt(amount), frame.gasLeft() + BigInt(paid))
  }

  /** Called if the instruction ends the frame with an error. */
  onHalt(frame: Frame, error: string): void {
    this.#report(frame, 0n, frame.gasLeft())
    this.#hooks.onOpcodeError?.(error)
  }

  #report(frame: Frame, further: bigint, gas: bigint): void {
    if (this.#isReported) return
    this.#isReported = true
    const { machine, stack, memory, height, memorySize, account } = frame
    this.#hooks.onStep!({
      pc: frame.pc - 1,
      opcode: this.#op,
      name: opcodeName(this.#op),
      gas,
      cost: BigInt(machine.instructions.gas[this.#op]!) + further,
      depth: frame.depth + 1,
      refund: BigInt(machine.journal.refund),
      address: account.address,
      returnData: frame.returnData,
      stack: () => stack.slice(0, height).map(BigInt),
      memory: () => memory.slice(0, memorySize),
      slot: (key) => BigInt(machine.journal.slot(account, toEvmWord(BigInt(key))).value),
    })
  }
}
