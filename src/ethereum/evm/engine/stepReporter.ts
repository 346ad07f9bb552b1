/**
 * Reports instructions to the hooks of an execution.
 *
 * Owns: which instruction was reported last.
 */
import { toWord } from '../../../base/bytes.ts'
import type { Hooks, Step } from '../executor.ts'
import type { Watch } from '../watch.ts'
import type { Frame, InstructionHooks } from './frame.ts'
import { accountAt } from './instructions/environment.ts'
import { opcodeName } from './opcodes.ts'
import { toEvmWord } from './word.ts'

const STOP = 0x00
const [SLOAD, SSTORE] = [0x54, 0x55] as const
const [BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH] = [0x31, 0x3b, 0x3c, 0x3f] as const
const [CALL, CALLCODE, DELEGATECALL, STATICCALL, SELFDESTRUCT] = [0xf1, 0xf2, 0xf4, 0xfa, 0xff] as const

/** Reports instructions; see the file's header. */
export class StepReporter implements InstructionHooks {
  readonly #onAccess: Hooks['onAccess']
  readonly #onStep: ((step: Step) => void) | undefined
  readonly #onError: ((error: string) => void) | undefined
  /** The instruction under way. */
  #op = 0
  #isReported = true

  constructor({ onAccess, tracer }: Watch) {
    this.#onAccess = onAccess
    this.#onStep = tracer?.onStep === undefined ? undefined : (step) => tracer.onStep!(step)
    this.#onError = tracer?.onOpcodeError === undefined ? undefined : (error) => tracer.onOpcodeError!(error)
  }

  onInstruction(frame: Frame, op: number): void {
    this.#op = frame.code.bytes[frame.pc - 1] ?? STOP
    this.#isReported = this.#onStep === undefined
    if (this.#onAccess !== undefined) reportAccess(frame, this.#op, this.#onAccess)
    if (frame.machine.instructions.effect[op] !== 'charges') this.#report(frame, 0n, frame.gasLeft())
  }

  onCharge(frame: Frame, amount: number | bigint): void {
    const paid = frame.machine.instructions.gas[this.#op]!
    this.#report(frame, BigInt(amount), frame.gasLeft() + BigInt(paid))
  }

  /** Called if the instruction ends the frame with an error. */
  onHalt(frame: Frame, error: string): void {
    this.#report(frame, 0n, frame.gasLeft())
    this.#onError?.(error)
  }

  #report(frame: Frame, further: bigint, gas: bigint): void {
    if (this.#isReported) return
    this.#isReported = true
    const { machine, stack, memory, height, memorySize, account } = frame
    this.#onStep!({
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

/** Reports what an instruction accesses, even if it runs out of gas, as go-ethereum does. */
function reportAccess(frame: Frame, op: number, onAccess: NonNullable<Hooks['onAccess']>): void {
  switch (op) {
    case SLOAD:
    case SSTORE:
      if (frame.height >= 1) onAccess(frame.account.address, toWord(frame.peek(1)))
      break
    case BALANCE:
    case EXTCODESIZE:
    case EXTCODECOPY:
    case EXTCODEHASH:
    case SELFDESTRUCT:
      if (frame.height >= 1) onAccess(accountAt(frame, 1).address)
      break
    case CALL:
    case CALLCODE:
    case DELEGATECALL:
    case STATICCALL:
      if (frame.height >= 5) onAccess(accountAt(frame, 2).address)
  }
}
