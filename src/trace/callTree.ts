/** The frames of an execution as a tree: what every tracer of calls is made from. */
import type { BlockEnv, FrameEnd, FrameStart, Tracer } from '../evm/executor.ts'
import { precompilesOf } from '../evm/precompiles.ts'
import type { Address } from '../primitives/types.ts'
import type { Log } from '../protocol/block.ts'
import type { TxEnv } from '../protocol/transaction.ts'
import type { TraceContext } from './tracer.ts'

/** A frame that has ended, with those it called. */
export interface CallNode extends FrameStart, FrameEnd {
  readonly calls: readonly CallNode[]
  readonly logs: readonly TracedLog[]
}

/** A log with its place. */
export interface TracedLog extends Log {
  /** Among all logs of the execution, those of frames that failed counted. */
  readonly index: number
  /** How many calls its frame had made before. */
  readonly position: number
}

interface OpenNode extends FrameStart {
  readonly calls: CallNode[]
  readonly logs: TracedLog[]
}

/** Bytes that a frame or a log takes without its data, and each byte of data: as it is, and in hex. */
const [NODE_BYTES, BYTES_PER_BYTE] = [600, 3] as const

/** Grows a tree as the execution goes. */
export class CallTree implements Tracer {
  /** Those of the block that was executed in. */
  precompiles: ReadonlySet<Address> = new Set()
  readonly #spend: TraceContext['spend']
  #open: OpenNode[] = []
  #logs = 0
  #root: CallNode | undefined

  constructor({ spend }: TraceContext) {
    this.#spend = spend
  }

  onStart(_tx: TxEnv, { rules }: BlockEnv): void {
    this.precompiles = precompilesOf(rules.fork)
    this.#open = []
    this.#logs = 0
    this.#root = undefined
  }

  onEnter(frame: FrameStart): void {
    // The way to it is of as many numbers as it is deep.
    this.#spend(NODE_BYTES + 8 * this.#open.length + BYTES_PER_BYTE * frame.input.length)
    // What a call is given may lie in the memory of who calls.
    this.#open.push({ ...frame, input: frame.input.slice(), calls: [], logs: [] })
  }

  onExit(end: FrameEnd): void {
    this.#spend(BYTES_PER_BYTE * end.output.length)
    const frame = this.#open.pop()!
    const node: CallNode = { ...frame, ...end, ...this.#refine(frame, end) }
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#root = node
    else parent.calls.push(node)
  }

  onLog(log: Log): void {
    this.#spend(NODE_BYTES + log.data.length)
    const frame = this.#open.at(-1)!
    frame.logs.push({ ...log, index: this.#logs++, position: frame.calls.length })
  }

  /** Precompiles have no instructions to fail by, and errors of their own. */
  #refine({ to }: FrameStart, { error }: FrameEnd): Pick<FrameEnd, 'error'> {
    const isRefusal = error !== undefined && error !== 'out of gas'
    return isRefusal && to !== undefined && this.precompiles.has(to) ? { error: 'precompiled failed' } : {}
  }

  /** The outermost frame; there is one as soon as something was executed. */
  get root(): CallNode {
    return this.#root!
  }
}
