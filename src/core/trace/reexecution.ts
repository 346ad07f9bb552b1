/**
 * Executes blocks again, transaction by transaction, to trace them.
 *
 * Owns: the states between the transactions of the most recently used blocks, so that tracing a transaction does not
 * execute all those before it again. Does not own the blocks, nor the states they start from.
 */

import { type Pause, whenLoaded, type Yielder } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import type { BlockEnv, Checks, Executor, Hooks, Included } from '../../ethereum/evm/executor.ts'
import type { StateReader } from '../../ethereum/state/account.ts'
import { isUnchanged, stackLayer } from '../../ethereum/state/layer.ts'
import { Overlay } from '../../ethereum/state/overlay.ts'
import { attributesOf } from '../block/attributes.ts'
import { beginBlock } from '../block/systemCalls.ts'

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
  /** The most recently used is last. */
  readonly #kept = new Map<ExecutedBlock, Reexecution>()

  constructor(executor: Executor) {
    this.#executor = executor
  }

  /**
   * The re-execution of a block.
   *
   * @param env - the environment of its transactions.
   * @param parent - the state that it starts from.
   * @param pause - of what several requests may wait for: the states between the transactions.
   */
  of(block: ExecutedBlock, env: BlockEnv, parent: StateReader, pause: Yielder): Reexecution {
    let kept = this.#kept.get(block)
    // A re-execution is kept only for the same parent state: an earlier one may no longer be retained.
    if (kept?.parent !== parent) kept = new Reexecution(this.#executor, pause, block, env, parent)
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
  /** The states that are known: before the transactions, in their order, and after the last. */
  readonly #states: StateReader[]
  /** What adds the next of them, if it is under way. */
  #adding: Promise<void> | undefined

  constructor(executor: Executor, pause: Yielder, block: ExecutedBlock, env: BlockEnv, parent: StateReader) {
    this.#executor = executor
    this.#pause = pause
    this.#block = block
    this.#env = env
    this.parent = parent
    const overlay = new Overlay(parent)
    const { header } = block
    beginBlock(env, header.parentHash, attributesOf(header, env.rules.chainId).beaconRoot, overlay)
    this.#states = [this.#layer(parent, overlay)]
  }

  /**
   * The state before a transaction, or after the last if `index` is the number of transactions.
   *
   * @param pause - of the request; between two transactions it ends if nobody waits for it.
   */
  async stateBefore(index: number, pause: Pause): Promise<StateReader> {
    while (this.#states.length <= index) {
      this.#adding ??= this.#addState().finally(() => {
        this.#adding = undefined
      })
      await this.#adding
      await pause()
    }
    return this.#states[index]!
  }

  /** Executes a transaction with hooks. @param pause - of the request. */
  async run(index: number, hooks: Hooks, pause: Yielder): Promise<Included> {
    const state = await this.stateBefore(index, pause)
    const { outcome, overlay } = await this.#execute(index, state, pause, hooks)
    this.#add(index, overlay)
    return outcome
  }

  async #addState(): Promise<void> {
    const index = this.#states.length - 1
    const { overlay } = await this.#execute(index, this.#states[index]!, this.#pause)
    this.#add(index, overlay)
  }

  /** Adds the state after a transaction, unless it is known. */
  #add(index: number, overlay: Overlay): void {
    if (this.#states.length === index + 1) this.#states.push(this.#layer(this.#states[index]!, overlay))
  }

  async #execute(
    index: number,
    state: StateReader,
    pause: Yielder,
    hooks?: Hooks,
  ): Promise<{ readonly outcome: Included; readonly overlay: Overlay }> {
    const tx = this.#block.transactions[index]!
    const execution = { tx, env: this.#env, state, checks: NO_CHECKS, hooks }
    const { outcome, overlay } = await whenLoaded(() => this.#executor.execute(execution, pause), pause)
    if (outcome.kind === 'rejected') throw outcome.error
    return { outcome, overlay }
  }

  #layer(state: StateReader, overlay: Overlay): StateReader {
    const changes = overlay.changes()
    return isUnchanged(changes) ? state : stackLayer(state, changes, this.parent)
  }
}
