/** Parameters that name blocks (spec.md §2.1), and log filters (§2.3). */

import { quantity } from '../../base/bytes.ts'
import { SchemaError } from '../../base/errors.ts'
import {
  array,
  createSchema,
  exact,
  isObject,
  object,
  optional,
  refine,
  type Schema,
  scalar,
  untouched,
} from '../../base/schema.ts'
import type { BlockParameter, BlockTag, Hash, Hex } from '../../base/types.ts'
import { type IndexedLog, type LogQuery, matchesFilter } from '../../core/ledger/logIndex.ts'
import type { BlockPosition, BlockReference } from '../../core/view/sources.ts'
import { address, boolean, hash32, readHash32, readIndex, readInteger64, readText } from './params.ts'

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

/** How many blocks eth_feeHistory returns at most. */
const MAX_FEE_HISTORY = 1024

/** Number of blocks of eth_feeHistory, lowered to 1024 if higher; also a JSON number, which some clients send. */
export const feeHistoryCount = scalar<number, Hex | number>('a number of blocks', (value) => {
  const count = typeof value === 'number' ? value : readIndex(value)
  return Number.isSafeInteger(count) && count! >= 0 ? Math.min(count!, MAX_FEE_HISTORY) : undefined
})

const percentile = scalar<number, number>('a percentile from 0 to 100', (value) =>
  typeof value === 'number' && value >= 0 && value <= 100 ? value : undefined,
)

/** Percentiles of eth_feeHistory's rewards, ascending; an empty list means none. */
export const percentiles = refine(array(percentile, { max: 100 }), (values, position) => {
  const falling = values.findIndex((value, i) => i > 0 && value < values[i - 1]!)
  if (falling < 0) return values.length > 0 ? values : undefined
  throw new SchemaError(`${position}[${falling}]`, `a percentile >= ${values[falling - 1]}, the one before`)
})

/** Maximum number of addresses of a filter, and of topics at one position, as in go-ethereum. */
export const MAX_FILTER_ITEMS = 1000

/** One item, or an array of at most {@link MAX_FILTER_ITEMS}. */
function oneOrMany<T, Wire>(item: Schema<T, Wire>): Schema<readonly T[], Wire | readonly Wire[]> {
  const many = array(item, { max: MAX_FILTER_ITEMS })
  return createSchema(`${item.expected}, or an array of them`, (value, position) =>
    Array.isArray(value) ? many.parse(value, position) : [item.parse(value, position)],
  )
}

/** A log filter: addresses and topics, and the blocks to search. */
export interface LogFilter extends LogQuery {
  readonly blocks:
    | { readonly kind: 'range'; readonly from?: BlockPosition; readonly to?: BlockPosition }
    /** `rangeGiven`: whether fromBlock or toBlock is also present. Their values are ignored (spec.md §4.2, rule 1). */
    | { readonly kind: 'hash'; readonly hash: Hash; readonly rangeGiven: boolean }
}

/** The topics to match at one position. Null, alone or in the array, matches any topic. */
const topicPosition = refine(oneOrMany(optional(hash32)), (wanted): readonly Hash[] | null => {
  const hashes = wanted.filter((hash) => hash !== undefined)
  return hashes.length < wanted.length ? null : hashes
})

/** Fields of a filter that select logs. */
export const LOG_QUERY = {
  address: optional(oneOrMany(address)),
  topics: optional(array(topicPosition)),
} satisfies Record<keyof LogQuery, unknown>

/** A log filter (spec.md §2.3) with any number of topic positions. */
export const logFilter = refine(
  object({
    // Not parsed here: with a blockHash, any value is ignored.
    fromBlock: optional(untouched<BlockTag | Hex>('a block number or tag')),
    toBlock: optional(untouched<BlockTag | Hex>('a block number or tag')),
    blockHash: optional(hash32),
    ...LOG_QUERY,
  }),
  ({ fromBlock, toBlock, blockHash, ...query }, position): LogFilter => ({
    ...query,
    blocks: blockHash
      ? { kind: 'hash', hash: blockHash, rangeGiven: fromBlock !== undefined || toBlock !== undefined }
      : {
          kind: 'range',
          ...(fromBlock && { from: blockPosition.parse(fromBlock.value, `${position}.fromBlock`) }),
          ...(toBlock && { to: blockPosition.parse(toBlock.value, `${position}.toBlock`) }),
        },
  }),
)

/** The filter of a log subscription. Block numbers limit which new logs are sent, as in a log filter. */
export const subscribedLogs = exact(logFilter, ['fromBlock', 'toBlock', ...Object.keys(LOG_QUERY)])

/** Whether a filter selects a new log. Block numbers limit the logs; tags do not, since they move with the chain. */
export function isWanted(log: IndexedLog, filter: LogFilter): boolean {
  if (!matchesFilter(log, filter)) return false
  if (filter.blocks.kind === 'hash') return true
  const { from, to } = filter.blocks
  return (
    (from?.kind !== 'number' || log.blockNumber >= from.number) &&
    (to?.kind !== 'number' || log.blockNumber <= to.number)
  )
}

/** Id of a filter or a subscription. */
export const filterId = scalar<Hex, Hex>('the id of a filter or a subscription', (value) =>
  typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? (value.toLowerCase() as Hex) : undefined,
)

/** Name of a kind of subscription. */
export const subscriptionKind = scalar<string, string>('the name of a subscription', readText)

/** Option of a subscription; its form depends on the kind. */
export const subscriptionOption = scalar<unknown, unknown>('an option of the subscription', (value) => value)
