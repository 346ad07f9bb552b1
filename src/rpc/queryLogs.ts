/** The logs a filter asks for, within the limits. */
import { TooManyLogsError } from '../ledger/errors.ts'
import { indexLogs } from '../ledger/ledger.ts'
import { type IndexedLog, matchesFilter } from '../ledger/logIndex.ts'
import type { RpcLog } from '../primitives/rpcTypes.ts'
import type { MaybePromise } from '../primitives/types.ts'
import { createYielder, type Pause } from '../primitives/yielder.ts'
import type { ViewedTip } from '../view/viewedTip.ts'
import type { DialectRules } from './dialect.ts'
import {
  BlockHashWithRangeError,
  BlockRangeBeyondHeadError,
  BlockRangeTooLargeError,
  UnknownBlockError,
} from './errors.ts'
import { toRpcLog } from './format/format.ts'
import type { LogFilter } from './params/logs.ts'
import type { ReadServices } from './services.ts'

/**
 * Everything a filter matches on one captured tip, each log once and in order.
 *
 * @throws UnknownBlockError, InvalidBlockRangeError, BlockRangeTooLargeError, TooManyLogsError
 * @throws BlockHashWithRangeError, BlockRangeBeyondHeadError if the dialect has them.
 * @throws StateUnavailableError for a block older than the history.
 */
export async function queryLogs(
  filter: LogFilter,
  viewed: ViewedTip,
  { limits, clock }: Pick<ReadServices, 'limits' | 'clock'>,
  dialect: DialectRules,
): Promise<RpcLog[]> {
  checkLogFilter(filter, dialect)
  const pause = createYielder(clock)
  const found =
    filter.blocks.kind === 'hash'
      ? logsOfBlock(filter, viewed)
      : logsOfRange(filter, viewed, limits, dialect, pause)
  const logs = found instanceof Promise ? await found : found
  if (logs.length > limits.logResults) throw new TooManyLogsError(limits.logResults)
  return toRpcLogs(logs, pause)
}

/** Logs as the wire has them. @param pause - called every {@link STRETCH} logs. */
export function toRpcLogs(logs: readonly IndexedLog[], pause: Pause): MaybePromise<RpcLog[]> {
  return logs.length < STRETCH ? logs.map((log) => toRpcLog(log)) : toManyRpcLogs(logs, pause)
}

async function toManyRpcLogs(logs: readonly IndexedLog[], pause: Pause): Promise<RpcLog[]> {
  const shown: RpcLog[] = []
  for (const log of logs) {
    shown.push(toRpcLog(log))
    if (shown.length % STRETCH === 0) await pause()
  }
  return shown
}

/** Logs that are made before time is looked at. */
const STRETCH = 64

/** @throws BlockHashWithRangeError if the dialect refuses what the filter names. */
export function checkLogFilter({ blocks }: LogFilter, dialect: DialectRules): void {
  if (blocks.kind === 'hash' && blocks.rangeGiven && !dialect.ignoresRangeBesideHash) {
    throw new BlockHashWithRangeError()
  }
}

async function logsOfBlock(filter: LogFilter, viewed: ViewedTip): Promise<IndexedLog[]> {
  if (filter.blocks.kind !== 'hash') return []
  const view = await viewed.find({ kind: 'hash', hash: filter.blocks.hash, requireCanonical: false })
  if (view === undefined) throw new UnknownBlockError()
  const { block, receipts } = view
  return indexLogs({ ...block, receipts }).filter((log) => matchesFilter(log, filter))
}

function logsOfRange(
  filter: LogFilter,
  viewed: ViewedTip,
  { logBlockRange }: ReadServices['limits'],
  { clipsLogRanges }: DialectRules,
  pause: Pause,
): MaybePromise<IndexedLog[]> {
  if (filter.blocks.kind !== 'range') return []
  const { from, to } = filter.blocks
  if (!clipsLogRanges && (viewed.isBeyond(from) || viewed.isBeyond(to))) throw new BlockRangeBeyondHeadError()
  const range = viewed.logRange(from, to)
  if (range === undefined) return []
  const blocks = range.to - range.from + 1n
  if (blocks > BigInt(logBlockRange)) throw new BlockRangeTooLargeError(blocks, logBlockRange)
  return viewed.logs(filter, range, pause)
}
