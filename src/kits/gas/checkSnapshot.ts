/** Checks a report against the snapshot in a file, or writes it. */
import { loadNode } from './files.ts'
import type { GasReport } from './report.ts'
import { compareGasSnapshots, gasReportToSnapshot, isGasComparisonPassed } from './snapshot.ts'
import { formatGasComparison, type TextStyle } from './text.ts'

/** Whether a file is written: always, if it does not exist, or never. */
export type SnapshotUpdate = 'all' | 'new' | 'none'

/** Where a snapshot is, and what is done with it. */
export interface SnapshotFile {
  /** Relative to `root`. */
  readonly path: string
  readonly root: string
  readonly update: SnapshotUpdate
  /** Percent by which a number may differ. */
  readonly tolerance: number
}

/** The outcome of {@link checkSnapshot}. */
export interface CheckedSnapshot {
  readonly isPassed: boolean
  readonly text: string
}

/** Checks a report, or writes it. @throws what Node throws if the file cannot be read or written. */
export async function checkSnapshot(
  report: GasReport,
  { path, root, update, tolerance }: SnapshotFile,
  style: TextStyle,
): Promise<CheckedSnapshot> {
  const node = await loadNode()
  const actual = gasReportToSnapshot(report)
  const expected = await node.readText(root, path)
  if (update === 'all' || (update === 'new' && expected === undefined)) {
    if (expected === actual) return { isPassed: true, text: `${path} is up to date\n` }
    await node.writeText(root, path, actual)
    return { isPassed: true, text: `${path} was written\n` }
  }
  if (expected === undefined) {
    return {
      isPassed: false,
      text: style('red', `${path} does not exist: expected the numbers of a former run`),
    }
  }
  const comparison = compareGasSnapshots(expected, actual, tolerance)
  const isPassed = isGasComparisonPassed(comparison)
  const verdict = isPassed ? style('green', `gas is as in ${path}`) : style('red', `gas differs from ${path}`)
  const allowed = tolerance > 0 ? `, within ${tolerance} %` : ''
  return { isPassed, text: `${formatGasComparison(comparison, style)}${verdict}${isPassed ? allowed : ''}\n` }
}
