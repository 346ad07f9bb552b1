/** Collects in this process what the report is made of. */
import { collectorOf, setCollector } from '../../ethereum/evm/watchedExecution.ts'
import { Collector } from './collector.ts'
import { createFileName, removeExecuted, resolvePath, writeExecuted } from './files.ts'

/**
 * Begins to collect: from now on all chains of this process count the instructions of calls, of estimates that fail, and of
 * transactions as they are pre-confirmed. Has no effect if it has begun.
 */
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
  collector.name ??= createFileName()
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
