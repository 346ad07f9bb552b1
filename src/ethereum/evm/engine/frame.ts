/**
 * A frame: the execution of one message's code.
 *
 * Owns: its stack, memory and gas while it runs. Does not own: the accounts (the journal's).
 */
import { NO_BYTES } from '../../../base/bytes.ts'
import type { Crypto } from '../../../base/crypto/crypto.ts'
import type { Hash } from '../../../base/types.ts'
import type { Effect, ForkRules } from '../../forks.ts'
import type { Rules } from '../../rules.ts'
import type { BlockEnv, Hooks } from '../executor.ts'
import { reportAccess } from '../hooks.ts'
import type { BlockWords } from './blockWords.ts'
import { type BlockCosts, NO_CODE } from './code.ts'
import type { Journal, JournalAccount } from './journal.ts'
import { type Call, type Creation, type Ending, MAX_COUNTED_GAS, outOfGas, splitGas } from './message.ts'
import { opcodeName } from './opcodes.ts'
import type { Precompile } from './precompiles/precompile.ts'
import { toEvmWord, type Word } from './word.ts'

/** The frame can run its next instruction. */
export const RUNNING = 0
/** The frame pauses after a long instruction, so that the caller can look at the clock. */
export const STOPPED = 1
/** The frame has started a message, whose end lets it run. */
export const WAITING = 2
/** The frame has ended, and its effects stay. */
export const RETURNED = 3
/** The frame has ended by REVERT: its effects are undone, and the rest of its gas returns. */
export const REVERTED = 4

type FrameState = typeof RUNNING | typeof STOPPED | typeof WAITING | typeof RETURNED | typeof REVERTED

/** The maximum memory of a frame in bytes. It costs 2 trillion gas: only a call without a real limit can reach it. */
const MAX_MEMORY = 2 ** 30

/** How many bytes of memory, and how many words of stack, an idle frame may keep. */
const KEPT_MEMORY = 2 ** 16
const KEPT_WORDS = 64

/**
 * Executes an instruction. Its static gas has been paid, its operands are on the stack, and `frame.pc` is already past
 * the opcode. @throws Halt to end the frame with an error. @throws Missing if it reads something that is not loaded.
 */
export type Instruction = (frame: Frame, op: number) => void

/** Instructions by the name of their opcode. A hardfork has some of them; see {@link InstructionSet}. */
export type Instructions = Readonly<Record<string, Instruction>>

/** The instructions of a hardfork by opcode; opcodes it does not define have instructions that fail. */
export interface InstructionSet extends BlockCosts {
  readonly run: readonly Instruction[]
  readonly effect: readonly Effect[]
}

/** The blob hashes of a transaction without blobs. */
export const NO_HASHES: readonly Hash[] = []

/** A machine as its frames and instructions see it: the start of messages, and the current execution. */
export abstract class FrameHost {
  env!: BlockEnv
  rules!: Rules
  fork!: ForkRules
  block!: BlockWords
  instructions!: InstructionSet
  journal!: Journal
  origin!: JournalAccount
  gasPrice: Word = 0
  /** Whether code has read the gas left, passed on a part of it, or read the balance that pays for it. */
  observesGas = false
  /** The least gas that was left before any SSTORE, which fails below a minimum. */
  leastStoreGas = Number.POSITIVE_INFINITY
  /** The work since the last look at the clock, in gas. */
  work = 0
  blobHashes = NO_HASHES
  hooks: Hooks | undefined
  /** Set if a hook follows instructions (`onStep`, `onAccess`). */
  steps: StepReporter | undefined

  constructor(readonly crypto: Crypto) {}

  /**
   * Starts a message in the frame below `parent`; without a parent, in the outermost frame.
   *
   * @param mark - the journal's position to revert to if the message fails.
   */
  abstract enter(parent: Frame | undefined, message: Call | Creation, mark: number): Frame
  abstract end(
    parent: Frame | undefined,
    message: Call | Creation,
    ending: Ending,
    created?: JournalAccount,
  ): void
  /** Ends a call of a precompile when `advance`, called for each part of its work, returns the ending. */
  abstract continueLater(parent: Frame | undefined, call: Call, advance: () => Ending | undefined): void
  /** Calls `isDone` until it returns true, before anything else runs. Each call does a part of some work. */
  abstract doFirst(isDone: () => boolean): void
  abstract precompileOf(account: JournalAccount): Precompile | undefined
}

/** The state of running code. An ended frame is used again for a later message. */
export class Frame {
  state: FrameState = RUNNING
  code = NO_CODE
  pc = 0
  /** The words, bottom first; stale beyond {@link height}. */
  readonly stack: Word[] = []
  height = 0
  memory = new Uint8Array(1024)
  view = new DataView(this.memory.buffer)
  /** The memory in use, in bytes; a multiple of 32. */
  memorySize = 0
  /** The gas left, up to 2^52. */
  gas = 0
  /** The gas left beyond {@link gas}. No code can use as much, so it is never charged, only passed on. */
  reserve = 0n
  message: Call | Creation | undefined
  account!: JournalAccount
  caller!: JournalAccount
  value: Word = 0
  input: Uint8Array = NO_BYTES
  isStatic = false
  mark = 0
  created: JournalAccount | undefined
  /** The result of the last message that it started. */
  returnData: Uint8Array = NO_BYTES
  /** Where in memory the output of this message goes, and its maximum size there. */
  outputOffset = 0
  outputSize = 0
  output: Uint8Array = NO_BYTES

  constructor(
    readonly machine: FrameHost,
    readonly depth: number,
  ) {}

  /** Prepares for a message. Clears the leftovers of an earlier one, which may have been abandoned. */
  reset(message: Call | Creation, mark: number): void {
    if (this.memory.length > KEPT_MEMORY) this.#dropMemory()
    else this.memory.fill(0, 0, this.memorySize)
    this.message = message
    this.mark = mark
    this.gas = message.gas
    this.reserve = message.reserve
    this.state = RUNNING
    this.pc = 0
    this.height = 0
    this.memorySize = 0
    this.returnData = NO_BYTES
    this.output = NO_BYTES
    this.created = undefined
  }

  #dropMemory(): void {
    this.memory = new Uint8Array(1024)
    this.view = new DataView(this.memory.buffer)
    this.memorySize = 0
  }

  /** Releases the state of a message, and memory and stack beyond the sizes that an idle frame may keep. */
  release(unused: JournalAccount): void {
    if (this.memory.length > KEPT_MEMORY) this.#dropMemory()
    if (this.stack.length > KEPT_WORDS) this.stack.length = KEPT_WORDS
    this.code = NO_CODE
    this.message = undefined
    this.account = unused
    this.caller = unused
    this.created = undefined
    this.input = NO_BYTES
    this.returnData = NO_BYTES
    this.output = NO_BYTES
  }

  gasLeft(): bigint {
    return BigInt(this.gas) + this.reserve
  }

  /**
   * Charges the gas of an instruction beyond its static gas. An instruction calls it once, before it changes stack,
   * memory or storage, so that a tracer sees them as they were. @throws Halt if too little gas is left.
   */
  charge(amount: number): void {
    this.machine.steps?.onCharge(this, amount)
    if (amount > this.gas) outOfGas()
    this.gas -= amount
  }

  /**
   * Charges the gas of an instruction and the gas that it passes on, and returns the gas passed on: the requested gas,
   * since EIP-150 at most 63/64 of the gas left. @throws Halt if too little gas is left.
   */
  pass(amount: number, requested: Word): readonly [gas: number, reserve: bigint] {
    this.machine.observesGas = true
    const left = this.gas - amount
    if (left < 0 && this.reserve === 0n) this.charge(amount)
    const isCapped = this.machine.fork.tangerineWhistle
    if (this.reserve === 0n) {
      const most = isCapped ? left - Math.floor(left / 64) : left
      const passed = requested <= most ? (requested as number) : most
      this.charge(amount + (isCapped ? passed : Number(requested)))
      return [passed, 0n]
    }
    const total = this.gasLeft() - BigInt(amount)
    const most = isCapped ? total - total / 64n : total
    const passed = requested <= most ? BigInt(requested) : most
    if (!isCapped && requested > most) outOfGas()
    this.machine.steps?.onCharge(this, BigInt(amount) + passed)
    const [gas, reserve] = splitGas(total - passed)
    this.gas = gas
    this.reserve = reserve
    return splitGas(passed)
  }

  takeBack(gas: number, reserve: bigint): void {
    const sum = this.gas + gas
    if (reserve === 0n && sum <= MAX_COUNTED_GAS) {
      this.gas = sum
    } else {
      const total = this.gasLeft() + BigInt(gas) + reserve
      ;[this.gas, this.reserve] = splitGas(total)
    }
  }

  /** The gas for extending the memory up to `end` (Yellow Paper, appendix H.1). */
  expansionGas(end: number): number {
    if (end <= this.memorySize) return 0
    const words = Math.ceil(end / 32)
    const before = this.memorySize / 32
    return memoryGas(words) - memoryGas(before)
  }

  grow(end: number): void {
    if (end <= this.memorySize) return
    const size = Math.ceil(end / 32) * 32
    if (size > this.memory.length) {
      if (size > MAX_MEMORY) outOfGas()
      const grown = new Uint8Array(Math.min(Math.max(size, 2 * this.memory.length), MAX_MEMORY))
      grown.set(this.memory)
      this.memory = grown
      this.view = new DataView(grown.buffer)
    }
    this.memorySize = size
  }

  expand(end: number): void {
    this.charge(this.expansionGas(end))
    this.grow(end)
  }

  read(offset: Word, size: Word): Uint8Array {
    if (size === 0) return NO_BYTES
    return this.memory.slice(offset as number, (offset as number) + (size as number))
  }

  /** A view of memory that is already extended, for a message. No copy is needed: the frame waits for the message. */
  see(offset: Word, size: Word): Uint8Array {
    if (size === 0) return NO_BYTES
    return this.memory.subarray(offset as number, (offset as number) + (size as number))
  }

  write(offset: Word, size: Word, bytes: Uint8Array): void {
    if (size === 0) return
    const at = offset as number
    const end = at + (size as number)
    this.memory.set(bytes, at)
    this.memory.fill(0, at + bytes.length, end)
  }

  writeOutput(output: Uint8Array): void {
    const size = Math.min(this.outputSize, output.length)
    if (size > 0) this.memory.set(output.subarray(0, size), this.outputOffset)
  }

  pop(): Word {
    this.height -= 1
    return this.stack[this.height]!
  }

  push(word: Word): void {
    this.stack[this.height] = word
    this.height += 1
  }

  peek(depth: number): Word {
    return this.stack[this.height - depth]!
  }

  end(state: typeof RETURNED | typeof REVERTED, output: Uint8Array = NO_BYTES): void {
    this.state = state
    this.output = output
  }
}

function memoryGas(words: number): number {
  return 3 * words + Math.floor((words * words) / 512)
}

/** The end of a range of memory; 0 if it is empty. @throws Halt if no gas can pay for it. */
export function memoryEnd(offset: Word, size: Word): number {
  if (size === 0) return 0
  if (typeof offset !== 'number' || typeof size !== 'number') outOfGas()
  const end = offset + size
  return end > 2 ** 40 ? outOfGas() : end
}

/** Returns how many words `size` bytes take. */
export function wordsOf(size: number): number {
  return Math.ceil(size / 32)
}

const STOP = 0x00

/** Reports instructions to the hooks of an execution. Owns: the instruction reported last. */
export class StepReporter {
  readonly #hooks: Hooks
  #op = 0
  #isReported = true

  constructor(hooks: Hooks) {
    this.#hooks = hooks
  }

  /** Called before the checks of an instruction, with `frame.pc` already past its opcode. */
  onInstruction(frame: Frame, op: number): void {
    this.#op = frame.code.bytes[frame.pc - 1] ?? STOP
    this.#isReported = this.#hooks.onStep === undefined
    if (this.#hooks.onAccess !== undefined) {
      reportAccess(this.#hooks, this.#op, frame.account.address, frame.height, (at) => frame.peek(at))
    }
    if (frame.machine.instructions.effect[op] !== 'charges') this.#report(frame, 0n, frame.gasLeft())
  }

  /** Called when the further price of the instruction is known, after its static gas is paid. */
  onCharge(frame: Frame, amount: number | bigint): void {
    const paid = frame.machine.instructions.gas[this.#op]!
    this.#report(frame, BigInt(amount), frame.gasLeft() + BigInt(paid))
  }

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
