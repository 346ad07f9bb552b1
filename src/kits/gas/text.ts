/** Reports and comparisons as text for a terminal. */
import type { GasContract, GasMethod, GasReport, GasStatistics } from './report.ts'
import type { GasChange, GasComparison } from './snapshot.ts'

/** Formats a text, as `styleText` of `node:util` does. */
export type TextStyle = (format: 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string

const PLAIN: TextStyle = (_format, text) => text

const HEAD = ['Gas of transactions', 'count', 'min', 'mean', 'median', 'max', 'size']

interface Row {
  readonly cells: readonly string[]
  readonly style: (line: string, style: TextStyle) => string
}

/**
 * A report as a table: per contract its deployments, with the size of the code in bytes, and its methods.
 *
 * @param style - adds colours, such as `styleText` of `node:util`; by default there are none.
 */
export function formatGasReport({ contracts, notes }: GasReport, style: TextStyle = PLAIN): string {
  const rows: readonly Row[] = [
    { cells: HEAD, style: (line, style) => style('bold', line) },
    ...contracts.flatMap(toRows),
  ]
  const widths = HEAD.map((_, column) => Math.max(...rows.map(({ cells }) => cells[column]?.length ?? 0)))
  const lines = rows.map((row) => row.style(align(row.cells, widths), style))
  if (contracts.length === 0) lines.push('  no transaction called or created a contract')
  return [...lines, ...notes.map((note) => style('yellow', `note: ${note}`)), ''].join('\n')
}

function toRows({ name, deployments, methods }: GasContract): Row[] {
  const isPlain = (line: string): string => line
  return [
    { cells: [name], style: (line, style) => style('cyan', line) },
    ...(deployments === undefined
      ? []
      : [{ cells: [...toCells('constructor', deployments), `${deployments.size}`], style: isPlain }]),
    ...methods.map((method) => ({ cells: toCells(toShort(method, methods), method), style: isPlain })),
  ]
}

/** The name of a method without the types of its parameters, unless it is overloaded. */
function toShort({ signature }: GasMethod, methods: readonly GasMethod[]): string {
  const nameOf = (one: string): string => one.split('(')[0]!
  const isOverloaded = methods.filter((other) => nameOf(other.signature) === nameOf(signature)).length > 1
  return isOverloaded ? signature : nameOf(signature)
}

function toCells(name: string, { count, min, mean, median, max }: GasStatistics): string[] {
  return [`  ${name}`, ...[count, min, mean, median, max].map(String)]
}

/** The first column to the left, the others to the right. */
function align(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
    .join('  ')
    .trimEnd()
}

/**
 * A comparison as text: what changed, with the difference in gas and in percent, what was added, and what is gone. Empty if
 * there is nothing to say.
 */
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

function formatChange(
  { name, figure, expected, actual }: GasChange,
  width: number,
  style: TextStyle,
): string {
  const difference = actual - expected
  const sign = difference > 0 ? '+' : ''
  const percent = expected === 0 ? '' : `, ${sign}${((difference / expected) * 100).toFixed(2)} %`
  const text = `${sign}${difference}${percent}`
  const changed = style(difference > 0 ? 'red' : 'green', `(${text})`)
  return `${name.padEnd(width)}  ${figure.padEnd(6)}  ${expected} → ${actual} ${changed}`
}
