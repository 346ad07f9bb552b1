/** Log filters, and the ids and kinds of filters and subscriptions (spec.md §2.3). */

import {
  array,
  createSchema,
  exact,
  object,
  optional,
  refine,
  type Schema,
  scalar,
  untouched,
} from '../../base/schema.ts'
import type { BlockTag, Hash, Hex } from '../../base/types.ts'
import { type IndexedLog, type LogQuery, matchesFilter } from '../../core/ledger/logIndex.ts'
import type { BlockPosition } from '../../core/view/sources.ts'
import { blockPosition } from './block.ts'
import { address, hash32, readText } from './scalars.ts'

/** The most addresses of a filter, and the most topics at one position; as in go-ethereum. */
export const MAX_FILTER_ITEMS = 1000

/** One item, or an array of at most {@link MAX_FILTER_ITEMS}. */
function oneOrMany<T, Wire>(item: Schema<T, Wire>): Schema<readonly T[], Wire | readonly Wire[]> {
  const many = array(item, { max: MAX_FILTER_ITEMS })
  return createSchema(`${item.expected}, or an array of them`, (value, position) =>
    Array.isArray(value) ? many.parse(value, position) : [item.parse(value, position)],
  )
}

/** A parsed log filter: what to match, and in which blocks. */
export interface LogFilter extends LogQuery {
  readonly blocks:
    | { readonly kind: 'range'; readonly from?: BlockPosition; readonly to?: BlockPosition }
    /** `rangeGiven`: fromBlock or toBlock was present too; their values are ignored (spec.md §4.2, rule 1). */
    | { readonly kind: 'hash'; readonly hash: Hash; readonly rangeGiven: boolean }
}

/** Null, or a null among several, matches any topic. */
const topicPosition = refine(oneOrMany(optional(hash32)), (wanted): readonly Hash[] | null => {
  const hashes = wanted.filter((hash) => hash !== undefined)
  return hashes.length < wanted.length ? null : hashes
})

/** The fields of a filter that say which logs match. */
export const LOG_QUERY = { address: optional(oneOrMany(address)), topics: optional(array(topicPosition)) }

/** A log filter (spec.md §2.3) with any number of topic positions. */
export const logFilter = refine(
  object({
    // Not parsed here: with a blockHash any value is ignored.
    fromBlock: optional(untouched<BlockTag | Hex>('a block number or tag')),
    toBlock: optional(untouched<BlockTag | Hex>('a block number or tag')),
    blockHash: optional(hash32),
    ...LOG_QUERY,
  }),
  ({ fromBlock, toBlock, blockHash, address: addresses, topics }, position): LogFilter => ({
    ...(addresses && { addresses }),
    ...(topics && { topics }),
    blocks: blockHash
      ? { kind: 'hash', hash: blockHash, rangeGiven: fromBlock !== undefined || toBlock !== undefined }
      : {
          kind: 'range',
          ...(fromBlock && { from: blockPosition.parse(fromBlock.value, `${position}.fromBlock`) }),
          ...(toBlock && { to: blockPosition.parse(toBlock.value, `${position}.toBlock`) }),
        },
  }),
)

/** The filter of a subscription to logs: a range bounds it by its numbers, as those of a filter for new logs. */
export const subscribedLogs = exact(logFilter, ['fromBlock', 'toBlock', ...Object.keys(LOG_QUERY)])

/** The numbers of blocks that bound new logs. Tags do not bound them, as they move with the chain. */
export function boundsOf({ blocks }: LogFilter): LogBounds {
  if (blocks.kind === 'hash') return {}
  const { from, to } = blocks
  return {
    ...(from?.kind === 'number' && { from: from.number }),
    ...(to?.kind === 'number' && { to: to.number }),
  }
}

/** The first and the last block whose logs are wanted; undefined if all are. */
export interface LogBounds {
  readonly from?: bigint
  readonly to?: bigint
}

/** Whether a log matches a filter, and its block lies within the bounds. */
export function isWanted(log: IndexedLog, query: LogQuery, { from, to }: LogBounds): boolean {
  return (
    matchesFilter(log, query) &&
    (from === undefined || log.blockNumber >= from) &&
    (to === undefined || log.blockNumber <= to)
  )
}

/** The id of a filter or a subscription. */
export const filterId = scalar<Hex, Hex>('the id of a filter or a subscription', (value) =>
  typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? (value.toLowerCase() as Hex) : undefined,
)

/** The name of a kind of subscription. */
export const subscriptionKind = scalar<string, string>('the name of a subscription', readText)

/** The option of a subscription; its form depends on the kind. */
export const subscriptionOption = scalar<unknown, unknown>('an option of the subscription', (value) => value)
