/**
 * Records an execution: its frames, events and storage writes in their order, within bounds.
 *
 * Owns: the record of one execution. What is beyond the bounds is counted, and left out.
 */

import { toAddress, toWord } from '../../base/bytes.ts'
import type { Address } from '../../base/types.ts'
import type { Log } from '../../ethereum/block.ts'
import {
  type BlockEnv,
  type FrameEnd,
  type FrameStart,
  nameFailure,
  type Step,
  type Tracer,
} from '../../ethereum/evm/executor.ts'
import { activePrecompiles } from '../../ethereum/evm/precompiles.ts'
import type { StateReader } from '../../ethereum/state/account.ts'
import type { TxEnv } from '../../ethereum/transaction.ts'
import type { ExplainedWrite } from './tree.ts'

/** A frame that has ended. */
export interface RecordedFrame extends FrameStart, FrameEnd {
  readonly kind: 'frame'
  readonly items: readonly RecordedItem[]
  readonly omitted: number
}

/** A log. */
export interface RecordedEvent extends Log {
  readonly kind: 'event'
}

/** What can happen in a frame. */
export type RecordedItem = RecordedFrame | RecordedEvent | ExplainedWrite

/** The bounds of a record. */
export interface RecordLimits {
  /** The most frames, events and writes together. */
  readonly items: number
  /** The most bytes of calldata, return data and data of events together; longer data is cut. */
  readonly bytes: number
}

/** The start of a frame; `parent` is the one that counts what is left out. */
interface OpenFrame {
  readonly start: FrameStart
  readonly items: RecordedItem[]
  /** Whether it is left out. */
  readonly isOmitted: boolean
  omitted: number
}

const SSTORE = 0x55
const TSTORE = 0x5d

/** What of data is kept if there is no room: a selector. */
const KEPT_BYTES = 4

/** See the file's header. */
export class Recorder {
  readonly limits: RecordLimits
  #open: OpenFrame[] = []
  #items = 0
  #bytes = 0
  #root: RecordedFrame | undefined
  #write: { readonly items: RecordedItem[] } | undefined
  /** The number of items that were left out. */
  omitted = 0
  /** The number of data that were cut. */
  cut = 0
  /** The names of the precompiles of the block's hardfork. */
  precompiles: ReadonlyMap<Address, string> = new Map()
  /** The state of the execution: after it, that at its end. */
  state: StateReader | undefined
  readonly tracer: Tracer

  /** @param storage - whether writes are recorded; execution takes several times as long then. */
  constructor(limits: RecordLimits, storage: boolean) {
    this.limits = limits
    this.tracer = {
      onStart: (_tx: TxEnv, { rules }: BlockEnv, state) => this.#start(rules.fork, state),
      onEnter: (frame) => this.#enter(frame),
      onExit: (end) => this.#exit(end),
      onLog: (log) => this.#log(log),
      ...(storage && {
        onStep: (step: Step) => this.#step(step),
        onOpcodeError: () => void this.#write?.items.pop(),
      }),
    }
  }

  /** The outermost frame, after an execution. */
  get root(): RecordedFrame {
    return this.#root!
  }

  #start(fork: BlockEnv['rules']['fork'], state: StateReader): void {
    this.precompiles = new Map(activePrecompiles(fork).map(([name, address]) => [toAddress(address), name]))
    this.state = state
    this.#open = []
    this.#items = 0
    this.#bytes = 0
    this.#write = undefined
    this.omitted = 0
    this.cut = 0
  }

  #enter(start: FrameStart): void {
    const isOmitted = this.#open.length > 0 && !this.#hasRoom()
    // Copied, since the input may be a view of the caller's memory.
    const input = isOmitted ? start.input.subarray(0, 0) : this.#keep(start.input).slice()
    this.#open.push({ start: { ...start, input }, items: [], isOmitted, omitted: 0 })
  }

  #exit(end: FrameEnd): void {
    const { start, items, isOmitted, omitted } = this.#open.pop()!
    const parent = this.#open.at(-1)
    if (isOmitted) {
      this.omitted += 1
      parent!.omitted += 1 + omitted
      return
    }
    const output = this.#keep(end.output)
    const frame: RecordedFrame = { kind: 'frame', ...start, ...nameFailure(end), output, items, omitted }
    if (parent === undefined) this.#root = frame
    else parent.items.push(frame)
  }

  #log(log: Log): void {
    const frame = this.#open.at(-1)!
    if (frame.isOmitted || !this.#hasRoom()) this.#omit(frame)
    else frame.items.push({ kind: 'event', ...log })
  }

  #step(step: Step): void {
    this.#write = undefined
    const { opcode, address } = step
    if (opcode !== SSTORE && opcode !== TSTORE) return
    const [value, key] = step.stack().slice(-2)
    if (value === undefined || key === undefined) return
    const frame = this.#open.at(-1)!
    if (frame.isOmitted || !this.#hasRoom()) {
      this.#omit(frame)
      return
    }
    const hash = toWord(key)
    const isTransient = opcode === TSTORE
    frame.items.push({
      kind: 'write',
      address,
      slot: hash,
      before: toWord(isTransient ? 0n : step.slot(hash)),
      after: toWord(value),
      ...(isTransient && { isTransient }),
    })
    this.#write = frame
  }

  /** Takes the room of one item, if there is any. */
  #hasRoom(): boolean {
    this.#items += 1
    return this.#items < this.limits.items
  }

  #omit(frame: OpenFrame): void {
    this.omitted += 1
    frame.omitted += 1
  }

  #keep(data: Uint8Array): Uint8Array {
    if (this.#bytes + data.length <= this.limits.bytes || data.length <= KEPT_BYTES) {
      this.#bytes += data.length
      return data
    }
    this.cut += 1
    return data.subarray(0, KEPT_BYTES)
  }
}
