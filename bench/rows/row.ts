import type { Engine } from '../engines/engine.ts'
import type { Workload } from '../workload.ts'

export interface Row {
  readonly label: string
  /** For `ops/s` higher is better, for the others lower. */
  readonly unit: 'ms' | 'ops/s' | 'MiB'
  /** The ratio to each peer that preseal aims at. */
  readonly aim?: { readonly ganache?: number; readonly edr?: number; readonly anvil?: number }
  /** The value that preseal must not exceed, independent of its peers; for `ops/s`, not fall below. */
  readonly limit?: number
  /** Where the time goes, printed if the aim is missed. */
  readonly spent?: string
}

/** Rows measured together, in one process per engine and run. */
export interface RowGroup {
  /** The name for `--only`. */
  readonly name: string
  readonly rows: readonly Row[]
  /** One value per row, in order; null if the row does not apply to this engine. */
  measure(engine: Engine, workload: Workload): Promise<readonly (number | null)[]>
}
