/**
 * Collects executed statements for Hardhat's `--coverage`, which makes the report. Each statement of an instrumented
 * contract calls an address without code, with the statement's number as input. Owns: the numbers until they are
 * reported, and the process's collector while a chain is open.
 */

import { bytesToHex } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import type { Address } from '../../base/types.ts'
import type { Hooks } from '../../ethereum/evm/executor.ts'
import { setCollector } from '../../ethereum/evm/hooks.ts'
import type { ReportContext, ReportHooks } from './gasStats.ts'

/** The address that instrumented contracts call (Hardhat's `coverage.sol`). */
const COVERAGE: Address = '0xc0bec0bec0bec0bec0bec0bec0bec0bec0bec0be'

type Coverage = ReturnType<typeof createCoverage>

function createCoverage(hooks: ReportHooks) {
  const executed = new Set<string>()
  let chains = 0
  const flush = async (): Promise<void> => {
    const tags = [...executed]
    executed.clear()
    if (tags.length > 0) await hooks.runParallelHandlers('network', 'onCoverageData', [tags])
  }
  return {
    /** Starts collecting for a chain. Returns a function that reports, and stops collecting when no chain is left. */
    open(): () => Promise<void> {
      chains++
      setCollector('hardhat', { watch: () => collectStatements(executed), probe: COVERAGE })
      return async () => {
        if (--chains === 0) setCollector('hardhat', undefined)
        await flush()
      }
    },
    flush,
  }
}

/** Collects the statements of an execution, including reverted frames. Adds them to `all` if the execution is kept. */
function collectStatements(all: Set<string>): Hooks {
  const executed = new Set<string>()
  return {
    onStart: () => executed.clear(),
    onEnter({ to, input }) {
      if (to === COVERAGE && input.length === 32) executed.add(bytesToHex(input).slice(2))
    },
    onKept() {
      for (const tag of executed) all.add(tag)
    },
  }
}

const runs = new WeakMap<object, Coverage>()

/** Returns the coverage of the run to which a hook's context belongs. */
export function coverageOf({ hooks }: Pick<ReportContext, 'hooks'>): Coverage {
  return getOrInsert(runs, hooks, () => createCoverage(hooks))
}
