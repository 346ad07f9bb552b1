/** The frames of an execution as a tree, which all tracers of calls use. */

import type { Address } from '../../base/types.ts'
import type { Log } from '../../ethereum/block.ts'
import {
  type BlockEnv,
  type FrameEnd,
  type FrameStart,
  nameFailure,
  type Tracer,
} from '../../ethereum/evm/executor.ts'
import { precompilesOf } from '../../ethereum/evm/precompiles.ts'
import type { TxEnv } from '../../ethereum/transaction.ts'
import { Spending, type TraceContext } from './tracer.ts'

/** A frame that has ended, with the frames it called. */
export interface CallNode extends FrameStart, FrameEnd {
  readonly calls: readonly CallNode[]
  readonly logs: readonly TracedLog[]
}

/** A log with its position. */
export interface TracedLog extends Log {
  /** Its index among all logs of the execution, including those of failed frames. */
  readonly index: number
  /** How many calls its frame made before it. */
  readonly position: number
}

interface OpenNode extends FrameStart {
  readonly calls: CallNode[]
  readonly logs: TracedLog[]
}

/** The estimated memory of a frame or log without data, and of each byte of data, as a byte and in hex. */
const [NODE_BYTES, BYTES_PER_BYTE] = [600, 3] as const

/** Builds the tree during the execution. */
export class CallTree implements Tracer {
  /** The precompiles of the executed block's hardfork. */
  precompiles: ReadonlySet<Address> = new Set()
  readonly #spending: Spending
  #open: OpenNode[] = []
  #logs = 0
  #root: CallNode | undefined

  constructor(context: TraceContext) {
    this.#spending = new Spending(context)
  }

  onStart(_tx: TxEnv, { rules }: BlockEnv): void {
    this.precompiles = precompilesOf(rules.fork)
    this.#spending.start()
    this.#open = []
    this.#logs = 0
    this.#root = undefined
  }

  onEnter(frame: FrameStart): void {
    // The trace address has one number per level.
    this.#spending.add(NODE_BYTES + 8 * this.#open.length + BYTES_PER_BYTE * frame.input.length)
    // Copied, since the input may be a view of the caller's memory.
    this.#open.push({ ...frame, input: frame.input.slice(), calls: [], logs: [] })
  }

  onExit(end: FrameEnd): void {
    this.#spending.add(BYTES_PER_BYTE * end.output.length)
    const frame = this.#open.pop()!
    const node: CallNode = { ...frame, ...nameFailure(end) }
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#root = node
    else parent.calls.push(node)
  }

  onLog(log: Log): void {
    this.#spending.add(NODE_BYTES + log.data.length)
    const frame = this.#open.at(-1)!
    frame.logs.push({ ...log, index: this.#logs++, position: frame.calls.length })
  }

  /** The outermost frame, after an execution. */
  get root(): CallNode {
    return this.#root!
  }
}
