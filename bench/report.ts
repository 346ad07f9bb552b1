/** The figures of a run as JSON: what `--json` writes, and the documentation draws. */
import { cpus } from 'node:os'
import type { Line } from './table.ts'

/** The figures of a run. */
export interface Report {
  readonly measured: {
    /** The day, as in ISO 8601. */
    readonly date: string
    readonly machine: string
    /** The version of Node. */
    readonly node: string
  }
  readonly rows: readonly {
    readonly label: string
    /** For `ops/s` higher is better, for the others lower. */
    readonly unit: 'ms' | 'ops/s' | 'MiB'
    /** By the engine's name, to four digits; absent if it was not measured. */
    readonly values: Readonly<Partial<Record<string, number>>>
  }[]
}

/** The lines of the table as the text of a file. */
export function formatReport(lines: readonly Line[]): string {
  const report: Report = {
    measured: {
      date: new Date().toISOString().slice(0, 10),
      machine: `${cpus().length} cores, ${process.platform} on ${process.arch}`,
      node: process.versions.node,
    },
    rows: lines.map(({ row: { label, unit }, values }) => ({
      label,
      unit,
      values: Object.fromEntries(
        Object.entries(values).flatMap(([engine, value]) =>
          value === undefined ? [] : [[engine, Number(value.toPrecision(4))]],
        ),
      ),
    })),
  }
  return `${JSON.stringify(report, null, 2)}\n`
}
