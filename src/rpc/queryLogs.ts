import type { PresealRpcLog } from '../base/rpcTypes.ts'
import type { Hash, MaybePromise } from '../base/types.ts'
import { createYielder, type Pause } from '../base/waiting.ts'
import { TooManyLogsError } from '../core/ledger/errors.ts'
import { type IndexedLog, indexLogs, type LogQuery, matchesFilter } from '../core/ledger/logIndex.ts'
import type { BlockPosition } from '../core/view/sources.ts'
import type { LogRange, ViewedTip } from '../core/view/view.ts'
import type { DialectRules } from './dialect.ts'
import {
  BlockHashWithRangeError,
  BlockRangeBeyondHeadError,
  BlockRangeTooLargeError,
  UnknownBlockError,
} from './errors.ts'
import { toRpcLog } from './format/format.ts'
import type { LogFilter } from './params/block.ts'
import type { ReadServices } from './services.ts'

/** Returns the logs that match a filter on one captured tip, each once and in order. @throws as eth_getLogs does */
export async function queryLogs(
  filter: LogFilter,
  viewed: ViewedTip,
  { limits, clock }: Pick<ReadServices, 'limits' | 'clock'>,
  dialect: DialectRules,
): Promise<PresealRpcLog[]> {
  checkLogFilter(filter, dialect)
  const pause = createYielder(clock)
  const { blocks } = filter
  let found: MaybePromise<IndexedLog[]> = []
  if (blocks.kind === 'hash') found = logsOfBlock(filter, blocks.hash, viewed)
  else {
    const range = resolveLogRange(blocks, viewed, limits, dialect)
    if (range !== undefined) found = viewed.logs(filter, range, limits.logResults, pause)
  }
  const logs = found instanceof Promise ? await found : found
  if (logs.length > limits.logResults) throw new TooManyLogsError(limits.logResults)
  return toRpcLogs(logs, pause)
}

/** Converts logs to the wire format. @param pause - called every {@link LOGS_PER_PAUSE} logs. */
export function toRpcLogs(logs: readonly IndexedLog[], pause: Pause): MaybePromise<PresealRpcLog[]> {
  return logs.length < LOGS_PER_PAUSE ? logs.map((log) => toRpcLog(log)) : toManyRpcLogs(logs, pause)
}

async function toManyRpcLogs(logs: readonly IndexedLog[], pause: Pause): Promise<PresealRpcLog[]> {
  const shown: PresealRpcLog[] = []
  for (const log of logs) {
    shown.push(toRpcLog(log))
    if (shown.length % LOGS_PER_PAUSE === 0) await pause()
  }
  return shown
}

const LOGS_PER_PAUSE = 64

/** Checks a filter against the dialect. @throws BlockHashWithRangeError */
export function checkLogFilter({ blocks }: LogFilter, dialect: DialectRules): void {
  if (blocks.kind === 'hash' && blocks.rangeGiven && !dialect.ignoresRangeWithBlockHash) {
    throw new BlockHashWithRangeError()
  }
}

async function logsOfBlock(query: LogQuery, hash: Hash, viewed: ViewedTip): Promise<IndexedLog[]> {
  const view = await viewed.find({ kind: 'hash', hash, requireCanonical: false })
  if (view === undefined) throw new UnknownBlockError()
  return indexLogs(view.executed).filter((log) => matchesFilter(log, query))
}

/** Returns the block range of a filter; undefined if it can contain no block. @throws as eth_getLogs does */
export function resolveLogRange(
  { from, to }: { readonly from?: BlockPosition; readonly to?: BlockPosition },
  viewed: ViewedTip,
  { logBlockRange }: ReadServices['limits'],
  { clipsLogRanges }: DialectRules,
): LogRange | undefined {
  if (!clipsLogRanges && (viewed.isBeyond(from) || viewed.isBeyond(to))) throw new BlockRangeBeyondHeadError()
  const range = viewed.logRange(from, to)
  if (range === undefined) return undefined
  const blocks = range.to - range.from + 1n
  if (blocks > BigInt(logBlockRange)) throw new BlockRangeTooLargeError(blocks, logBlockRange)
  return range
}
