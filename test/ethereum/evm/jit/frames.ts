/** Frames that run the same code in the plain loop and compiled. */
import { expect } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../../src/base/bytes.ts'
import type { Code } from '../../../../src/ethereum/evm/engine/code.ts'
import { type Frame, RUNNING } from '../../../../src/ethereum/evm/engine/frame.ts'
import { instructionSetOf } from '../../../../src/ethereum/evm/engine/instructionSet.ts'
import { runFast, runPlain } from '../../../../src/ethereum/evm/engine/loop.ts'
import type { Machine } from '../../../../src/ethereum/evm/engine/machine.ts'
import { Halt } from '../../../../src/ethereum/evm/engine/message.ts'
import { toEvmWord, type Word } from '../../../../src/ethereum/evm/engine/word.ts'
import type { CompiledCode } from '../../../../src/ethereum/evm/jit/compiledCode.ts'
import type { ForkName } from '../../../forks.ts'
import { analyse, createFrame, startMessage } from '../engine/frames.ts'
import { hex } from '../programs.ts'
import { compileAll } from './compiling.ts'

/** All that a frame has; if it ended with an error, only that counts. */
type Snapshot =
  | { readonly error: string }
  | {
      readonly error: undefined
      readonly state: number
      readonly pc: number
      readonly gas: number
      readonly stack: readonly Word[]
      readonly memory: string
      readonly output: string
    }

/** Code, in both forms. */
export interface Program {
  readonly code: Code
  readonly compiled: CompiledCode
}

/** Runs programs in the plain loop and compiled, and compares all that frames have wherever compiled code stops. */
export class Comparison {
  readonly #plain: Frame
  readonly #compiled: Frame

  private constructor(plain: Frame, compiled: Frame) {
    this.#plain = plain
    this.#compiled = compiled
  }

  static async create(fork: ForkName): Promise<Comparison> {
    const frames = [await createFrame(fork, 0n), await createFrame(fork, 0n)] as const
    for (const { machine } of frames) (machine as Machine).instructions = instructionSetOf(machine.fork)
    return new Comparison(...frames)
  }

  /** The forms of a program in hex, without prefix. */
  prepare(source: string): Program {
    const { instructions } = this.#plain.machine
    const code = analyse(hexToBytes(hex(source)), instructions)
    return { code, compiled: compileAll(code, instructions) }
  }

  /** Runs a program on a stack, bottom first. @returns why it failed, or what it left, and how often compiled code stopped. */
  run(
    { code, compiled }: Program,
    stack: readonly bigint[],
    gas: number,
  ): { readonly error: string | undefined; readonly stack: readonly Word[]; readonly stops: number } {
    for (const frame of [this.#plain, this.#compiled]) {
      startMessage(frame, BigInt(gas))
      frame.input = Uint8Array.of(1, 2, 3)
      frame.account = frame.caller = frame.machine.journal.account(0xcc)
      frame.code = code
      for (const word of stack) frame.push(toEvmWord(word))
    }
    let stops = 0
    for (;;) {
      const actual = snapshot(this.#compiled, () => {
        const isCompiled = compiled.run(this.#compiled)
        if (this.#compiled.state === RUNNING && (!isCompiled || stops % 2 === 1)) runFast(this.#compiled, 1)
      })
      const expected = snapshot(this.#plain, () => this.#runTo(this.#compiled, actual.error))
      expect(actual).toEqual(expected)
      stops += 1
      if (actual.error !== undefined) return { error: actual.error, stack: [], stops }
      if (actual.state !== RUNNING) return { error: undefined, stack: actual.stack, stops }
    }
  }

  /** Runs the plain loop to where another frame is. */
  #runTo(other: Frame, error: string | undefined): void {
    const plain = this.#plain
    const isThere = () => plain.pc === other.pc && plain.gas === other.gas && plain.state === other.state
    while (plain.state === RUNNING && (error !== undefined || !isThere())) runPlain(plain, 1)
  }
}

function snapshot(frame: Frame, run: () => void): Snapshot {
  try {
    run()
  } catch (reason) {
    if (!(reason instanceof Halt)) throw reason
    return { error: reason.reason }
  }
  const { state, pc, gas, memory, memorySize, output } = frame
  return {
    error: undefined,
    state,
    pc,
    gas,
    stack: frame.stack.slice(0, frame.height),
    memory: bytesToHex(memory.subarray(0, memorySize)),
    output: bytesToHex(output),
  }
}
