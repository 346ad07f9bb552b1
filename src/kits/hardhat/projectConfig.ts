/** The option `preseal` of the whole project: its shapes, what is wrong with it, and what it resolves to. */

import { SchemaError } from '../../base/errors.ts'
import { group, option, parseFields } from '../../base/options/option.ts'
import { isObject, scalar } from '../../base/schema.ts'
import type { Problem } from './networkOptions.ts'

/** The option `preseal` of Hardhat's configuration; all of it can be left out. */
export interface PresealUserConfig {
  /** The gas of the project's tests. */
  readonly gas?: GasUserConfig | undefined
}

/** The option `preseal.gas` of Hardhat's configuration. */
export interface GasUserConfig {
  /**
   * A file of numbers that a run of all tests is compared with: true for `.gas-snapshot`; by default false. It is written if it
   * does not exist, unless `CI` is set, and by `--update-gas-snapshot`.
   */
  readonly snapshot?: boolean | string | undefined
  /** Percent by which a number may differ from the snapshot's without failing the run; by default 0. */
  readonly tolerance?: number | undefined
}

/** The option `preseal` in the resolved configuration. */
export interface PresealConfig {
  /** The gas of the project's tests. */
  readonly gas: GasConfig
}

/** The option `preseal.gas` in the resolved configuration. */
export interface GasConfig {
  /** The file, relative to the root of the project; undefined for none. */
  readonly snapshot: string | undefined
  /** Percent. */
  readonly tolerance: number
}

const GAS_OPTIONS = {
  snapshot: option(
    scalar<boolean | string, boolean | string>('true, false or a path', (value) =>
      typeof value === 'boolean' || (typeof value === 'string' && value !== '') ? value : undefined,
    ),
    { default: false },
  ),
  tolerance: option(
    scalar<number, number>('a number of percent >= 0', (value) =>
      typeof value === 'number' && value >= 0 ? value : undefined,
    ),
    { default: 0 },
  ),
} satisfies Record<keyof GasUserConfig, unknown>

const OPTIONS = { gas: group(GAS_OPTIONS) }

/** All that cannot be used. */
export function findProjectProblems(preseal: unknown): Problem[] {
  if (!isObject(preseal)) return [{ path: ['preseal'], message: 'Expected an object' }]
  const { gas } = preseal
  // Each by itself, so that all are reported, not only the first.
  const parts = isObject(gas)
    ? [...toParts({ ...preseal, gas: undefined }), ...toParts(gas).map((part) => ({ gas: part }))]
    : toParts(preseal)
  return parts.flatMap((part) => {
    try {
      parseFields(OPTIONS, part, 'preseal')
      return []
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      return [{ path: error.path.split('.'), message: `Expected ${error.expected}` }]
    }
  })
}

function toParts(values: object): object[] {
  return Object.entries(values).map(([name, value]) => ({ [name]: value }))
}

/** An option without problems, as it is in the resolved configuration. */
export function resolveProject(preseal: PresealUserConfig): PresealConfig {
  const { snapshot, tolerance } = parseFields(OPTIONS, preseal, 'preseal').gas
  const path = snapshot === true ? '.gas-snapshot' : snapshot
  return { gas: { snapshot: path === false ? undefined : path, tolerance } }
}
