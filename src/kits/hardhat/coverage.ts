/**
 * Collects the executed statements for Hardhat's `--coverage`, which makes the report. Hardhat compiles contracts so
 * that each statement calls an address without code, with the statement's number as the input.
 *
 * Owns: the numbers of executed statements until they are reported, and the process's collector while a chain is open.
 */

import { bytesToHex } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import type { Address } from '../../base/types.ts'
import type { FrameStart, Hooks } from '../../ethereum/evm/executor.ts'
import { setCollector } from '../../ethereum/evm/hooks.ts'

/** The address that instrumented contracts call (Hardhat's `coverage.sol`). */
const COVERAGE: Address = '0xc0bec0bec0bec0bec0bec0bec0bec0bec0bec0be'

/** The used part of a hook's context. */
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

  /**
   * Starts collecting for a chain.
   *
   * @returns a function that reports, and stops collecting after the last open chain.
   */
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

/** Collects the statements of an execution, including reverted frames. Adds them to `all` if its result is used. */
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

/** Returns the coverage of the run to which a hook's context belongs. */
export function coverageOf(context: CoverageContext): Coverage {
  return getOrInsert(runs, context.hooks, () => new Coverage(context))
}

/** Reports the statements that the chains of a run have executed, if they are collected. */
export async function flushCoverage({ hooks }: Pick<CoverageContext, 'hooks'>): Promise<void> {
  await runs.get(hooks)?.flush()
}
