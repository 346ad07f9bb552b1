/**
 * Executes blocks again, transaction by transaction, to trace them. Owns: the states between the transactions of
 * recently used blocks, so that a trace of a transaction need not repeat the earlier ones.
 */

import { ZERO_HASH } from '../../base/bytes.ts'
import { type Pause, whenLoaded, type Yielder } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import type { BlockEnv, Checks, Executor, Hooks, Included } from '../../ethereum/evm/executor.ts'
import type { StateReader } from '../../ethereum/state/account.ts'
import { isUnchanged, stackLayer } from '../../ethereum/state/layer.ts'
import { Overlay } from '../../ethereum/state/overlay.ts'
import { beginBlock } from '../block/systemCalls.ts'

/** The parts of a block that re-execution uses. */
export type ExecutedBlock = Pick<Block, 'header' | 'hash' | 'transactions'>

const MAX_KEPT_BLOCKS = 8

/** Turns the checks off, which the block's transactions have passed, and charges the extra fees of the chain's spec. */
export const NO_CHECKS: Checks = {
  nonce: false,
  senderCode: false,
  gasLimit: false,
  feeCap: false,
  blobFeeCap: false,
  funds: false,
  extraFees: true,
}

/** Keeps the re-executions of recently used blocks. */
export class Reexecutions {
  readonly #executor: Executor
  /** The last one was used most recently. */
  readonly #kept = new Map<ExecutedBlock, Reexecution>()

  constructor(executor: Executor) {
    this.#executor = executor
  }

  /** @param pause - pauses the execution of untraced transactions, which several requests may await. */
  of(block: ExecutedBlock, env: BlockEnv, parent: StateReader, pause: Yielder): Reexecution {
    let kept = this.#kept.get(block)
    // With a different parent state, the re-execution starts over: the earlier state may no longer be retained.
    if (kept?.parent !== parent) kept = new Reexecution(this.#executor, pause, block, env, parent)
    this.#kept.delete(block)
    this.#kept.set(block, kept)
    if (this.#kept.size > MAX_KEPT_BLOCKS) this.#kept.delete(this.#kept.keys().next().value!)
    return kept
  }
}

/** The re-execution of a block, as far as needed so far. */
export class Reexecution {
  readonly #executor: Executor
  readonly #pause: Yielder
  readonly #block: ExecutedBlock
  readonly #env: BlockEnv
  readonly parent: StateReader
  /** The states before each transaction and after the last, as far as known. */
  readonly #states: StateReader[]
  /** Pending while the next state is added. */
  #adding: Promise<void> | undefined

  constructor(executor: Executor, pause: Yielder, block: ExecutedBlock, env: BlockEnv, parent: StateReader) {
    this.#executor = executor
    this.#pause = pause
    this.#block = block
    this.#env = env
    this.parent = parent
    const overlay = new Overlay(parent)
    const { parentHash, parentBeaconBlockRoot = ZERO_HASH } = block.header
    beginBlock(env, parentHash, parentBeaconBlockRoot, overlay)
    this.#states = [this.#layer(parent, overlay)]
  }

  /** Returns the state before a transaction, or after the last one. @param pause - of the request. */
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

  /** Adds the state after a transaction, unless known. */
  #add(index: number, overlay: Overlay): void {
    if (this.#states.length === index + 1) this.#states.push(this.#layer(this.#states[index]!, overlay))
  }

  async #execute(index: number, state: StateReader, pause: Yielder, hooks?: Hooks) {
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
