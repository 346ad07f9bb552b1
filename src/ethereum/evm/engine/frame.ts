/**
 * A frame: the execution of one message's code.
 *
 * Owns: its stack, its memory and its gas, for as long as it runs; a machine reuses it afterwards. Does not own the
 * accounts, which are the journal's.
 */
import { NO_BYTES } from '../../../base/bytes.ts'
import type { Crypto } from '../../../base/crypto/crypto.ts'
import type { Hash } from '../../../base/types.ts'
import type { Effect, ForkRules } from '../../forks.ts'
import type { Rules } from '../../rules.ts'
import type { BlockEnv, Hooks } from '../executor.ts'
import type { BlockWords } from './blockWords.ts'
import { type BlockCosts, NO_CODE } from './code.ts'
import type { Journal, JournalAccount } from './journal.ts'
import { type Call, type Creation, type Ending, MAX_COUNTED_GAS, outOfGas, splitGas } from './message.ts'
import type { Precompile } from './precompiles/precompile.ts'
import type { Word } from './word.ts'

/** Whether a frame runs, stops after a long instruction, waits for the message that it started, or how it ended. */
export const RUNNING = 0
export const STOPPED = 1
export const WAITING = 2
export const RETURNED = 3
export const REVERTED = 4

/** See {@link RUNNING}. */
type FrameState = typeof RUNNING | typeof STOPPED | typeof WAITING | typeof RETURNED | typeof REVERTED

/** The most memory of a frame, in bytes. It costs 2 trillion gas, so only a call without a real limit can reach it. */
const MAX_MEMORY = 2 ** 30

/** The memory, in bytes, and the words on the stack that an idle frame keeps. */
const KEPT_MEMORY = 2 ** 16
const KEPT_WORDS = 64

/**
 * Executes an instruction, whose static gas is paid and whose operands are on the stack. `frame.pc` is behind the opcode.
 *
 * @throws Halt if it ends the frame with an error. @throws Missing if something it reads is not loaded.
 */
export type Instruction = (frame: Frame, op: number) => void

/** Instructions by name. */
export type Instructions = Readonly<Record<string, Instruction>>

/** The instructions of a hardfork by opcode; opcodes that it does not define are in it as instructions that fail. */
export interface InstructionSet extends BlockCosts {
  readonly run: readonly Instruction[]
  readonly effect: readonly Effect[]
}

/** What a frame and its instructions see of the machine that runs them. */
export interface FrameHost {
  readonly crypto: Crypto
  readonly env: BlockEnv
  readonly rules: Rules
  readonly fork: ForkRules
  readonly block: BlockWords
  readonly instructions: InstructionSet
  readonly journal: Journal
  /** The sender of the transaction. */
  readonly origin: JournalAccount
  readonly gasPrice: Word
  /** Whether code has read the gas left, passed on a part of it, or read the balance that pays for it. */
  observesGas: boolean
  /** The least gas that was left before an SSTORE, which requires some. */
  leastStoreGas: number
  /** What was done since the last look at the clock, in gas. */
  work: number
  readonly blobHashes: readonly Hash[]
  readonly hooks: Hooks | undefined
  /** Reports instructions, if a hook wants to know of them. */
  readonly steps: InstructionHooks | undefined
  /** Enters a new frame in `parent`, or the outermost one. @param mark - the journal's position to revert to. */
  enter(parent: Frame | undefined, message: Call | Creation, mark: number): Frame
  /** Returns the result of a message to the frame that started it. */
  end(parent: Frame | undefined, message: Call | Creation, ending: Ending, created?: JournalAccount): void
  /**
   * Ends a call of a precompile once `advance`, which does a part of its work at each call, returns how it has ended. The
   * frame that started it waits.
   */
  continueLater(parent: Frame | undefined, call: Call, advance: () => Ending | undefined): void
  /** Calls `isDone`, which does a part of some work at each call, until it is, before anything else is run. */
  doFirst(isDone: () => boolean): void
  /** The precompile that runs at an account's address. */
  precompileOf(account: JournalAccount): Precompile | undefined
}

/** Called for each instruction of a watched execution. */
export interface InstructionHooks {
  /** Called before the checks of an instruction; `frame.pc` is behind its opcode. */
  onInstruction(frame: Frame, op: number): void
  /** Called once the further price of the instruction is known, after its static gas is paid. */
  onCharge(frame: Frame, amount: number | bigint): void
}

/** The execution of one message's code; see the file's header. */
export class Frame {
  readonly machine: FrameHost
  /** 0 for the outermost frame. */
  readonly depth: number
  state: FrameState = RUNNING
  code = NO_CODE
  /** The offset of the next instruction. */
  pc = 0
  /** The words, bottom first; what is beyond {@link height} is to be ignored. */
  readonly stack: Word[] = []
  height = 0
  memory = new Uint8Array(1024)
  view = new DataView(this.memory.buffer)
  /** The memory in use, in bytes; a multiple of 32. */
  memorySize = 0
  /** The gas left, up to 2^52. */
  gas = 0
  /** The gas left beyond {@link gas}. No code can use as much gas as that, so this is never charged, only passed on. */
  reserve = 0n
  /** The message that it runs; undefined while it is idle. */
  message: Call | Creation | undefined
  /** The account whose storage it uses. */
  account!: JournalAccount
  caller!: JournalAccount
  /** Wei. */
  value: Word = 0
  input: Uint8Array = NO_BYTES
  isStatic = false
  /** The journal's position at the start of the message. */
  mark = 0
  /** The contract to be created; undefined for a call. */
  created: JournalAccount | undefined
  /** The result of the last message that it started. */
  returnData: Uint8Array = NO_BYTES
  /** Where that message's output goes in memory, and its maximum size. */
  outputOffset = 0
  outputSize = 0
  /** Return or revert data. */
  output: Uint8Array = NO_BYTES

  constructor(machine: FrameHost, depth: number) {
    this.machine = machine
    this.depth = depth
  }

  /** Prepares it for a message. What an earlier one has left is cleared here, since that one may have been abandoned. */
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

  /** Releases the state of a message, which an idle frame must not retain, and what it has for a long one. */
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

  /** The gas left. */
  gasLeft(): bigint {
    return BigInt(this.gas) + this.reserve
  }

  /**
   * Charges the gas of an instruction beyond its static gas; the one place that does. An instruction calls it once,
   * before it changes anything, so that a tracer sees the state before the instruction.
   *
   * @throws Halt if there is not as much left.
   */
  charge(amount: number): void {
    this.machine.steps?.onCharge(this, amount)
    if (amount > this.gas) outOfGas()
    this.gas -= amount
  }

  /**
   * Charges the gas of an instruction and what it passes on.
   *
   * @param requested - the gas that the code asks to pass on.
   * @returns what is passed on: before EIP-150 what was requested, since then at most all but one 64th.
   * @throws Halt if there is not as much left.
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

  /** Takes back the gas that a message which it started has left. */
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

  /** Extends the memory up to `end`, which has been paid. */
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

  /** Charges and extends the memory up to `end`. */
  expand(end: number): void {
    this.charge(this.expansionGas(end))
    this.grow(end)
  }

  /** A copy of memory, which must have been extended. */
  read(offset: Word, size: Word): Uint8Array {
    if (size === 0) return NO_BYTES
    return this.memory.slice(offset as number, (offset as number) + (size as number))
  }

  /**
   * A view of memory, which must have been extended: for the message that the frame starts, while which it waits. Gas does not
   * pay for a copy.
   */
  see(offset: Word, size: Word): Uint8Array {
    if (size === 0) return NO_BYTES
    return this.memory.subarray(offset as number, (offset as number) + (size as number))
  }

  /** Writes bytes to memory, which must have been extended, and zeros after them up to `size`. */
  write(offset: Word, size: Word, bytes: Uint8Array): void {
    if (size === 0) return
    const at = offset as number
    const end = at + (size as number)
    this.memory.set(bytes, at)
    this.memory.fill(0, at + bytes.length, end)
  }

  /** Writes the output of a message that it started to where that message's operands say. */
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

  /** The word at a depth: 1 is the topmost. */
  peek(depth: number): Word {
    return this.stack[this.height - depth]!
  }

  /** Ends the frame. */
  end(state: typeof RETURNED | typeof REVERTED, output: Uint8Array = NO_BYTES): void {
    this.state = state
    this.output = output
  }
}

function memoryGas(words: number): number {
  return 3 * words + Math.floor((words * words) / 512)
}

/**
 * The end of a range of memory; 0 if it is empty.
 *
 * @throws Halt if no gas can pay for it.
 */
export function memoryEnd(offset: Word, size: Word): number {
  if (size === 0) return 0
  if (typeof offset !== 'number' || typeof size !== 'number') outOfGas()
  const end = offset + size
  return end > 2 ** 40 ? outOfGas() : end
}

/** The number of words that bytes take up. */
export function wordsOf(size: number): number {
  return Math.ceil(size / 32)
}
