/** `.gas-snapshot`: the numbers of a report as lines of text, and the comparison of snapshots. */

import { check } from '../../base/options/option.ts'
import { compareTexts } from './attribute.ts'
import { type GasDeployments, type GasReport, type GasStatistics, PLAIN, type TextStyle } from './report.ts'

/** Loads the functions for files, which need Node. */
export function loadNode(): Promise<typeof import('./node.ts')> {
  return import('./node.ts')
}

/** The numbers that comparisons read: all except the number of transactions. */
const COMPARED = ['min', 'mean', 'median', 'max', 'size'] as const

/** A compared number of a snapshot. */
export type GasFigure = (typeof COMPARED)[number]

/** A number that differs from the snapshot by more than the tolerance. */
export interface GasChange {
  /** The contract and the method, such as `Token#transfer(address,uint256)` or `Token#constructor`. */
  readonly name: string
  readonly figure: GasFigure
  readonly expected: number
  readonly actual: number
}

/** The differences between an old and a new snapshot. */
export interface GasComparison {
  /** Sorted as in the snapshot. */
  readonly changed: readonly GasChange[]
  /** Names that only the new snapshot has. */
  readonly added: readonly string[]
  /** Names that only the old snapshot has. */
  readonly removed: readonly string[]
  /** Unreadable lines of the old snapshot. They are not compared, but the comparison does not pass. */
  readonly malformed: readonly string[]
}

/** Encodes a report as a `.gas-snapshot` file: a line per method and deployment. Equal reports give equal bytes. */
export function gasReportToSnapshot({ contracts }: GasReport): string {
  const lines = contracts.flatMap(({ name, deployments, methods }) => [
    ...(deployments === undefined ? [] : [toLine(`${name}#constructor`, deployments)]),
    ...methods.map((method) => toLine(`${name}#${method.signature}`, method)),
  ])
  return lines.sort(compareTexts).join('')
}

function toLine(name: string, statistics: GasStatistics | GasDeployments): string {
  const figures = COMPARED.filter((figure) => Object.hasOwn(statistics, figure)).map(
    (figure) => `${figure}: ${statistics[figure as keyof typeof statistics]}`,
  )
  return `${name} (${figures.join(', ')}, count: ${statistics.count})\n`
}

/**
 * Compares two snapshots, without the numbers of transactions.
 *
 * @param expected - the text of the stored snapshot.
 * @param actual - the text of the new snapshot.
 * @param tolerance - percent of the expected number by which a number may differ in either direction; by default 0.
 * @throws InvalidOptionError unless the tolerance is a number >= 0
 */
export function compareGasSnapshots(expected: string, actual: string, tolerance = 0): GasComparison {
  checkTolerance(tolerance)
  const [before, after] = [parseSnapshot(expected), parseSnapshot(actual)]
  const changed = [...before.lines].flatMap(([name, figures]) => {
    const other = after.lines.get(name)
    if (other === undefined) return []
    return COMPARED.flatMap((figure) => {
      const [expected, actual] = [figures.get(figure), other.get(figure)]
      if (expected === undefined || actual === undefined) return []
      // Without a division, so that a difference of exactly the tolerance passes.
      if (Math.abs(actual - expected) * 100 <= tolerance * expected) return []
      return [{ name, figure, expected, actual }]
    })
  })
  return {
    changed,
    added: [...after.lines.keys()].filter((name) => !before.lines.has(name)),
    removed: [...before.lines.keys()].filter((name) => !after.lines.has(name)),
    malformed: before.malformed,
  }
}

/** Whether a comparison passes. Added and removed lines do not fail it, as tests come and go. */
export function isGasComparisonPassed({ changed, malformed }: GasComparison): boolean {
  return changed.length === 0 && malformed.length === 0
}

/** @throws InvalidOptionError unless a tolerance is a number >= 0 */
export function checkTolerance(tolerance: unknown): void {
  check(typeof tolerance === 'number' && tolerance >= 0, 'tolerance', 'a number of percent >= 0')
}

const LINE = /^(.+) \(((?:\w+: \d+, )*\w+: \d+)\)$/

function parseSnapshot(text: string) {
  const lines = new Map<string, ReadonlyMap<string, number>>()
  const malformed: string[] = []
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') continue
    const [, name, figures] = LINE.exec(line) ?? []
    if (name === undefined) malformed.push(line)
    else lines.set(name, new Map(figures!.split(', ').map(toFigure)))
  }
  return { lines, malformed }
}

function toFigure(text: string): [string, number] {
  const [name, value] = text.split(': ')
  return [name!, Number(value)]
}

/** Whether to write the file: always, only if it does not exist, or never. */
export type SnapshotUpdate = 'all' | 'new' | 'none'

/** The location of a snapshot, and what to do with it. */
export interface SnapshotFile {
  /** Relative to `root`. */
  readonly path: string
  readonly root: string
  readonly update: SnapshotUpdate
  /** By how many percent a number may differ from the snapshot. */
  readonly tolerance: number
}

/**
 * Compares a report with a snapshot, or writes the snapshot if `update` says so. If they differ, the process will exit
 * with code 1. Returns a text for the terminal. @throws Node's error if the file cannot be read or written
 */
export async function checkSnapshot(
  report: GasReport,
  { path, root, update, tolerance }: SnapshotFile,
  style: TextStyle,
): Promise<string> {
  const node = await loadNode()
  const actual = gasReportToSnapshot(report)
  const expected = await node.readText(root, path)
  if (update === 'all' || (update === 'new' && expected === undefined)) {
    if (expected === actual) return `${path} is up to date\n`
    await node.writeText(root, path, actual)
    return `${path} was written\n`
  }
  const comparison = expected === undefined ? undefined : compareGasSnapshots(expected, actual, tolerance)
  const isPassed = comparison !== undefined && isGasComparisonPassed(comparison)
  if (!isPassed) node.failProcess()
  if (comparison === undefined)
    return style('red', `${path} does not exist: expected the numbers of a former run`)
  const verdict = isPassed ? style('green', `gas is as in ${path}`) : style('red', `gas differs from ${path}`)
  const allowed = isPassed && tolerance > 0 ? `, within ${tolerance} %` : ''
  return `${formatGasComparison(comparison, style)}${verdict}${allowed}\n`
}

/** Formats a comparison: changes in gas and percent, then added, removed and malformed lines. Returns '' if none. */
export function formatGasComparison(
  { changed, added, removed, malformed }: GasComparison,
  style: TextStyle = PLAIN,
): string {
  const width = Math.max(0, ...changed.map(({ name }) => name.length))
  const lines = [
    ...changed.map((change) => formatChange(change, width, style)),
    ...added.map((name) => style('green', `+ ${name}`)),
    ...removed.map((name) => style('dim', `- ${name}`)),
    ...malformed.map((line) => style('red', `cannot be read: ${line.slice(0, 200)}`)),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function formatChange(change: GasChange, width: number, style: TextStyle): string {
  const { name, figure, expected, actual } = change
  const difference = actual - expected
  const sign = difference > 0 ? '+' : ''
  const percent = expected === 0 ? '' : `, ${sign}${((difference / expected) * 100).toFixed(2)} %`
  const text = `${sign}${difference}${percent}`
  const changed = style(difference > 0 ? 'red' : 'green', `(${text})`)
  return `${name.padEnd(width)}  ${figure.padEnd(6)}  ${expected} → ${actual} ${changed}`
}
