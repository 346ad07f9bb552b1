/** What is recorded of the gas of transactions: plain data, which threads can exchange. */

import { isObject } from '../../base/schema.ts'
import type { Address, Hex } from '../../base/types.ts'

/** A code that was called or created. */
export interface RecordedCode {
  /** The code at the address. */
  readonly runtime: Hex
  /** The data of a transaction that created it; absent if no recorded one did. */
  readonly creation?: Hex
}

/** Successful transactions of one kind that used the same gas. */
export interface GasSample {
  /** A contract that was called or created. */
  readonly address: Address
  /** Its code, as an index of {@link GasRecord.codes}; of a proxy its own first, and last the implementation that ran. */
  readonly codes: readonly number[]
  /** The first 4 bytes of the data of a call, all of it if it has fewer. Null for a deployment. */
  readonly selector: Hex | null
  /** Gas used, as in the receipt. */
  readonly gas: number
  /** How many transactions there were. */
  readonly count: number
}

/** The gas of transactions, as a {@link GasRecorder} has recorded it; plain data. */
export interface GasRecord {
  readonly codes: readonly RecordedCode[]
  readonly samples: readonly GasSample[]
}

/** The name of the metadata, and of the value by which the reporter asks the workers to record. */
export const GAS_META = 'presealGas'

/** Of a file: the codes of its samples, and the deployments that its tests share. */
export interface FileGasMeta {
  readonly codes: readonly RecordedCode[]
  readonly deployments: readonly (readonly GasSample[])[]
}

/** Of a test: the samples of its last attempt. */
export type TestGasMeta = readonly GasSample[]

/** The records of a file and of its tests that passed. */
export function readMeta(file: unknown, tests: readonly unknown[]): GasRecord[] {
  const own = (isObject(file) ? file[GAS_META] : undefined) as FileGasMeta | undefined
  if (own === undefined) return []
  const ofTests = tests.map(
    (test) => (isObject(test) ? test[GAS_META] : undefined) as TestGasMeta | undefined,
  )
  const samples = [...own.deployments, ...ofTests].flatMap((some) => some ?? [])
  return [{ codes: own.codes, samples }]
}
