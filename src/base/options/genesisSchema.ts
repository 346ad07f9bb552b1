/** The checks of a geth `genesis.json` before a chain starts from it. */
import { SchemaError } from '../errors.ts'
import { createSchema, type Schema } from '../schema.ts'
import type { GethGenesis } from '../types.ts'
import { chainId, MAX_BLOCK_GAS, MIN_BLOCK_GAS } from './optionSchemas.ts'

/** Parses a number of a genesis, decimal or hex; undefined if it is malformed. */
export function genesisQuantity(value: unknown): bigint | undefined {
  try {
    return BigInt(value as string)
  } catch {
    return undefined
  }
}

/** The schema of a parsed geth genesis. */
export const genesis: Schema<GethGenesis, GethGenesis> = createSchema(
  'a parsed geth genesis.json',
  (value, path) => {
    if (!isObject(value)) throw new SchemaError(path, 'a parsed geth genesis.json')
    const { config, alloc, gasLimit } = value as Partial<GethGenesis>
    chainId.parse(config?.chainId, `${path}.config.chainId`)
    if (!isObject(alloc)) throw new SchemaError(`${path}.alloc`, 'an object of accounts by address')
    const gas = genesisQuantity(gasLimit)
    if (gas === undefined || gas < MIN_BLOCK_GAS || gas > MAX_BLOCK_GAS) {
      throw new SchemaError(`${path}.gasLimit`, 'a quantity from 5,000 to 2^63 - 1')
    }
    return value as GethGenesis
  },
)

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
