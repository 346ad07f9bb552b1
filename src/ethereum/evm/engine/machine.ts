/**
 * A machine: the execution of one message and all messages that it starts, without recursion.
 *
 * Owns: its frames, reused from one execution to the next, and the current journal. Does not own: the overlay.
 */
import { NO_BYTES } from '../../../base/bytes.ts'
import type { Address } from '../../../base/types.ts'
import type { Yielder } from '../../../base/waiting.ts'
import { EMPTY_STATE } from '../../state/account.ts'
import type { Message } from '../engine.ts'
import { type BlockEnv, type Hooks, isCreation } from '../executor.ts'
import { probedAccount } from '../hooks.ts'
import { blockWordsOf } from './blockWords.ts'
import {
  Frame,
  FrameHost,
  NO_HASHES,
  RETURNED,
  REVERTED,
  RUNNING,
  STOPPED,
  StepReporter,
  WAITING,
} from './frame.ts'
import { compilation, runHot } from './hotCode.ts'
import { instructionSetOf } from './instructionSet.ts'
import { Journal, type JournalAccount } from './journal.ts'
import { LOOP_GAS, runFast, runPlain } from './loop.ts'
import { type Call, type Creation, type Ending, failed, Halt, splitGas } from './message.ts'
import { deploy, startCall, startCreation } from './messages.ts'
import type { Precompile } from './precompiles/precompile.ts'
import { toEvmWord } from './word.ts'

/** How the outermost message ended. */
export interface MachineResult extends Ending {
  /** The created contract, even if the creation failed. */
  readonly contract: JournalAccount | undefined
}

/**
 * How much work, in gas, is done between two looks at the clock. The start and the end of a message count as a 16th of
 * it each. Looking at the clock each time would take a tenth of the time of a short message.
 */
const MAX_WORK = LOOP_GAS
const TRANSITION_WORK = MAX_WORK / 16

const KEPT_FRAMES = 16

/** How many instructions run between two looks at the clock if each is reported. */
const WATCHED_INSTRUCTIONS = 16

const UNUSED = new Journal(EMPTY_STATE, undefined)
const UNUSED_ACCOUNT = UNUSED.account(0)

/** Runs a message: each call of `run` continues it until it ends or `pause` is due. */
export class Machine extends FrameHost {
  readonly #frames: Frame[] = []
  #current: Frame | undefined
  #result: MachineResult | undefined
  /** Does the next part of a precompile or a code analysis; returns true after the last. Undefined if none is due. */
  #advance: (() => boolean) | undefined
  #precompiles!: ReadonlyMap<number, Precompile>
  /** Calls to this account leave the return data unchanged; see `ExecutionCollector.probe`. */
  #probe: Address | undefined

  start(
    message: Message,
    env: BlockEnv,
    journal: Journal,
    precompiles: ReadonlyMap<number, Precompile>,
    hooks: Hooks | undefined,
  ): void {
    this.env = env
    this.rules = env.rules
    this.fork = env.rules.fork
    this.block = blockWordsOf(env)
    this.instructions = instructionSetOf(this.fork)
    this.journal = journal
    this.gasPrice = toEvmWord(message.gasPrice)
    this.blobHashes = message.blobVersionedHashes ?? NO_HASHES
    this.#precompiles = precompiles
    this.#probe = probedAccount()
    this.hooks = hooks
    this.steps =
      hooks?.onAccess === undefined && hooks?.onStep === undefined ? undefined : new StepReporter(hooks)
    this.observesGas = false
    this.leastStoreGas = Number.POSITIVE_INFINITY
    this.work = 0
    this.#current = undefined
    this.#result = undefined
    this.#advance = undefined
    this.origin = journal.accountAt(message.caller)
    this.#startOutermost(message)
  }

  /** Releases the state of the execution, which an idle machine must not retain. */
  release(): void {
    this.journal = UNUSED
    this.origin = UNUSED_ACCOUNT
    this.hooks = undefined
    this.steps = undefined
    this.#result = undefined
    if (this.#frames.length > KEPT_FRAMES) this.#frames.length = KEPT_FRAMES
    for (const frame of this.#frames) frame.release(UNUSED_ACCOUNT)
  }

  #startOutermost({ to, data, value, gasLimit }: Message): void {
    const { journal, origin } = this
    const wei = toEvmWord(value)
    const [gas, reserve] = splitGas(gasLimit)
    if (to === undefined) {
      startCreation(this, undefined, {
        type: 'CREATE',
        caller: origin,
        value: wei,
        initCode: data,
        gas,
        reserve,
      })
      return
    }
    const account = journal.accountAt(to)
    startCall(this, undefined, {
      type: 'CALL',
      caller: origin,
      account,
      codeAccount: account,
      value: wei,
      input: data,
      gas,
      reserve,
      isStatic: false,
    })
  }

  /** Runs until the outermost message ends; undefined if a pause is due before. @throws Missing; then `start` again. */
  run(pause: Yielder | undefined): MachineResult | undefined {
    for (;;) {
      const frame = this.#current
      if (this.#advance !== undefined) {
        if (this.#advance()) this.#advance = undefined
      } else if (frame === undefined) {
        break
      } else {
        this.#runFrame(frame)
        const isTransition = frame.state !== RUNNING && frame.state !== STOPPED
        if (frame.state === STOPPED) frame.state = RUNNING
        this.work += TRANSITION_WORK
        if (isTransition && this.work < MAX_WORK) continue
      }
      if (pause === undefined) continue
      this.work = 0
      if (pause.isDue()) break
    }
    return this.#result
  }

  #runFrame(frame: Frame): void {
    try {
      if (this.steps === undefined) {
        runFast(frame, compilation.gas)
        if (frame.state === RUNNING) {
          this.work = MAX_WORK
          runHot(frame)
        }
      } else runPlain(frame, WATCHED_INSTRUCTIONS)
    } catch (reason) {
      if (!(reason instanceof Halt)) throw reason
      this.work = MAX_WORK
      this.steps?.onHalt(frame, reason.reason)
      this.#leave(frame, failed(reason.reason))
      return
    }
    const { output, gas, reserve } = frame
    if (frame.state === RETURNED) this.#leave(frame, { error: undefined, output, gas, reserve })
    else if (frame.state === REVERTED)
      this.#leave(frame, { error: 'execution reverted', output, gas, reserve })
  }

  enter(parent: Frame | undefined, message: Call | Creation, mark: number): Frame {
    const depth = parent === undefined ? 0 : parent.depth + 1
    this.#frames[depth] ??= new Frame(this, depth)
    const frame = this.#frames[depth]
    frame.reset(message, mark)
    if (parent !== undefined) parent.state = WAITING
    this.#current = frame
    return frame
  }

  #leave(frame: Frame, ending: Ending): void {
    const parent = frame.depth === 0 ? undefined : this.#frames[frame.depth - 1]!
    if (parent !== undefined) parent.state = RUNNING
    this.#current = parent
    const { created } = frame
    const end = created === undefined || ending.error !== undefined ? ending : deploy(this, created, ending)
    if (end.error !== undefined && end.keepsEffects !== true) this.journal.revert(frame.mark)
    this.end(parent, frame.message!, end, created)
  }

  end(parent: Frame | undefined, message: Call | Creation, ending: Ending, created?: JournalAccount): void {
    const { error, output, gas, reserve } = ending
    this.hooks?.onExit?.({
      gasUsed: BigInt(message.gas - gas) + (message.reserve - reserve),
      output,
      ...(error !== undefined && { error }),
      ...(ending.isPrecompileFailure && { isPrecompileFailure: true }),
      ...(created !== undefined && { created: created.address }),
    })
    if (parent === undefined) {
      this.#result = { error, output, gas, reserve, contract: created }
      return
    }
    parent.takeBack(gas, reserve)
    const succeeded = error === undefined || ending.keepsEffects === true
    if (isCreation(message.type)) {
      parent.returnData = succeeded ? NO_BYTES : output
      parent.push(succeeded ? created!.word : 0)
    } else {
      const isProbe =
        this.#probe !== undefined && 'codeAccount' in message && message.codeAccount.address === this.#probe
      if (!isProbe) parent.returnData = output
      parent.writeOutput(output)
      parent.push(succeeded ? 1 : 0)
    }
  }

  continueLater(parent: Frame | undefined, call: Call, advance: () => Ending | undefined): void {
    if (parent !== undefined) parent.state = WAITING
    this.doFirst(() => {
      const ending = advance()
      if (ending === undefined) return false
      if (parent !== undefined) parent.state = RUNNING
      this.end(parent, call, ending)
      return true
    })
  }

  doFirst(isDone: () => boolean): void {
    this.#advance = isDone
  }

  precompileOf({ word, address }: JournalAccount): Precompile | undefined {
    const moved = this.env.movedPrecompiles?.get(address)
    if (moved === null) return undefined
    if (moved !== undefined) return this.#precompiles.get(Number(moved))
    return typeof word === 'number' ? this.#precompiles.get(word) : undefined
  }
}
