/**
 * Filters of one connection, each with its changes since the last poll.
 *
 * Owns: the position and the last poll of each filter. A poll reads logs and blocks from the chain. Between polls,
 * filters collect only the hashes of new transactions, and logs that are withdrawn after their delivery. A filter
 * without a poll for five minutes of real time is removed when the next filter is installed, polled or removed.
 */

import { quantity } from '../../base/bytes.ts'
import { realNow } from '../../base/clock.ts'
import type { PresealRpcLog } from '../../base/rpcTypes.ts'
import type { Hash, Hex, MaybePromise } from '../../base/types.ts'
import { createYielder, type Pause } from '../../base/waiting.ts'
import { TooManyLogsError } from '../../core/ledger/errors.ts'
import type { IndexedLog } from '../../core/ledger/logIndex.ts'
import { type TipRetraction, withdrawnLogs, withdrawnPendingLogs } from '../../core/sequencer/tip.ts'
import type { View, ViewedTip } from '../../core/view/view.ts'
import type { DialectRules } from '../dialect.ts'
import { FilterLimitError, FilterNotFoundError } from '../errors.ts'
import { toRpcLog } from '../format/format.ts'
import { isWanted, type LogFilter } from '../params/block.ts'
import { checkLogFilter, toRpcLogs } from '../queryLogs.ts'
import type { ReadServices } from '../services.ts'

/** How many hashes a transaction filter keeps between polls. Beyond that, the oldest are discarded. */
const MAX_COLLECTED = 10_000
/** How many filters a connection may have. The default of the server's `maxSubscriptions` is the same. */
const MAX_FILTERS = 1000
/** Filters end after 5 minutes without a poll, as in go-ethereum: in ms of real time, since manual clocks may jump. */
const LIFETIME = 300_000

/** Installs the filters of one connection and polls them. */
export class Filters {
  readonly #view: View
  readonly #dialect: DialectRules
  readonly #read: ReadServices
  /** In order of the last poll, oldest first. */
  readonly #installed = new Map<Hex, Installed>()
  #lastId = 0

  constructor(view: View, dialect: DialectRules, read: ReadServices) {
    this.#view = view
    this.#dialect = dialect
    this.#read = read
  }

  /** Installs a filter for new logs. @throws FilterLimitError, in the `geth` dialect BlockHashWithRangeError */
  addLogFilter(filter: LogFilter, viewed: ViewedTip): Hex {
    checkLogFilter(filter, this.#dialect)
    const pending = endsInPending(filter, viewed)
    let start = nextLogPosition(viewed, pending)
    let next = start
    let removed: PresealRpcLog[] = []
    const withdraw = (retraction: TipRetraction) => {
      const logs = pending ? withdrawnPendingLogs(retraction) : withdrawnLogs(retraction)
      const delivered = logs.filter(
        (log) => isWanted(log, filter) && !isBefore(log, start) && isBefore(log, next),
      )
      removed.push(...delivered.map((log) => toRpcLog(log, true)))
      const back = firstWithdrawn(retraction, pending)
      // A reset may move both positions forward: the chain may then begin at a later block.
      const isReset = retraction.reason === 'reset'
      if (isReset || isBefore(back, next)) next = back
      if (isReset || isBefore(back, start)) start = back
    }
    return this.#install({
      changes: async (now) => {
        const from = next
        // `next` is set before the query, so that later polls do not fail on the same logs. This assignment never moves
        // it back: faults may hide delivered logs for a while, and retractions move it back themselves.
        const end = nextLogPosition(now, pending)
        if (isBefore(next, end)) next = end
        const pause = createYielder(this.#read.clock)
        const logs = await newLogs(filter, now, from, pending, pause)
        const { logResults } = this.#read.limits
        const count = countDeliverable(logs, logResults)
        const later = logs[count]
        if (later !== undefined) {
          const { blockNumber, transactionIndex } = later
          // Skip a transaction that alone exceeds the limit: no poll could deliver it.
          const rest = {
            blockNumber,
            transactionIndex: count === 0 ? transactionIndex + 1 : transactionIndex,
          }
          if (isBefore(rest, next)) next = rest
          if (count === 0) throw new TooManyLogsError(logResults)
        }
        const gone = removed
        removed = []
        return [...gone, ...(await toRpcLogs(logs.slice(0, count), pause))]
      },
      query: filter,
      listen: () => this.#onRetracted(withdraw),
    })
  }

  /** Installs a filter for newly sealed blocks. @throws FilterLimitError */
  addBlockFilter(viewed: ViewedTip): Hex {
    let next = viewed.tip.head.block.number + 1n
    return this.#install({
      changes: async ({ tip }) => {
        const hashes: Hash[] = []
        const pause = createYielder(this.#read.clock)
        const first = next
        // Set before the first await, so that a concurrent poll begins where this one ends.
        const { number: last } = tip.head.block
        if (next <= last) next = last + 1n
        for (let number = first; number <= last; number++) {
          hashes.push(tip.canonical.at(number)!)
          const wait = pause()
          if (wait) await wait
        }
        return hashes
      },
      listen: () =>
        this.#onRetracted(({ tip, reason }) => {
          const back = tip.preconf.block.number
          if (back < next || reason === 'reset') next = back
        }),
    })
  }

  /** Installs a filter for transactions that enter the mempool. @throws FilterLimitError */
  addPendingTransactionFilter(): Hex {
    let hashes: Hash[] = []
    return this.#install({
      changes: () => {
        const taken = hashes
        hashes = []
        return taken
      },
      listen: () =>
        this.#read.onTransaction(({ hash }) => {
          hashes.push(hash)
          if (hashes.length > MAX_COLLECTED) hashes.shift()
        }),
    })
  }

  /** Returns a filter's changes since its last poll. @throws as eth_getFilterChanges does */
  changes(id: Hex, viewed: ViewedTip): MaybePromise<Hash[] | PresealRpcLog[]> {
    return this.#get(id).changes(viewed)
  }

  /** Returns the query of a log filter. @throws FilterNotFoundError also for filters of a different kind */
  query(id: Hex): LogFilter {
    const { query } = this.#get(id)
    if (query === undefined) throw new FilterNotFoundError()
    return query
  }

  /** Removes a filter. Returns whether there was one with this id. */
  remove(id: Hex): boolean {
    this.#removeExpired()
    return this.#end(id)
  }

  clear(): void {
    for (const id of [...this.#installed.keys()]) this.#end(id)
  }

  #onRetracted(listener: (retraction: TipRetraction) => void): () => void {
    return this.#read.events.listen('retracted', (retraction) => listener(this.#view.retracted(retraction)))
  }

  #install(filter: Filter): Hex {
    const now = this.#removeExpired()
    if (this.#installed.size >= MAX_FILTERS) throw new FilterLimitError(MAX_FILTERS)
    this.#lastId += 1
    const id = quantity(this.#lastId)
    this.#installed.set(id, { filter, stop: filter.listen(), polledAt: now })
    return id
  }

  #get(id: Hex): Filter {
    const now = this.#removeExpired()
    const installed = this.#installed.get(id)
    if (installed === undefined) throw new FilterNotFoundError()
    // Reinserted, since the map is in order of the last poll.
    this.#installed.delete(id)
    this.#installed.set(id, { ...installed, polledAt: now })
    return installed.filter
  }

  /** Removes filters without a poll for {@link LIFETIME}. @returns the real time in ms. */
  #removeExpired(): number {
    const now = realNow()
    for (const [id, { polledAt }] of this.#installed) {
      if (polledAt > now - LIFETIME) break
      this.#end(id)
    }
    return now
  }

  #end(id: Hex): boolean {
    this.#installed.get(id)?.stop()
    return this.#installed.delete(id)
  }
}

interface Installed {
  readonly filter: Filter
  stop(): void
  readonly polledAt: number
}

interface Filter {
  changes(viewed: ViewedTip): MaybePromise<Hash[] | PresealRpcLog[]>
  /** Only log filters have one. */
  readonly query?: LogFilter
  /** Listens to events until the returned function is called. */
  listen(): () => void
}

/** The first transaction whose logs are not delivered yet. */
type LogPosition = Pick<IndexedLog, 'blockNumber' | 'transactionIndex'>

/** Returns the position after a poll of this tip. It stays valid: sealing does not move pre-confirmed transactions. */
function nextLogPosition({ tip, preconfBlock }: ViewedTip, pending: boolean): LogPosition {
  const delivered = pending ? (preconfBlock?.block.transactions.length ?? 0) : 0
  return { blockNumber: tip.preconf.block.number, transactionIndex: delivered }
}

function isBefore(a: LogPosition, b: LogPosition): boolean {
  return a.blockNumber === b.blockNumber
    ? a.transactionIndex < b.transactionIndex
    : a.blockNumber < b.blockNumber
}

/** Returns the position of the first transaction that a retraction withdraws or replaces. */
function firstWithdrawn({ reason, pending, tip, kept }: TipRetraction, inPending: boolean): LogPosition {
  const { number } = tip.preconf.block
  if (reason === 'reset') return { blockNumber: number, transactionIndex: 0 }
  // An imported block has replaced the block under construction, so the new one has a higher number.
  if (pending.number < number) return { blockNumber: pending.number, transactionIndex: 0 }
  return { blockNumber: number, transactionIndex: inPending ? kept : 0 }
}

/** Returns how many logs one poll delivers: whole transactions up to the limit. */
function countDeliverable(logs: readonly IndexedLog[], limit: number): number {
  const excess = logs[limit]
  return excess === undefined ? logs.length : logs.findIndex((log) => !isBefore(log, excess))
}

async function newLogs(
  filter: LogFilter,
  viewed: ViewedTip,
  next: LogPosition,
  pending: boolean,
  pause: Pause,
): Promise<IndexedLog[]> {
  const range = { from: next.blockNumber, to: viewed.tip.head.block.number, pending: false }
  const sealed = await viewed.logs(filter, range, Number.POSITIVE_INFINITY, pause)
  const preconf = pending ? viewed.pendingLogs(filter) : []
  return [...sealed, ...preconf].filter((log) => !isBefore(log, next) && isWanted(log, filter))
}

function endsInPending({ blocks }: LogFilter, viewed: ViewedTip): boolean {
  return viewed.kind === 'preconf' && blocks.kind === 'range' && viewed.endsInPending(blocks.to)
}
