/**
 * The filters of one connection: what is new since the last look.
 *
 * Owns: where each filter has read up to. Logs and blocks are read from the chain when asked for, so a filter that
 * nobody polls costs nothing; only hashes of waiting transactions are collected, and delivered logs that were withdrawn
 * since.
 */
import { quantity } from '../bytes.ts'
import { FilterNotFoundError } from '../errors.ts'
import { indexLogs } from '../ledger/ledger.ts'
import { type IndexedLog, matchesFilter } from '../ledger/logIndex.ts'
import { type Retraction, withdrawnLogs, withdrawnPendingLogs } from '../retraction.ts'
import type { Hash, Hex, RpcLog } from '../types.ts'
import type { BlockPosition, Sight } from '../view.ts'
import type { DialectRules } from './dialect.ts'
import { toRpcLog } from './format.ts'
import type { LogFilter } from './params.ts'
import { checkLogFilter, queryLogs } from './queryLogs.ts'
import type { RpcServices } from './services.ts'

/** Hashes a filter for waiting transactions keeps between two looks; the oldest go first. */
const MAX_COLLECTED = 10_000

/** See the file's header. */
export class Filters {
  readonly #dialect: DialectRules
  readonly #services: RpcServices
  readonly #installed = new Map<Hex, Filter>()
  #lastId = 0

  constructor(dialect: DialectRules, services: RpcServices) {
    this.#dialect = dialect
    this.#services = services
  }

  /** Installs a filter for logs from now on. @throws BlockHashWithRangeError where the dialect refuses it. */
  addLogFilter(filter: LogFilter, sight: Sight): Hex {
    checkLogFilter(filter, this.#dialect)
    const pending = endsInPending(filter, sight)
    let start = nextLogPosition(sight.tip, pending)
    let next = start
    let removed: RpcLog[] = []
    const withdraw = (retraction: Retraction) => {
      const logs = pending ? withdrawnPendingLogs(retraction) : withdrawnLogs(retraction)
      const delivered = logs.filter(
        (log) => isWanted(log, filter) && !isBefore(log, start) && isBefore(log, next),
      )
      removed.push(...delivered.map((log) => toRpcLog(log, true)))
      const { number } = retraction.tip.preconf.block
      const back = { blockNumber: number, transactionIndex: pending ? retraction.kept : 0 }
      if (isBefore(back, next)) next = back
      if (isBefore(back, start)) start = back
    }
    return this.#install({
      changes: (now) => {
        const from = next
        const gone = removed
        // Before the query, which may fail: what it fails on would otherwise stand in the way for good.
        next = nextLogPosition(now.tip, pending)
        removed = []
        return [...gone, ...newLogs(filter, now, from, pending).map((log) => toRpcLog(log))]
      },
      logs: (now) => queryLogs(filter, now, this.#services.limits, this.#dialect),
      stop: this.#onRetracted(withdraw),
    })
  }

  /** Installs a filter for blocks sealed from now on. */
  addBlockFilter(sight: Sight): Hex {
    let next = sight.tip.head.block.number + 1n
    return this.#install({
      changes: ({ tip }) => {
        const hashes: Hash[] = []
        for (; next <= tip.head.block.number; next++) hashes.push(tip.canonical.at(next)!)
        return hashes
      },
      stop: this.#onRetracted(({ tip }) => {
        const back = tip.preconf.block.number
        if (back < next) next = back
      }),
    })
  }

  /** Installs a filter for transactions that enter the mempool from now on. */
  addPendingTransactionFilter(): Hex {
    let hashes: Hash[] = []
    const stop = this.#services.onTransaction(({ hash }) => {
      hashes.push(hash)
      if (hashes.length > MAX_COLLECTED) hashes.shift()
    })
    return this.#install({
      changes: () => {
        const taken = hashes
        hashes = []
        return taken
      },
      stop,
    })
  }

  /** What is new since the last look. @throws FilterNotFoundError */
  changes(id: Hex, sight: Sight): Hash[] | RpcLog[] {
    return this.#get(id).changes(sight)
  }

  /** Everything a log filter matches. @throws FilterNotFoundError also for filters of another kind. */
  logs(id: Hex, sight: Sight): Promise<RpcLog[]> {
    const { logs } = this.#get(id)
    if (logs === undefined) throw new FilterNotFoundError()
    return logs(sight)
  }

  /** Removes a filter; false where there is none with this id. */
  remove(id: Hex): boolean {
    this.#installed.get(id)?.stop?.()
    return this.#installed.delete(id)
  }

  /** Removes all of them. */
  clear(): void {
    for (const id of [...this.#installed.keys()]) this.remove(id)
  }

  #onRetracted(listener: (retraction: Retraction) => void): () => void {
    this.#services.events.on('retracted', listener)
    return () => this.#services.events.off('retracted', listener)
  }

  #install(filter: Filter): Hex {
    this.#lastId += 1
    const id = quantity(this.#lastId)
    this.#installed.set(id, filter)
    return id
  }

  #get(id: Hex): Filter {
    const filter = this.#installed.get(id)
    if (filter === undefined) throw new FilterNotFoundError()
    return filter
  }
}

interface Filter {
  changes(sight: Sight): Hash[] | RpcLog[]
  logs?(sight: Sight): Promise<RpcLog[]>
  stop?(): void
}

/** The first transaction whose logs were not delivered yet. */
type LogPosition = Pick<IndexedLog, 'blockNumber' | 'transactionIndex'>

/** Up to where a look at this tip reads. Pre-confirmed transactions are sealed as they are, so the place stands. */
function nextLogPosition({ preconf }: Sight['tip'], pending: boolean): LogPosition {
  const { number, transactions } = preconf.block
  return { blockNumber: number, transactionIndex: pending ? transactions.length : 0 }
}

function isBefore(a: LogPosition, b: LogPosition): boolean {
  return a.blockNumber === b.blockNumber
    ? a.transactionIndex < b.transactionIndex
    : a.blockNumber < b.blockNumber
}

function newLogs(filter: LogFilter, sight: Sight, next: LogPosition, pending: boolean): IndexedLog[] {
  const { head } = sight.tip
  const sealed = sight.logs(filter, { from: next.blockNumber, to: head.block.number, pending: false })
  const preconf = pending ? indexLogs(sight.tip.preconf.block) : []
  return [...sealed, ...preconf].filter((log) => !isBefore(log, next) && isWanted(log, filter))
}

/** Whether a log is of the kind a filter asks for, and within the numbers that bound it. */
function isWanted(log: IndexedLog, filter: LogFilter): boolean {
  const { from, to } = bounds(filter)
  return (
    matchesFilter(log, filter) &&
    (from === undefined || log.blockNumber >= from) &&
    (to === undefined || log.blockNumber <= to)
  )
}

function endsInPending({ blocks }: LogFilter, sight: Sight): boolean {
  return sight.kind === 'preconf' && blocks.kind === 'range' && sight.endsInPending(blocks.to)
}

/** Tags move with the chain, so only numbers bound what is new. */
function bounds({ blocks }: LogFilter): {
  readonly from: bigint | undefined
  readonly to: bigint | undefined
} {
  if (blocks.kind === 'hash') return { from: undefined, to: undefined }
  const numberOf = (position: BlockPosition | undefined) =>
    position?.kind === 'number' ? position.number : undefined
  return { from: numberOf(blocks.from), to: numberOf(blocks.to) }
}
