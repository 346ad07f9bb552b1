/**
 * The messages that subscriptions send for the events of a chain. Each is created once for all connections.
 *
 * Owns: the messages for the newest event of each kind.
 */

import type { DropReason } from '../../base/eventTypes.ts'
import type { PresealRpcReceipt, PresealRpcTransaction } from '../../base/rpcTypes.ts'
import type { Hash } from '../../base/types.ts'
import type { Payload } from '../../core/block/payload.ts'
import type { SealedEntry } from '../../core/ledger/ledger.ts'
import { type IndexedLog, indexLogs, matchesFilter } from '../../core/ledger/logIndex.ts'
import { type TipRetraction, withdrawnLogs, withdrawnPendingLogs } from '../../core/sequencer/tip.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { DialectRules } from '../dialect.ts'
import {
  toFullRpcBlock,
  toPreconfBlock,
  toRpcHeader,
  toRpcLog,
  toRpcReceipt,
  toRpcTransaction,
} from '../format/format.ts'
import { isWanted, type LogFilter } from '../params/block.ts'

/** A pre-confirmed transaction with fields of its receipt, as `newPreconfTransactions` sends it on request. */
export type PreconfTransaction = PresealRpcTransaction &
  Pick<
    PresealRpcReceipt,
    | 'logs'
    | 'logsBloom'
    | 'status'
    | 'gasUsed'
    | 'cumulativeGasUsed'
    | 'contractAddress'
    | 'effectiveGasPrice'
    | 'revertReason'
  >

/** The stage of a transaction that is not pre-confirmed, as `newPreconfTransactions` sends it on request. */
export interface TransactionStage {
  readonly hash: Hash
  readonly stage: 'queued' | 'pending' | 'dropped' | 'replaced'
  /** Why it was dropped. */
  readonly reason?: DropReason
  /** The error it was dropped with. */
  readonly message?: string
}

/** One message of subscriptions: a new object for each listener in this process, or text that connections share. */
export class Emission {
  readonly #make: () => unknown
  #json: string | undefined

  constructor(make: () => unknown) {
    this.#make = make
  }

  /** A new object, so that a receiver that modifies it affects no other. */
  value(): unknown {
    return this.#make()
  }

  /** The same as JSON, serialised once for all receivers. */
  get json(): string {
    this.#json ??= JSON.stringify(this.#make())
    return this.#json
  }
}

/** See the file's header. */
export class Feed {
  readonly #sealed = new Memo<SealedEntry>()
  readonly #snapshot = new Memo<Payload>()
  readonly #retracted = new Memo<TipRetraction>()
  readonly #added = new Memo<Transaction>()

  /** The header of a sealed block. */
  header(entry: SealedEntry): Emission {
    const { header, hash } = entry.block
    return this.#sealed.get(entry, 'header', () => new Emission(() => toRpcHeader(header, hash)))
  }

  /** The logs of a sealed block. */
  logs(entry: SealedEntry, filter: LogFilter): readonly Emission[] {
    return logsOf(this.#sealed, entry, 'logs', filter, () => indexLogs(entry.block))
  }

  /** The logs of the transactions that a snapshot added. */
  addedLogs(payload: Payload, filter: LogFilter): readonly Emission[] {
    return logsOf(this.#snapshot, payload, 'logs', filter, () =>
      indexLogs(payload.block).filter(({ transactionIndex }) => transactionIndex >= payload.added),
    )
  }

  /** The sealed logs that a retraction withdraws, newest first. */
  removedLogs(retraction: TipRetraction, filter: LogFilter): readonly Emission[] {
    const withdrawn = () => withdrawnLogs(retraction)
    return logsOf(this.#retracted, retraction, 'sealed', filter, withdrawn, true)
  }

  /** The pre-confirmed logs that a retraction withdraws, newest first. */
  removedPendingLogs(retraction: TipRetraction, filter: LogFilter): readonly Emission[] {
    const withdrawn = () => withdrawnPendingLogs(retraction)
    return logsOf(this.#retracted, retraction, 'pending', filter, withdrawn, true)
  }

  /**
   * The transactions that a snapshot added.
   *
   * @param full - with fields of their receipts, or only hashes.
   * @param filter - only those of which a log matches; by default all.
   */
  addedTransactions(payload: Payload, full: boolean, filter?: LogFilter): readonly Emission[] {
    const { block, added } = payload
    const all = () =>
      this.#snapshot.get(payload, `transactions ${full}`, () =>
        block.transactions
          .slice(added)
          .map((tx, i) => new Emission(() => (full ? toPreconfTransaction(tx, block, added + i) : tx.hash))),
      )
    if (filter === undefined) return all()
    return this.#snapshot.get(payload, `transactions ${full} ${keyOf(filter)}`, () => {
      const matched = indexLogs(block).filter((log) => matchesFilter(log, filter))
      const wanted = new Set(matched.map(({ transactionIndex }) => transactionIndex))
      return all().filter((_, i) => wanted.has(added + i))
    })
  }

  /** A snapshot with its receipts. */
  snapshot(payload: Payload, dialect: DialectRules): Emission {
    return this.#snapshot.get(
      payload,
      `snapshot ${dialect.name}`,
      () => new Emission(() => toPreconfBlock(payload, dialect)),
    )
  }

  /** The block of a snapshot. */
  snapshotBlock(payload: Payload, dialect: DialectRules): Emission {
    return this.#snapshot.get(
      payload,
      `block ${dialect.name}`,
      () => new Emission(() => toFullRpcBlock(payload.block, dialect)),
    )
  }

  /** A transaction that entered the mempool. @param full - the transaction, or only its hash. */
  transaction(tx: Transaction, full: boolean): Emission {
    return this.#added.get(tx, `${full}`, () => new Emission(() => (full ? toRpcTransaction(tx) : tx.hash)))
  }
}

/** Caches what is created from one source; another source clears it. */
class Memo<Source extends object> {
  #source: Source | undefined
  #values = new Map<string, unknown>()

  /** @param key - identifies the value and implies its type. */
  get<T>(source: Source, key: string, make: () => T): T {
    if (source !== this.#source) {
      this.#source = source
      this.#values = new Map()
    }
    if (!this.#values.has(key)) this.#values.set(key, make())
    return this.#values.get(key) as T
  }
}

/** The messages of those logs of a source that a filter wants; filters share the messages, and equal ones the list. */
function logsOf<Source extends object>(
  memo: Memo<Source>,
  source: Source,
  kind: string,
  filter: LogFilter,
  read: () => readonly IndexedLog[],
  removed = false,
): readonly Emission[] {
  const all = () =>
    memo.get(source, kind, () =>
      read().map((log) => ({ log, emission: new Emission(() => toRpcLog(log, removed)) })),
    )
  return memo.get(source, `${kind} ${keyOf(filter)}`, () =>
    all().flatMap(({ log, emission }) => (isWanted(log, filter) ? emission : [])),
  )
}

/** By filter; equal filters have equal keys. */
const keys = new WeakMap<LogFilter, string>()

function keyOf(filter: LogFilter): string {
  let key = keys.get(filter)
  if (key === undefined) {
    key = JSON.stringify(filter, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
    keys.set(filter, key)
  }
  return key
}

function toPreconfTransaction(tx: Transaction, block: Payload['block'], index: number): PreconfTransaction {
  const receipt = toRpcReceipt(block, index)
  const { logs, logsBloom, status, gasUsed, cumulativeGasUsed, contractAddress, effectiveGasPrice } = receipt
  const { revertReason } = receipt
  return {
    ...toRpcTransaction(tx, { block, index }),
    logs,
    logsBloom,
    ...(status && { status }),
    gasUsed,
    cumulativeGasUsed,
    contractAddress,
    effectiveGasPrice,
    ...(revertReason !== undefined && { revertReason }),
  }
}
