/** The hooks of an execution in the form that engines use, and tracers that several callers share. */

import { hexToWord, toWord } from '../../base/bytes.ts'
import type { Address, Hash } from '../../base/types.ts'
import type { Log } from '../block.ts'
import { readCode } from '../state/account.ts'
import type { Overlay } from '../state/overlay.ts'
import {
  type CapturedLog,
  type FrameEnd,
  type FrameStart,
  type FrameType,
  type Hooks,
  type Included,
  TRANSFERS_ADDRESS,
  type Tracer,
} from './executor.ts'
import { delegateOf } from './validate.ts'

/** keccak256 of `Transfer(address,address,uint256)`. */
const TRANSFER_TOPIC: Hash = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** The frames that transfer their value. */
const PAYING: ReadonlySet<FrameType> = new Set<FrameType>(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])

/** The hooks of one execution. */
export interface Watch extends Pick<Hooks, 'precompiles' | 'onAccess'> {
  /** Called for frames, logs and steps: the capture if there is one, else the tracer of the hooks. */
  readonly tracer: Tracer | undefined
  readonly capture: LogCapture | undefined
}

/** Creates the watch of an execution with these hooks; undefined without hooks. */
export function createWatch(hooks: Hooks | undefined): Watch | undefined {
  if (hooks === undefined) return undefined
  const { precompiles, onAccess, captureLogs, traceTransfers = false } = hooks
  const capture = captureLogs || traceTransfers ? new LogCapture(traceTransfers) : undefined
  return {
    ...(precompiles && { precompiles }),
    ...(onAccess && { onAccess }),
    tracer: capture ?? hooks.tracer,
    capture,
  }
}

/**
 * The logs of one execution, frame by frame, as eth_simulateV1 counts them.
 *
 * A frame's transfer of ether precedes its logs, but the recipient of a creation is only known at its end. So the
 * start of a frame reserves a place, and its end fills it.
 */
class LogCapture implements Tracer {
  readonly #transfers: boolean
  readonly #logs: CapturedLog[] = []
  readonly #frames: { readonly start: number; readonly paid: FrameStart | undefined }[] = []
  #count = 0

  constructor(transfers: boolean) {
    this.#transfers = transfers
  }

  onLog(log: Log): void {
    const { address, topics, data } = log
    this.#logs.push({ address, topics, data, index: this.#count++ })
  }

  onEnter(frame: FrameStart): void {
    const paid = this.#transfers && frame.value > 0n && PAYING.has(frame.type)
    this.#frames.push({ start: this.#logs.length, paid: paid ? frame : undefined })
    if (paid) this.onLog(NO_LOG)
  }

  /** Removes the logs of a frame that failed, which stay counted. */
  onExit({ error, created }: FrameEnd): void {
    const { start, paid } = this.#frames.pop()!
    if (error !== undefined) {
      this.#logs.length = start
    } else if (paid !== undefined) {
      const { from, to, value } = paid
      this.#logs[start] = { ...transferLog(from, to ?? created!, value), index: this.#logs[start]!.index }
    }
  }

  /** The captured logs; see {@link Included.captured}. */
  result(): NonNullable<Included['captured']> {
    return { logs: this.#logs, count: this.#count }
  }
}

const NO_LOG: Log = { address: TRANSFERS_ADDRESS, topics: [], data: '0x' }

function transferLog(from: Address, to: Address, value: bigint): Log {
  return {
    address: TRANSFERS_ADDRESS,
    topics: [TRANSFER_TOPIC, hexToWord(from), hexToWord(to)],
    data: toWord(value),
  }
}

// Executions that collectors of the process watch, such as that of `preseal/coverage`.
//
// Collectors are a global, since the copies of this library in a process (ESM, CJS, of test files) share nothing else.

/** A watched execution. */
export interface WatchedExecution {
  readonly tracer: Tracer
  /** Counts the execution; one that is not counted leaves no trace. */
  count(): void
}

/** What watches executions. */
export interface ExecutionCollector {
  /** @param inner - its hooks are called too, but for logs and failed instructions. */
  watch(inner: Tracer | undefined): WatchedExecution
  /**
   * An account without code that instrumented contracts call to tell what they execute. While there is the collector, such a
   * call leaves the return data of the one before it as it is, in every execution: one that is repeated has the same result.
   */
  readonly probe?: Address
}

/** What collectors are for: there is at most one for each. */
type CollectorName = 'coverage' | 'hardhat'

const COLLECTORS: unique symbol = Symbol.for('preseal.executionCollectors') as never

const globals = globalThis as { [COLLECTORS]?: Map<CollectorName, ExecutionCollector> }
globals[COLLECTORS] ??= new Map()
const collectors = globals[COLLECTORS]

/** A collector of this process; undefined if there is none. */
export function collectorOf(name: CollectorName): ExecutionCollector | undefined {
  return collectors.get(name)
}

/** Replaces a collector of this process. */
export function setCollector(name: CollectorName, collector: ExecutionCollector | undefined): void {
  if (collector === undefined) collectors.delete(name)
  else collectors.set(name, collector)
}

/** Whether executions are watched. */
export function isWatching(): boolean {
  return collectors.size > 0
}

/** The account of {@link ExecutionCollector.probe}; undefined if no collector has one. */
export function probedAccount(): Address | undefined {
  return collectors.size === 0 ? undefined : collectors.get('hardhat')?.probe
}

/** Lets all collectors watch an execution; undefined if there are none. @param inner - see {@link ExecutionCollector}. */
export function watchExecution(inner: Tracer | undefined): WatchedExecution | undefined {
  if (!isWatching()) return undefined
  const watched: WatchedExecution[] = []
  let tracer = inner
  for (const collector of collectors.values()) {
    const one = collector.watch(tracer)
    tracer = one.tracer
    watched.push(one)
  }
  return {
    tracer: tracer!,
    count() {
      for (const one of watched) one.count()
    },
  }
}

// Calls to the console address of Hardhat's and Foundry's console.sol, which has no code.

/** The ASCII of `console.log`. */
export const CONSOLE: Address = '0x000000000000000000636f6e736f6c652e6c6f67'

/** A call to the console, undecoded. */
export interface ConsoleCall {
  /** The contract that called. */
  readonly address: Address
  readonly data: Uint8Array
}

/** The console calls of one execution. The hash is that of an included transaction; null for a call. */
export interface ConsoleEntry {
  readonly transactionHash: Hash | null
  readonly calls: readonly ConsoleCall[]
}

/** The limit of calldata kept per execution, in bytes: repeated calls with the same megabyte cost little gas. */
const MAX_BYTES = 2 ** 24

/** Collects the console calls of an execution, including those of reverted frames, up to 16 MiB. */
export class ConsoleCalls implements Tracer {
  calls: ConsoleCall[] = []
  #bytes = 0

  onStart(): void {
    this.calls = []
    this.#bytes = 0
  }

  onEnter({ from, to, input }: FrameStart): void {
    if (to !== CONSOLE || this.#bytes + input.length > MAX_BYTES) return
    this.#bytes += input.length
    this.calls.push({ address: from, data: input.slice() })
  }
}

/**
 * The codes that the frames of an execution run, for tracers.
 *
 * Owns: the codes of contracts that the execution created, which its state has only once it has ended.
 */
export class FrameCodes {
  #state: Overlay | undefined
  readonly #created = new Map<Address, Uint8Array>()

  /** Begins an execution. */
  start(state: Overlay): void {
    this.#state = state
    this.#created.clear()
  }

  /** Notes what a frame created, when it ends. */
  end({ created, error, output }: FrameEnd): void {
    // Copied, since the output may be a view of memory.
    if (created !== undefined && error === undefined) this.#created.set(created, output.slice())
  }

  /** The code that a call of an account runs: of a delegated account (EIP-7702) that of the other one. */
  codeOf(address: Address): Uint8Array {
    const code = this.#read(address)
    const delegate = delegateOf(code)
    return delegate === undefined ? code : this.#read(delegate)
  }

  #read(address: Address): Uint8Array {
    return this.#created.get(address) ?? readCode(this.#state!, address)
  }
}
