/**
 * Executes blocks again, transaction by transaction, to trace them.
 *
 * Owns: the states between the transactions of the most recently used blocks, so that tracing a transaction does not
 * execute all those before it again. Does not own the blocks, nor the states they start from.
 */

import type { BlockEnv, Checks, Executor, Hooks, Included } from '../evm/executor.ts'
import { executeLoaded } from '../evm/executor.ts'
import { attributesOf } from '../payload/attributes.ts'
import { beginBlock } from '../payload/systemCalls.ts'
import type { Clock } from '../primitives/clock.ts'
import { createYielder, type Yielder } from '../primitives/yielder.ts'
import type { Block } from '../protocol/block.ts'
import type { StateReader } from '../state/account.ts'
import { isUnchanged, stackLayer } from '../state/layer.ts'
import { Overlay } from '../state/overlay.ts'

/** The parts of a block that re-execution uses. */
export type ExecutedBlock = Pick<Block, 'header' | 'hash' | 'transactions'>

/** The number of blocks whose states are kept. */
const KEPT = 8

/** No checks: the transactions of a block were checked before they were included. */
export const NO_CHECKS: Checks = {
  nonce: false,
  senderCode: false,
  gasLimit: false,
  feeCap: false,
  blobFeeCap: false,
  funds: false,
}

/** Re-executions of blocks; see the file's header. */
export class Reexecutions {
  readonly #executor: Executor
  readonly #pause: Yielder
  /** The most recently used is last. */
  readonly #kept = new Map<ExecutedBlock, Reexecution>()

  /** @param clock - yields during and between transactions. */
  constructor(executor: Executor, clock: Pick<Clock, 'yield'>) {
    this.#executor = executor
    this.#pause = createYielder(clock)
  }

  /**
   * The re-execution of a block.
   *
   * @param env - the environment of its transactions.
   * @param parent - the state that it starts from.
   */
  of(block: ExecutedBlock, env: BlockEnv, parent: StateReader): Reexecution {
    let kept = this.#kept.get(block)
    // A re-execution is kept only for the same parent state: an earlier one may no longer be retained.
    if (kept?.parent !== parent) kept = new Reexecution(this.#executor, this.#pause, block, env, parent)
    this.#kept.delete(block)
    this.#kept.set(block, kept)
    if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value!)
    return kept
  }
}

/** The re-execution of one block, as far as it was needed. */
export class Reexecution {
  readonly #executor: Executor
  readonly #pause: Yielder
  readonly #block: ExecutedBlock
  readonly #env: BlockEnv
  /** The state that it starts from. */
  readonly parent: StateReader
  /** The state before each transaction, and after the last. */
  readonly #states: Promise<StateReader>[]

  constructor(executor: Executor, pause: Yielder, block: ExecutedBlock, env: BlockEnv, parent: StateReader) {
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

  /** The state before a transaction, or after the last if `index` is the number of transactions. */
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
    const execution = { tx, env: this.#env, state, checks: NO_CHECKS, hooks }
    const { outcome, overlay } = await executeLoaded(this.#executor, execution, this.#pause)
    if (outcome.kind === 'rejected') throw outcome.error
    return { outcome, overlay }
  }

  #layer(state: StateReader, overlay: Overlay): StateReader {
    const changes = overlay.changes()
    return isUnchanged(changes) ? state : stackLayer(state, changes, this.parent)
  }
}
