/** What the workers of a test runner report to its reporter, as metadata of tests and of files. */
import { isObject } from '../../base/schema.ts'
import type { GasRecord, GasSample, RecordedCode } from './record.ts'

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
