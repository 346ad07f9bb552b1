/**
 * Counts the instructions that chains of this process execute, by code. The report finds the sources of a code.
 *
 * Owns: the codes that were executed while it was installed, and how often each of their instructions was.
 */

import { bytesToHex } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import {
  type BlockEnv,
  type FrameEnd,
  type FrameStart,
  type Hooks,
  isCreation,
  type Step,
} from '../../ethereum/evm/executor.ts'
import { collectorOf, type ExecutionCollector, FrameStack, setCollector } from '../../ethereum/evm/hooks.ts'
import type { StateReader } from '../../ethereum/state/account.ts'
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

  watch(): Hooks {
    return new CountedExecution(this)
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
  readonly start: Pick<FrameStart, 'type' | 'to' | 'input'>
  /** Absent until its first instruction; undefined if its code is not counted. */
  counts?: Float64Array | undefined
}

/** One execution, whose counts are apart until it is known to count. */
class CountedExecution implements Hooks {
  readonly #collector: Collector
  readonly #counts = new Map<Counter, Float64Array>()
  readonly #frames = new FrameStack<Frame>()

  constructor(collector: Collector) {
    this.#collector = collector
  }

  onStart(_tx: TxEnv, _env: BlockEnv, state: StateReader): void {
    this.#counts.clear()
    this.#frames.start(state)
  }

  onEnter({ type, to, input }: FrameStart): void {
    this.#frames.enter({ start: { type, to, input: isCreation(type) ? input.slice() : input } })
  }

  onExit(end: FrameEnd): void {
    this.#frames.exit(end)
  }

  onStep({ pc }: Step): void {
    const frame = this.#frames.current!
    // Only now, since the code of a frame that runs nothing need not be loaded.
    if (!('counts' in frame)) frame.counts = this.#countsOf(frame)
    if (frame.counts !== undefined) frame.counts[pc]!++
  }

  #countsOf({ start }: Frame): Float64Array | undefined {
    const counter = this.#collector.counterOf(this.#frames.codeOfFrame(start), isCreation(start.type))
    return counter && getOrInsert(this.#counts, counter, () => new Float64Array(counter.counts.length))
  }

  onKept(): void {
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
