/**
 * Blocks executed again, transaction by transaction, for what happened within them.
 *
 * Owns: the states between the transactions of the blocks that were asked for last, so that a transaction is not
 * executed once for every one after it. Does not own the blocks, nor the states they start from.
 */

import type { BlockEnv, Checks, Executor, Hooks, Included } from '../evm/executor.ts'
import { executeLoaded } from '../evm/executor.ts'
import { attributesOf } from '../payload/attributes.ts'
import { beginBlock } from '../payload/systemCalls.ts'
import type { Clock } from '../primitives/clock.ts'
import { createYielder, type Pause } from '../primitives/yielder.ts'
import type { Block } from '../protocol/block.ts'
import type { StateReader } from '../state/account.ts'
import { isUnchanged, stackLayer } from '../state/layer.ts'
import { Overlay } from '../state/overlay.ts'

/** What is needed of a block. */
export type ExecutedBlock = Pick<Block, 'header' | 'hash' | 'transactions'>

/** How many blocks' states are kept. */
const KEPT = 8

/** What is in a block was checked before it came there. */
const NO_CHECKS: Checks = {
  nonce: false,
  senderCode: false,
  gasLimit: false,
  feeCap: false,
  blobFeeCap: false,
  funds: false,
}

/** See the file's header. */
export class Reexecutions {
  readonly #executor: Executor
  readonly #pause: Pause
  /** The one asked for last comes last. */
  readonly #kept = new Map<ExecutedBlock, Reexecution>()

  /** @param clock - yields between transactions. */
  constructor(executor: Executor, clock: Pick<Clock, 'yield'>) {
    this.#executor = executor
    this.#pause = createYielder(clock)
  }

  /**
   * A block to be executed again.
   *
   * @param env - what its transactions are executed in.
   * @param parent - the state it starts from.
   */
  of(block: ExecutedBlock, env: BlockEnv, parent: StateReader): Reexecution {
    let kept = this.#kept.get(block)
    // What was kept on a state that is gone is of no use where there is another.
    if (kept?.parent !== parent) kept = new Reexecution(this.#executor, this.#pause, block, env, parent)
    this.#kept.delete(block)
    this.#kept.set(block, kept)
    if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value!)
    return kept
  }
}

/** One block, executed again as far as it is asked for. */
export class Reexecution {
  readonly #executor: Executor
  readonly #pause: Pause
  readonly #block: ExecutedBlock
  readonly #env: BlockEnv
  /** The state it starts from. */
  readonly parent: StateReader
  /** The state before each transaction, and after the last. */
  readonly #states: Promise<StateReader>[]

  constructor(executor: Executor, pause: Pause, block: ExecutedBlock, env: BlockEnv, parent: StateReader) {
    this.#executor = executor
    this.#pause = pause
    this.#block = block
    this.#env = env
    this.parent = parent
    const overlay = new Overlay(parent)
    const { header } = block
    beginBlock(env, header.parentHash, attributesOf(header, env.rules.chainId).beaconRoot, overlay)
    this.#states = [Promise.resolve(this.#layer(parent, overlay))]
  }

  /** The state before a transaction; that after the last under the number of transactions. */
  async stateBefore(index: number): Promise<StateReader> {
    for (let at = this.#states.length; at <= index; at++) this.#states[at] ??= this.#after(at - 1)
    return this.#states[index]!
  }

  /** Executes a transaction with hooks. */
  async run(index: number, hooks: Hooks): Promise<Included> {
    const state = await this.stateBefore(index)
    const { outcome, overlay } = await this.#execute(index, state, hooks)
    this.#states[index + 1] ??= Promise.resolve(this.#layer(state, overlay))
    return outcome
  }

  async #after(index: number): Promise<StateReader> {
    const state = await this.#states[index]!
    const { overlay } = await this.#execute(index, state)
    await this.#pause()
    return this.#layer(state, overlay)
  }

  async #execute(
    index: number,
    state: StateReader,
    hooks?: Hooks,
  ): Promise<{ readonly outcome: Included; readonly overlay: Overlay }> {
    const tx = this.#block.transactions[index]!
    const start = () => new Overlay(state)
    const { outcome, overlay } = await executeLoaded(this.#executor, tx, this.#env, start, NO_CHECKS, hooks)
    if (outcome.kind === 'rejected') throw outcome.error
    return { outcome, overlay }
  }

  #layer(state: StateReader, overlay: Overlay): StateReader {
    const changes = overlay.changes()
    return isUnchanged(changes) ? state : stackLayer(state, changes, this.parent)
  }
}
