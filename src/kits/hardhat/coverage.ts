/**
 * Collects the executed statements for Hardhat's `--coverage`, which makes the report. Hardhat compiles contracts so that each
 * statement calls an address without code, with a number.
 *
 * Owns: the numbers that were not reported yet, and the collector of the process while a chain is open.
 */

import { bytesToHex } from '../../base/bytes.ts'
import type { Address } from '../../base/types.ts'
import type { FrameStart, Hooks } from '../../ethereum/evm/executor.ts'
import { setCollector } from '../../ethereum/evm/hooks.ts'

/** What instrumented contracts call, as Hardhat's `coverage.sol` states it. */
const COVERAGE: Address = '0xc0bec0bec0bec0bec0bec0bec0bec0bec0bec0be'

/** What is used of the context of a hook. */
export interface CoverageContext {
  readonly hooks: {
    runParallelHandlers(
      category: 'network',
      hook: 'onCoverageData',
      params: readonly [tags: readonly string[]],
    ): Promise<unknown>
  }
}

class Coverage {
  readonly #context: CoverageContext
  readonly #executed = new Set<string>()
  #open = 0

  constructor(context: CoverageContext) {
    this.#context = context
  }

  /** Collects from now on. @returns reports, and stops once it was called as often as this. */
  open(): () => Promise<void> {
    this.#open++
    setCollector('hardhat', { watch: () => new Statements(this.#executed), probe: COVERAGE })
    return async () => {
      if (--this.#open === 0) setCollector('hardhat', undefined)
      await this.flush()
    }
  }

  async flush(): Promise<void> {
    const tags = [...this.#executed]
    this.#executed.clear()
    if (tags.length > 0) await this.#context.hooks.runParallelHandlers('network', 'onCoverageData', [tags])
  }
}

/** Adds the statements of an execution to `all` if it counts; those of reverted frames too. */
class Statements implements Hooks {
  readonly #all: Set<string>
  readonly #executed = new Set<string>()

  constructor(all: Set<string>) {
    this.#all = all
  }

  onStart(): void {
    this.#executed.clear()
  }

  onEnter({ to, input }: FrameStart): void {
    if (to === COVERAGE && input.length === 32) this.#executed.add(bytesToHex(input).slice(2))
  }

  onKept(): void {
    for (const tag of this.#executed) this.#all.add(tag)
  }
}

const runs = new WeakMap<object, Coverage>()

/** The coverage of the run that a context belongs to. */
export function coverageOf(context: CoverageContext): Coverage {
  const known = runs.get(context.hooks) ?? new Coverage(context)
  runs.set(context.hooks, known)
  return known
}

/** Reports what the chains of a run have executed, if it is collected. */
export async function flushCoverage({ hooks }: Pick<CoverageContext, 'hooks'>): Promise<void> {
  await runs.get(hooks)?.flush()
}
