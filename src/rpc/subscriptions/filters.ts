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
import type { Hash, Hex, MaybePromise, ViewKind } from '../../base/types.ts'
import { createYielder, type Pause, whenLoaded } from '../../base/waiting.ts'
import { TooManyLogsError } from '../../core/ledger/errors.ts'
import { Ids } from '../../core/ledger/ids.ts'
import type { IndexedLog } from '../../core/ledger/logIndex.ts'
import { valueToText } from '../../core/ledger/patchEncoding.ts'
import {
  type Tip,
  type TipRetraction,
  withdrawnLogs,
  withdrawnPendingLogs,
} from '../../core/sequencer/tip.ts'
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

/** The position of a filter, and its answers that the chain does not have. A database keeps it as JSON. */
type FilterState =
  | {
      readonly kind: 'logs'
      readonly query: LogFilter
      /** Whether logs of the block under construction are delivered. */
      readonly pending: boolean
      start: LogPosition
      next: LogPosition
      /** Delivered logs that were withdrawn since. */
      removed: readonly PresealRpcLog[]
    }
  | { readonly kind: 'blocks'; next: bigint }
  | { readonly kind: 'transactions'; hashes: Hash[] }

/** A filter as a database keeps it. */
interface StoredFilter {
  readonly view: ViewKind
  readonly state: FilterState
  /** The block up to which the filter may have answered. */
  readonly head: { readonly number: bigint; readonly hash: Hash }
  /** Whether the process may have ended before the last hashes of a transaction filter were stored. */
  readonly isOpen?: boolean
}

/** Installs the filters of one connection and polls them. */
export class Filters {
  readonly #view: View
  readonly #dialect: DialectRules
  readonly #read: ReadServices
  /** In order of the last poll, oldest first. */
  readonly #installed = new Map<Hex, Installed>()
  /** Filters that a retraction has changed since the last microtask. */
  readonly #changed = new Set<Hex>()
  readonly #ids: Ids

  constructor(view: View, dialect: DialectRules, read: ReadServices) {
    this.#ids = read.journal?.ids ?? new Ids()
    this.#view = view
    this.#dialect = dialect
    this.#read = read
  }

  /** Installs a filter for new logs. @throws FilterLimitError, in the `geth` dialect BlockHashWithRangeError */
  addLogFilter(query: LogFilter, viewed: ViewedTip): MaybePromise<Hex> {
    checkLogFilter(query, this.#dialect)
    const pending = endsInPending(query, viewed)
    const start = nextLogPosition(viewed, pending)
    return this.#install({ kind: 'logs', query, pending, start, next: start, removed: [] })
  }

  /** Installs a filter for newly sealed blocks. @throws FilterLimitError */
  addBlockFilter(viewed: ViewedTip): MaybePromise<Hex> {
    return this.#install({ kind: 'blocks', next: viewed.tip.head.block.number + 1n })
  }

  /** Installs a filter for transactions that enter the mempool. @throws FilterLimitError */
  addPendingTransactionFilter(): MaybePromise<Hex> {
    return this.#install({ kind: 'transactions', hashes: [] })
  }

  /** Returns a filter's changes since its last poll. @throws as eth_getFilterChanges does */
  changes(id: Hex, viewed: ViewedTip): MaybePromise<Hash[] | PresealRpcLog[]> {
    const { filter } = this.#get(id)
    if (this.#read.journal === undefined) return filter.changes(viewed)
    const before = valueToText(filter.state)
    // Reads go on after a failed write; a restart then delivers these changes again.
    const store = () =>
      valueToText(filter.state) === before ? undefined : this.#store([id])?.catch(() => {})
    return Promise.resolve(filter.changes(viewed)).finally(store)
  }

  /** Returns the query of a log filter. @throws FilterNotFoundError also for filters of a different kind */
  query(id: Hex): LogFilter {
    const { state } = this.#get(id).filter
    if (state.kind !== 'logs') throw new FilterNotFoundError()
    return state.query
  }

  /** Removes a filter. Returns whether there was one with this id. */
  remove(id: Hex): MaybePromise<boolean> {
    this.#removeExpired()
    this.#adopt(id)
    const isKnown = this.#end(id)
    const removed = isKnown ? this.#forget([id]) : undefined
    return removed === undefined ? isKnown : removed.catch(() => {}).then(() => isKnown)
  }

  /** Ends all filters. A database keeps them if the chain closes, and not if only the connection does. */
  close(): void {
    const ids = [...this.#installed.keys()]
    const { journal, closed } = this.#read
    if (journal !== undefined && closed.isClosed) this.#store(ids, false)?.catch(() => {})
    else this.#forget(ids)?.catch(() => {})
    for (const id of ids) this.#end(id)
  }

  /** Installs filters of an earlier run, and removes from the database the ones that cannot go on. */
  async restore(stored: ReadonlyMap<number, object>, tip: Tip): Promise<void> {
    const now = realNow()
    const gone: Hex[] = []
    for (const [number, filter] of stored as ReadonlyMap<number, StoredFilter>) {
      if (filter.view !== this.#view.kind) continue
      const id = quantity(number)
      const { head, state, isOpen = false } = filter
      const hash = await whenLoaded(() => tip.canonical.at(head.number))
      if (isOpen || hash !== head.hash) gone.push(id)
      else this.#add(id, state, now)
    }
    await this.#forget(gone)
    // The hashes that were stored when the chain was closed are stale from now on.
    const collecting = [...this.#installed].filter(([, { filter }]) => filter.state.kind === 'transactions')
    await this.#store(collecting.map(([id]) => id))
  }

  /** Removes a filter and returns it, for another connection. */
  take(id: Hex): { readonly state: FilterState; readonly polledAt: number } | undefined {
    this.#removeExpired()
    const found = this.#installed.get(id)
    this.#end(id)
    return found && { state: found.filter.state, polledAt: found.polledAt }
  }

  #logFilter(state: FilterState & { kind: 'logs' }): Filter {
    const { query, pending } = state
    const withdraw = (retraction: TipRetraction) => {
      const logs = pending ? withdrawnPendingLogs(retraction) : withdrawnLogs(retraction)
      const { start, next } = state
      const delivered = logs.filter(
        (log) => isWanted(log, query) && !isBefore(log, start) && isBefore(log, next),
      )
      state.removed = [...state.removed, ...delivered.map((log) => toRpcLog(log, true))]
      const back = firstWithdrawn(retraction, pending)
      // A reset may move both positions forward: the chain may then begin at a later block.
      const isReset = retraction.reason === 'reset'
      if (isReset || isBefore(back, next)) state.next = back
      if (isReset || isBefore(back, start)) state.start = back
      return state.next !== next || state.start !== start
    }
    return {
      state,
      changes: async (now) => {
        const from = state.next
        // `next` is set before the query, so that later polls do not fail on the same logs. This assignment never moves
        // it back: faults may hide delivered logs for a while, and retractions move it back themselves.
        const end = nextLogPosition(now, pending)
        if (isBefore(from, end)) state.next = end
        const pause = createYielder(this.#read.clock)
        const logs = await newLogs(query, now, from, pending, pause)
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
          if (isBefore(rest, state.next)) state.next = rest
          if (count === 0) throw new TooManyLogsError(logResults)
        }
        const gone = state.removed
        state.removed = []
        return [...gone, ...(await toRpcLogs(logs.slice(0, count), pause))]
      },
      listen: (changed) =>
        this.#onRetracted((retraction) => {
          if (withdraw(retraction) || retraction.blocks.length > 0) changed()
        }),
    }
  }

  #blockFilter(state: FilterState & { kind: 'blocks' }): Filter {
    return {
      state,
      changes: async ({ tip }) => {
        const hashes: Hash[] = []
        const pause = createYielder(this.#read.clock)
        const first = state.next
        // Set before the first await, so that a concurrent poll begins where this one ends.
        const { number: last } = tip.head.block
        if (first <= last) state.next = last + 1n
        for (let number = first; number <= last; number++) {
          const hash = whenLoaded(() => tip.canonical.at(number)!)
          hashes.push(hash instanceof Promise ? await hash : hash)
          const wait = pause()
          if (wait) await wait
        }
        return hashes
      },
      listen: (changed) =>
        this.#onRetracted(({ tip, reason, blocks }) => {
          const back = tip.preconf.block.number
          if (back < state.next || reason === 'reset') state.next = back
          if (blocks.length > 0) changed()
        }),
    }
  }

  #transactionFilter(state: FilterState & { kind: 'transactions' }): Filter {
    return {
      state,
      changes: () => {
        const taken = state.hashes
        state.hashes = []
        return taken
      },
      listen: () =>
        this.#read.onTransaction(({ hash }) => {
          state.hashes.push(hash)
          if (state.hashes.length > MAX_COLLECTED) state.hashes.shift()
        }),
    }
  }

  #onRetracted(listener: (retraction: TipRetraction) => void): () => void {
    return this.#read.events.listen('retracted', (retraction) => listener(this.#view.retracted(retraction)))
  }

  #install(state: FilterState): MaybePromise<Hex> {
    const now = this.#removeExpired()
    if (this.#installed.size >= MAX_FILTERS) throw new FilterLimitError(MAX_FILTERS)
    const id = quantity(this.#ids.next('filters'))
    this.#add(id, state, now)
    const stored = this.#store([id])
    if (stored === undefined) return id
    return stored.then(
      () => id,
      (error) => {
        this.#end(id)
        throw error
      },
    )
  }

  #add(id: Hex, state: FilterState, now: number): void {
    const filter = this.#filterOf(state)
    const stop = filter.listen(() => this.#storeSoon(id))
    this.#installed.set(id, { filter, stop, polledAt: now })
  }

  #filterOf(state: FilterState): Filter {
    if (state.kind === 'logs') return this.#logFilter(state)
    return state.kind === 'blocks' ? this.#blockFilter(state) : this.#transactionFilter(state)
  }

  #get(id: Hex): Installed {
    const now = this.#removeExpired()
    this.#adopt(id)
    const installed = this.#installed.get(id)
    if (installed === undefined) throw new FilterNotFoundError()
    // Reinserted, since the map is in order of the last poll.
    this.#installed.delete(id)
    this.#installed.set(id, { ...installed, polledAt: now })
    return installed
  }

  /** Takes over a filter of an earlier run. */
  #adopt(id: Hex): void {
    const found = this.#read.earlierFilters(this.#view.kind)?.take(id)
    if (found !== undefined) this.#add(id, found.state as FilterState, found.polledAt)
  }

  /** Stores what a retraction has changed, before later changes of the chain, and for all filters in one batch. */
  #storeSoon(id: Hex): void {
    if (this.#read.journal === undefined) return
    if (this.#changed.size === 0) {
      queueMicrotask(() => {
        const changed = [...this.#changed]
        this.#changed.clear()
        this.#store(changed)?.catch(() => {})
      })
    }
    this.#changed.add(id)
  }

  /** Stores the state of filters, if the chain has a database. @param isOpen - false when the chain closes. */
  #store(ids: readonly Hex[], isOpen = true): Promise<void> | undefined {
    const { journal } = this.#read
    if (journal === undefined || ids.length === 0) return undefined
    const { number, hash } = this.#view.capture().tip.head.block
    const filters = ids.flatMap((id): [number, StoredFilter][] => {
      const installed = this.#installed.get(id)
      if (installed === undefined) return []
      const { state } = installed.filter
      const isCollecting = isOpen && state.kind === 'transactions'
      const filter = { view: this.#view.kind, state: { ...state }, head: { number, hash } }
      return [[Number(id), { ...filter, ...(isCollecting && { isOpen }) }]]
    })
    return journal.storeFilters(() => filters)
  }

  #forget(ids: readonly Hex[]): Promise<void> | undefined {
    return ids.length === 0 ? undefined : this.#read.journal?.removeFilters(ids.map(Number))
  }

  /** Removes filters without a poll for {@link LIFETIME}. @returns the real time in ms. */
  #removeExpired(): number {
    const now = realNow()
    const expired: Hex[] = []
    for (const [id, { polledAt }] of this.#installed) {
      if (polledAt > now - LIFETIME) break
      expired.push(id)
    }
    for (const id of expired) this.#end(id)
    this.#forget(expired)?.catch(() => {})
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
  readonly state: FilterState
  changes(viewed: ViewedTip): MaybePromise<Hash[] | PresealRpcLog[]>
  /** Listens to events until the returned function is called. @param changed - called after an event. */
  listen(changed: () => void): () => void
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
  // Here, since the request would run again from the new position if this threw Missing.
  const sealed = await whenLoaded(() => viewed.logs(filter, range, Number.POSITIVE_INFINITY, pause))
  const preconf = pending ? viewed.pendingLogs(filter) : []
  return [...sealed, ...preconf].filter((log) => !isBefore(log, next) && isWanted(log, filter))
}

function endsInPending({ blocks }: LogFilter, viewed: ViewedTip): boolean {
  return viewed.kind === 'preconf' && blocks.kind === 'range' && viewed.endsInPending(blocks.to)
}
