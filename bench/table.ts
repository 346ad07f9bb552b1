import type { Row } from './rows/row.ts'

export interface Line {
  readonly row: Row
  /** By the engine's name; absent if it was not measured. */
  readonly values: Readonly<Record<string, number | undefined>>
}

/** One line per row: a column per engine, then the ratio of the first engine to each other one. */
export function formatTable(lines: readonly Line[], engines: readonly string[]): string {
  const [subject = '', ...peers] = engines
  const head = ['', 'unit', ...engines, ...peers.map((peer) => `${subject}/${peer}`)]
  const body = lines.map(({ row, values }) => [
    row.label,
    `${row.unit} ${row.unit === 'ops/s' ? '↑' : '↓'}`,
    ...engines.map((engine) => formatValue(values[engine])),
    ...peers.map((peer) => formatRatio(row, values[subject], values[peer])),
  ])
  return alignColumns([head, ...body])
}

/** The rows that missed their aim, and where their time goes. */
export function missedAims(lines: readonly Line[], subject: string): string[] {
  return lines.flatMap((line) =>
    [...missedRatios(line, subject), ...missedLimit(line, subject)].map((missed) =>
      line.row.spent === undefined ? missed : `${missed}; ${line.row.spent}`,
    ),
  )
}

function missedRatios({ row, values }: Line, subject: string): string[] {
  return Object.entries(row.aim ?? {}).flatMap(([peer, aim]) => {
    const ratio = ratioOf(row, values[subject], values[peer])
    if (ratio === undefined || ratio >= aim) return []
    return [`${row.label}: ×${formatValue(ratio)} of ${peer}, aimed at ×${aim}`]
  })
}

function missedLimit({ row, values }: Line, subject: string): string[] {
  const value = values[subject]
  if (row.limit === undefined || value === undefined) return []
  const holds = row.unit === 'ops/s' ? value >= row.limit : value <= row.limit
  return holds ? [] : [`${row.label}: ${formatValue(value)} ${row.unit}, limit ${row.limit}`]
}

/** Aligns the first column to the left, the others to the right. */
export function alignColumns(cells: readonly (readonly string[])[]): string {
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  )
  return cells
    .map((line) =>
      line
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n')
}

/** Three significant digits, or thousands. */
export function formatValue(value: number | undefined): string {
  if (value === undefined) return '–'
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en')
  return value.toPrecision(3)
}

function formatRatio(row: Row, subject: number | undefined, peer: number | undefined): string {
  const ratio = ratioOf(row, subject, peer)
  return ratio === undefined ? '–' : `×${formatValue(ratio)}`
}

/** The factor by which the first of two values of a row is better. */
export function ratioOf(row: Row, subject: number | undefined, peer: number | undefined): number | undefined {
  if (subject === undefined || peer === undefined || !(subject > 0 && peer > 0)) return undefined
  return row.unit === 'ops/s' ? subject / peer : peer / subject
}
