/**
 * Counts the instructions that chains of this process execute, by code. Owns: the codes executed while it is installed,
 * and the counts of their instructions. The report finds the sources of a code.
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
import { type ExecutedCode, resolvePath, writeExecuted } from './files.ts'

/** How many bytes all kept codes may have together: enough for thousands of contracts. */
const MAX_BYTES = 2 ** 26

interface Counter {
  readonly code: Uint8Array
  readonly isCreation: boolean
  /** By position in the code. Doubles count exactly up to 2^53. */
  readonly counts: Float64Array
}

class Collector implements ExecutionCollector {
  /** The name of the file with these counts, unique among all processes; undefined until they are first saved. */
  name: string | undefined
  readonly #counters = new Map<string, Counter>()
  /** Counters by code object: a chain passes the same object for a code to all executions. */
  readonly #known = new WeakMap<Uint8Array, Counter>()
  #bytes = 0
  /** How many frames were not counted because of the limit. */
  #omitted = 0

  watch(): Hooks {
    return new CountedExecution(this)
  }

  /** Returns the counter of a code; undefined if the limit is reached. */
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
      // Copies the code: an initcode may be a view of the EVM's memory.
      counter = { code: code.slice(), isCreation, counts: new Float64Array(code.length) }
      this.#counters.set(key, counter)
    }
    if (!isCreation) this.#known.set(code, counter)
    return counter
  }

  executed(): { readonly codes: ExecutedCode[]; readonly omitted: number } {
    const codes = [...this.#counters.values()].map(({ code, isCreation, counts }) => ({
      code: bytesToHex(code),
      isCreation,
      hits: [...counts.entries()].filter(([, count]) => count > 0),
    }))
    return { codes: codes.filter(({ hits }) => hits.length > 0), omitted: this.#omitted }
  }
}

interface Frame {
  readonly start: Pick<FrameStart, 'type' | 'to' | 'input'>
  /** Absent until the first instruction; undefined if the code is not counted. */
  counts?: Float64Array | undefined
}

/** The counts of one execution, kept apart until {@link onKept}. */
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
    // Waits for the first instruction: the code of a frame that executes nothing need not be loaded.
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

/** Starts counting executions of this process's chains: calls, failing estimates, pre-confirmed transactions. Idempotent. */
export function startCoverage(): void {
  if (collectorOf('coverage') === undefined) setCollector('coverage', new Collector())
}

/** Stops counting and discards the counts. Has no effect if counting was not started. */
export function stopCoverage(): void {
  setCollector('coverage', undefined)
}

/**
 * Writes the counts of this process for the report in `folder`, and replaces the counts that it wrote before. Has no
 * effect if coverage was not started.
 *
 * @param folder - by default 'coverage'.
 * @throws CoverageFilesError without Node 20.16 or newer
 */
export function saveCoverage(folder = 'coverage'): void {
  // The collector may come from a second copy of preseal, whose class has the same members.
  const collector = collectorOf('coverage') as Collector | undefined
  if (collector === undefined) return
  collector.name ??= crypto.randomUUID()
  writeExecuted(resolvePath(folder), collector.name, collector.executed())
}
