import type { Engine } from '../engines/engine.ts'
import type { Workload } from '../workload.ts'

export interface Row {
  readonly label: string
  /** Of `ms` and `MiB` less is better, of `ops/s` more. */
  readonly unit: 'ms' | 'ops/s' | 'MiB'
  /** How many times as good as each peer preseal is meant to be. */
  readonly aim?: { readonly ganache?: number; readonly edr?: number; readonly anvil?: number }
  /** What preseal is meant not to exceed, whatever its peers do; of `ops/s`, not to fall short of. */
  readonly limit?: number
  /** Where the time goes, for those who find the aim missed. */
  readonly spent?: string
}

/** Rows measured together, in a process of their own per engine and run. */
export interface RowGroup {
  /** What `--only` takes. */
  readonly name: string
  readonly rows: readonly Row[]
  /** One value per row, in order; null where the row is not for this engine. */
  measure(engine: Engine, workload: Workload): Promise<readonly (number | null)[]>
}
