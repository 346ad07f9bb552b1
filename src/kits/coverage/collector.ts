/**
 * Counts the instructions that chains of this process execute, by code. The report finds the sources of a code.
 *
 * Owns: the codes that were executed while it was installed, and how often each of their instructions was.
 */

import { bytesToHex } from '../../base/bytes.ts'
import type { Address } from '../../base/types.ts'
import type { BlockEnv, FrameEnd, FrameStart, Step, Tracer } from '../../ethereum/evm/executor.ts'
import {
  collectorOf,
  type ExecutionCollector,
  FrameCodes,
  setCollector,
  type WatchedExecution,
} from '../../ethereum/evm/watch.ts'
import type { Overlay } from '../../ethereum/state/overlay.ts'
import type { TxEnv } from '../../ethereum/transaction.ts'
import { type ExecutedCode, removeExecuted, resolvePath, writeExecuted } from './files.ts'

/** The size of all codes that are kept, in bytes: those of thousands of contracts. */
const MAX_BYTES = 2 ** 26

interface Counter {
  readonly code: Uint8Array
  readonly isCreation: boolean
  /** Doubles, which no run of a test suite exceeds. */
  readonly counts: Float64Array
}

/** See the file's header. */
export class Collector implements ExecutionCollector {
  /** The name of its file, once it has one: that of no other collector of any process. */
  name: string | undefined
  readonly #counters = new Map<string, Counter>()
  /** The counters of codes that chains hold, which are one object for all executions. */
  readonly #known = new WeakMap<Uint8Array, Counter>()
  #bytes = 0
  /** The executions of codes that were left out, as there were too many. */
  #omitted = 0

  watch(inner: Tracer | undefined): WatchedExecution {
    return new CountedExecution(this, inner)
  }

  /** The counter of a code; undefined if there are too many. */
  counterOf(code: Uint8Array, isCreation: boolean): Counter | undefined {
    const known = isCreation ? undefined : this.#known.get(code)
    if (known !== undefined) return known
    const key = `${isCreation ? 'creation' : 'runtime'} ${bytesToHex(code)}`
    let counter = this.#counters.get(key)
    if (counter === undefined) {
      if (this.#bytes + code.length > MAX_BYTES) {
        this.#omitted++
        return undefined
      }
      this.#bytes += code.length
      // Copied, since an initcode may be a view of memory.
      counter = { code: code.slice(), isCreation, counts: new Float64Array(code.length) }
      this.#counters.set(key, counter)
    }
    if (!isCreation) this.#known.set(code, counter)
    return counter
  }

  executed(): { readonly codes: ExecutedCode[]; readonly omitted: number } {
    const codes = [...this.#counters.values()].map(({ code, isCreation, counts }) => {
      const hits: [number, number][] = []
      for (const [pc, count] of counts.entries()) if (count > 0) hits.push([pc, count])
      return { code: bytesToHex(code), isCreation, hits }
    })
    return { codes: codes.filter(({ hits }) => hits.length > 0), omitted: this.#omitted }
  }
}

interface Frame {
  /** The account whose code it runs; undefined for a creation. */
  readonly to: Address | undefined
  readonly initcode: Uint8Array | undefined
  /** Absent until its first instruction; undefined if its code is not counted. */
  counts?: Float64Array | undefined
}

/** One execution, whose counts are apart until it is known to count. */
class CountedExecution implements Tracer, WatchedExecution {
  readonly tracer: Tracer = this
  readonly #collector: Collector
  readonly #inner: Tracer | undefined
  readonly #codes = new FrameCodes()
  readonly #counts = new Map<Counter, Float64Array>()
  readonly #open: Frame[] = []
  #current: Float64Array | undefined

  constructor(collector: Collector, inner: Tracer | undefined) {
    this.#collector = collector
    this.#inner = inner
  }

  onStart(tx: TxEnv, env: BlockEnv, state: Overlay): void {
    this.#codes.start(state)
    this.#counts.clear()
    this.#open.length = 0
    this.#current = undefined
    this.#inner?.onStart?.(tx, env, state)
  }

  onEnter(start: FrameStart): void {
    const { type, to, input } = start
    const isCreation = type === 'CREATE' || type === 'CREATE2'
    this.#open.push({ to, initcode: isCreation ? input.slice() : undefined })
    this.#current = undefined
    this.#inner?.onEnter?.(start)
  }

  onExit(end: FrameEnd): void {
    this.#codes.end(end)
    this.#open.pop()
    this.#current = this.#open.at(-1)?.counts
    this.#inner?.onExit?.(end)
  }

  onStep(step: Step): void {
    const counts = this.#current ?? this.#begin()
    if (counts !== undefined) counts[step.pc]!++
    this.#inner?.onStep?.(step)
  }

  /** The counts of the current frame, once it executes: until then its code need not be loaded. */
  #begin(): Float64Array | undefined {
    const frame = this.#open.at(-1)
    if (frame === undefined || 'counts' in frame) return undefined
    const { initcode, to } = frame
    const code = initcode ?? this.#codes.codeOf(to!)
    const counter = this.#collector.counterOf(code, initcode !== undefined)
    let counts = counter && this.#counts.get(counter)
    if (counter !== undefined && counts === undefined) {
      counts = new Float64Array(counter.counts.length)
      this.#counts.set(counter, counts)
    }
    frame.counts = counts
    this.#current = counts
    return counts
  }

  count(): void {
    for (const [{ counts: sums }, counts] of this.#counts) {
      for (let pc = 0; pc < counts.length; pc++) sums[pc]! += counts[pc]!
    }
    this.#counts.clear()
  }
}

/** Begins to count what the chains of this process execute: calls, failing estimates, pre-confirmed transactions. No effect twice. */
export function startCoverage(): void {
  if (collectorOf('coverage') === undefined) setCollector('coverage', new Collector())
}

/** Stops collecting, and forgets what was collected. Has no effect if it has not begun. */
export function stopCoverage(): void {
  setCollector('coverage', undefined)
}

/**
 * Writes what this process has executed for the report that is made in `folder`, in place of what it wrote before. Has no
 * effect if nothing is collected.
 *
 * @param folder - by default 'coverage'.
 * @throws CoverageFilesError without Node 20.16 or newer
 */
export function saveCoverage(folder = 'coverage'): void {
  // Of another copy of this library it is another class, with the same members.
  const collector = collectorOf('coverage') as Collector | undefined
  if (collector === undefined) return
  collector.name ??= crypto.randomUUID()
  writeExecuted(resolvePath(folder), collector.name, collector.executed())
}

/**
 * Removes what processes wrote for the report that is made in `folder`: the next report begins anew. Has no effect if there
 * is nothing.
 *
 * @param folder - by default 'coverage'.
 * @throws CoverageFilesError without Node 20.16 or newer
 */
export function clearCoverage(folder = 'coverage'): void {
  removeExecuted(resolvePath(folder))
}
