/** Recorded gas of transactions: plain data, which threads can exchange. */

import { toObject } from '../../base/schema.ts'
import type { Address, Hex } from '../../base/types.ts'

/** A code that was called or created. */
export interface RecordedCode {
  /** The code at the address. */
  readonly runtime: Hex
  /** The data of the transaction that created it; absent if none was recorded. */
  readonly creation?: Hex
}

/** Successful transactions of one kind that used the same gas. */
export interface GasSample {
  /** The contract that was called or created. */
  readonly address: Address
  /**
   * The index of its code in {@link GasRecord.codes}. For a proxy, the indices from the proxy's code to the code of the
   * implementation that ran.
   */
  readonly codes: readonly number[]
  /** The first 4 bytes of a call's data, or all of shorter data. Null for a deployment. */
  readonly selector: Hex | null
  /** The gas used, as in the receipt. */
  readonly gas: number
  /** The number of transactions. */
  readonly count: number
}

/** The gas of transactions, recorded by a {@link GasRecorder}; plain data. */
export interface GasRecord {
  readonly codes: readonly RecordedCode[]
  readonly samples: readonly GasSample[]
}

/** The name of the metadata, and of the value that the reporter provides to make workers record. */
export const GAS_META = 'presealGas'

/** The metadata of a file: the codes of its samples, and the deployments that its tests share. */
export interface FileGasMeta {
  readonly codes: readonly RecordedCode[]
  readonly deployments: readonly (readonly GasSample[])[]
}

/** Returns the record of a file and its passed tests, by their metadata; none if the file has no metadata. */
export function readMeta(file: unknown, tests: readonly unknown[]): GasRecord[] {
  const own = toObject(file)[GAS_META] as FileGasMeta | undefined
  if (own === undefined) return []
  const ofTests = tests.map((test) => toObject(test)[GAS_META] as readonly GasSample[] | undefined)
  return [{ codes: own.codes, samples: [...own.deployments, ...ofTests].flatMap((some) => some ?? []) }]
}
