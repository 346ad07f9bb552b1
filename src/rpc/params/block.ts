/** Parameters that name blocks (spec.md §2.1). */
import { quantity } from '../../base/bytes.ts'
import { SchemaError } from '../../base/errors.ts'
import {
  array,
  createSchema,
  isObject,
  object,
  optional,
  refine,
  type Schema,
  scalar,
} from '../../base/schema.ts'
import type { BlockParameter, BlockTag, Hash, Hex } from '../../base/types.ts'
import type { BlockPosition, BlockReference } from '../../core/view/sources.ts'
import { boolean, hash32, readHash32, readIndex, readInteger64 } from './scalars.ts'

const TAGS: readonly unknown[] = ['latest', 'pending', 'safe', 'finalized', 'earliest'] satisfies BlockTag[]

function readBlockPosition(value: unknown): BlockPosition | undefined {
  if (TAGS.includes(value)) return { kind: 'tag', tag: value as BlockTag }
  const number = readInteger64(value)
  return number === undefined ? undefined : { kind: 'number', number }
}

/** A block by tag or number (spec.md §2.1). */
export const blockPosition = scalar<BlockPosition, BlockTag | Hex>('a block number or tag', readBlockPosition)

/** A block by tag or number, which may be a JSON number. */
export const numberedBlock = scalar<BlockPosition, BlockTag | Hex | number>(
  'a block number or tag',
  (value) =>
    readBlockPosition(
      Number.isSafeInteger(value) && (value as number) >= 0 ? quantity(value as number) : value,
    ),
)

/** A block by its hash alone. */
export const blockHash: Schema<BlockReference, Hash> = refine(hash32, (hash) => ({
  kind: 'hash',
  hash,
  requireCanonical: false,
}))

const blockObject = object({
  blockNumber: optional(blockPosition),
  blockHash: optional(hash32),
  requireCanonical: optional(boolean),
})

/** A block by tag, number, hash, or EIP-1898 object with a blockNumber or a blockHash. */
export const blockParameter: Schema<BlockReference, BlockParameter> = createSchema(
  'a block number, tag or hash',
  (value, position) => {
    if (isObject(value)) {
      const { blockNumber, blockHash: hash, requireCanonical = false } = blockObject.parse(value, position)
      if (blockNumber && !hash) return blockNumber
      if (hash && !blockNumber) return { kind: 'hash', hash, requireCanonical }
      throw new SchemaError(position, 'either blockNumber or blockHash')
    }
    const hash = readHash32(value)
    if (hash) return { kind: 'hash', hash, requireCanonical: false }
    const block = readBlockPosition(value)
    if (block) return block
    throw new SchemaError(position, 'a block number, tag or hash')
  },
)

/** The most blocks of eth_feeHistory. */
const MAX_FEE_HISTORY = 1024

/** The number of blocks of eth_feeHistory: a hex quantity, or a JSON number, which some clients send; at most 1024 are read. */
export const feeHistoryCount = scalar<number, Hex | number>('a number of blocks', (value) => {
  const count = typeof value === 'number' ? value : readIndex(value)
  return Number.isSafeInteger(count) && count! >= 0 ? Math.min(count!, MAX_FEE_HISTORY) : undefined
})

const percentile = scalar<number, number>('a percentile from 0 to 100', (value) =>
  typeof value === 'number' && value >= 0 && value <= 100 ? value : undefined,
)

/** The percentiles of eth_feeHistory's rewards, in ascending order; an empty list means none. */
export const percentiles = refine(array(percentile, { max: 100 }), (values, position) => {
  const falling = values.findIndex((value, i) => i > 0 && value < values[i - 1]!)
  if (falling < 0) return values.length > 0 ? values : undefined
  throw new SchemaError(`${position}[${falling}]`, `a percentile >= ${values[falling - 1]}, the one before`)
})
