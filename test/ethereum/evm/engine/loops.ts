/** The same frame in the fast loop and in the plain loop, and how its results differ. */

import { bytesToHex, hexToBytes } from '../../../../src/base/bytes.ts'
import type { Crypto } from '../../../../src/base/crypto/crypto.ts'
import type { Address } from '../../../../src/base/types.ts'
import { type Frame, RUNNING, STOPPED } from '../../../../src/ethereum/evm/engine/frame.ts'
import { instructionSetOf } from '../../../../src/ethereum/evm/engine/instructionSet.ts'
import { Journal } from '../../../../src/ethereum/evm/engine/journal.ts'
import { runFast, runPlain } from '../../../../src/ethereum/evm/engine/loop.ts'
import { Machine } from '../../../../src/ethereum/evm/engine/machine.ts'
import { Halt } from '../../../../src/ethereum/evm/engine/message.ts'
import { precompilesByAddress } from '../../../../src/ethereum/evm/engine/precompiles/precompiles.ts'
import { readWord, toEvmWord, type Word } from '../../../../src/ethereum/evm/engine/word.ts'
import type { BlockEnv } from '../../../../src/ethereum/evm/executor.ts'
import type { StateReader } from '../../../../src/ethereum/state/account.ts'
import { type ForkName, rulesOf } from '../../../forks.ts'
import { createBench, SENDER, slotKey, TARGET } from '../setup.ts'
import { bytecode } from './assembly.ts'
import { isCanonical } from './boundaryWords.ts'
import { analyse } from './frames.ts'

/** An account with code and storage, at an address that boundary words do not have. */
export const CALLEE: Address = `0x${'dd'.repeat(20)}`

const CALLDATA = Uint8Array.from({ length: 70 }, (_, i) => 0xff - i)
const RETURN_DATA = hexToBytes(`0x${'00'.repeat(26)}${'1f'.repeat(14)}`)

const MESSAGE = {
  ...{ caller: SENDER, to: TARGET, value: 5n, data: CALLDATA, gasPrice: 2n ** 53n },
  blobVersionedHashes: [slotKey(7), slotKey(2n ** 255n)],
}

/** What a frame begins with. */
export interface Beginning {
  readonly code: Uint8Array
  /** The words on the stack, bottom first. */
  readonly stack: readonly bigint[]
  readonly gas: bigint
  /** The memory in use, in bytes; a multiple of 32. Byte n of it is n + 1, modulo 256. */
  readonly memorySize?: number
  readonly isStatic?: boolean
}

/** How a loop has left a frame. */
export interface Left {
  /** The state of the frame, or the reason of the error that has ended it. */
  readonly ending: number | string
  /** The gas left in the frame and in the one that it has started; void if an error has ended it. */
  readonly gas: bigint
  /** All that can be observed, each part after its name. */
  readonly facts: readonly Fact[]
}

type Fact = string | number | bigint | boolean

/** A machine that records the frames that it enters. */
class RecordingMachine extends Machine {
  readonly entered: Frame[] = []

  override enter(...message: Parameters<Machine['enter']>): Frame {
    const frame = super.enter(...message)
    this.entered.push(frame)
    return frame
  }
}

/** Both loops on a fork, on a state with {@link CALLEE}. */
export class Loops {
  readonly #crypto: Crypto
  readonly #env: BlockEnv
  readonly #state: StateReader

  private constructor(crypto: Crypto, env: BlockEnv, state: StateReader) {
    this.#crypto = crypto
    this.#env = env
    this.#state = state
  }

  static async on(fork: ForkName): Promise<Loops> {
    const { crypto, env, state } = await createBench(
      'osaka',
      {
        [TARGET]: { nonce: 1n, balance: 2n ** 64n, code: '0x00', storage: { 0: 1n, 1: 2n ** 53n, 31: 7n } },
        [CALLEE]: { balance: 2n ** 53n, code: bytecode('CALLER 0 MSTORE 32 0 RETURN') },
      },
      { rules: rulesOf(fork), number: 300n },
    )
    return new Loops(crypto, env, state)
  }

  /** Runs a frame in both loops. @returns how the plain loop has left it, and what differs, if anything does. */
  compare(beginning: Beginning): Left & { readonly difference: string | undefined } {
    const plain = this.#run(runPlain, beginning)
    const fast = this.#run(runFast, beginning)
    const length = Math.max(plain.facts.length, fast.facts.length)
    let at = 0
    while (at < length && plain.facts[at] === fast.facts[at]) at += 1
    if (at === length) return { ...plain, difference: undefined }
    const { code, stack, gas, memorySize = 0 } = beginning
    const name = plain.facts.slice(0, at).findLast((fact) => typeof fact === 'string')
    const setting = `${bytesToHex(code)} on [${stack.slice(-8)}] with gas ${gas} and ${memorySize} bytes of memory`
    const [actual, expected] = [fast, plain].map(({ facts }) => `${typeof facts[at]} ${facts[at]}`)
    return { ...plain, difference: `${setting}: ${name} ${actual}, not ${expected}` }
  }

  #run(loop: (frame: Frame) => void, beginning: Beginning): Left {
    const { code, stack, memorySize = 0, isStatic = false } = beginning
    const machine = new RecordingMachine(this.#crypto)
    const { fork } = this.#env.rules
    const journal = new Journal(this.#state, undefined)
    const message = { ...MESSAGE, gasLimit: beginning.gas }
    machine.start(message, this.#env, journal, precompilesByAddress(fork, this.#crypto), undefined)
    const frame = machine.entered[0]!
    frame.code = analyse(code, instructionSetOf(fork))
    frame.isStatic = isStatic
    frame.returnData = RETURN_DATA
    for (const word of stack) frame.push(toEvmWord(word))
    frame.grow(memorySize)
    for (let i = 0; i < memorySize; i++) frame.memory[i] = i + 1
    let ending: Left['ending'] = RUNNING
    try {
      while (ending === RUNNING || ending === STOPPED) {
        frame.state = RUNNING
        loop(frame)
        ending = frame.state
      }
    } catch (reason) {
      if (!(reason instanceof Halt)) throw reason
      ending = reason.reason
    }
    const { observesGas, leastStoreGas } = machine
    const facts: Fact[] = ['ending', ending, 'observes gas', observesGas, 'least gas to store', leastStoreGas]
    addJournal(facts, journal)
    // The fast loop keeps the rest to itself until a frame ends without an error.
    if (typeof ending === 'number') addFrames(facts, machine.entered)
    return { ending, gas: machine.entered.reduce((sum, one) => sum + one.gasLeft(), 0n), facts }
  }
}

function addFrames(facts: Fact[], [frame, ...started]: readonly Frame[]): void {
  const { pc, stack, height, memory, view, memorySize, output, returnData, outputOffset, outputSize } = frame!
  facts.push('pc', pc, 'gas', frame!.gas, frame!.reserve, 'memory', memorySize, memory.length)
  for (let at = 0; at < memorySize; at += 32) facts.push(readWord(view, at))
  facts.push('height', height)
  for (let i = 0; i < height; i++) facts.push(wordFact(stack[i]!))
  facts.push('output', bytesToHex(output), 'returned', bytesToHex(returnData), outputOffset, outputSize)
  for (const { message, gas, reserve, isStatic, code, input, value } of started) {
    facts.push('started', message!.type, gas, reserve, isStatic, wordFact(value))
    facts.push(bytesToHex(code.bytes), bytesToHex(input))
  }
}

/** A word; NaN, which equals nothing, if it does not have the type that its value must have. */
function wordFact(word: Word): Fact {
  return isCanonical(word) ? word : Number.NaN
}

function addJournal(facts: Fact[], journal: Journal): void {
  facts.push('refund', journal.refund)
  for (const { topics, data } of journal.logs) facts.push('log', ...topics, data)
  for (const account of journal.accounts) {
    const { address, exists, nonce, balance, codeHash, slots, transient } = account
    const { isWarm, isTouched, isCreated, isDestroyed } = account
    facts.push('account', address, exists, nonce, balance, codeHash)
    facts.push('flags', isWarm, isTouched, isCreated, isDestroyed)
    for (const [key, { value, isWarm }] of slots) facts.push('slot', key, value, isWarm)
    if (transient === undefined) continue
    for (const [key, { value }] of transient) facts.push('transient slot', key, value)
  }
}
