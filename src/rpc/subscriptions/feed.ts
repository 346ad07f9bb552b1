/**
 * Messages of subscriptions for a chain's events, created once for all connections.
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

/** A pre-confirmed transaction with receipt fields, which `newPreconfTransactions` sends on request. */
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

/** Stage of a transaction that is not pre-confirmed, which `newPreconfTransactions` sends on request. */
export interface TransactionStage {
  readonly hash: Hash
  readonly stage: 'queued' | 'pending' | 'dropped' | 'replaced'
  readonly reason?: DropReason
  readonly message?: string
}

/** A message of subscriptions: a new object per listener in this process, or JSON text that connections share. */
export class Emission {
  readonly #make: () => unknown
  #json: string | undefined

  constructor(make: () => unknown) {
    this.#make = make
  }

  /** Returns a new object, so that receivers may modify it. */
  value(): unknown {
    return this.#make()
  }

  /** The message as JSON, serialised once for all receivers. */
  get json(): string {
    this.#json ??= JSON.stringify(this.#make())
    return this.#json
  }
}

/** Makes the messages of events. Listeners that want the same message of an event get the same {@link Emission}. */
export class Feed {
  readonly #sealed = new Memo<SealedEntry>()
  readonly #preconf = new Memo<Payload>()
  readonly #retracted = new Memo<TipRetraction>()
  readonly #added = new Memo<Transaction>()

  header(entry: SealedEntry): Emission {
    const { header, hash, rules } = entry.block
    return this.#sealed.get(entry, 'header', () => new Emission(() => toRpcHeader(header, hash, rules.spec)))
  }

  logs(entry: SealedEntry, filter: LogFilter): readonly Emission[] {
    return logsOf(this.#sealed, entry, 'logs', filter, () => indexLogs(entry.block))
  }

  /** Returns the logs of the transactions that a preconf block added. */
  addedLogs(payload: Payload, filter: LogFilter): readonly Emission[] {
    return logsOf(this.#preconf, payload, 'logs', filter, () =>
      indexLogs(payload.block).filter(({ transactionIndex }) => transactionIndex >= payload.added),
    )
  }

  removedLogs(retraction: TipRetraction, filter: LogFilter): readonly Emission[] {
    const withdrawn = () => withdrawnLogs(retraction)
    return logsOf(this.#retracted, retraction, 'sealed', filter, withdrawn, true)
  }

  /** Returns the pre-confirmed logs that a retraction withdraws, newest first. */
  removedPendingLogs(retraction: TipRetraction, filter: LogFilter): readonly Emission[] {
    const withdrawn = () => withdrawnPendingLogs(retraction)
    return logsOf(this.#retracted, retraction, 'pending', filter, withdrawn, true)
  }

  /**
   * Returns the transactions that a preconf block added.
   *
   * @param full - whether to send transactions with receipt fields; if not, only hashes.
   * @param filter - selects transactions with a matching log; default: all.
   */
  addedTransactions(payload: Payload, full: boolean, filter?: LogFilter): readonly Emission[] {
    const { block, added } = payload
    const all = () =>
      this.#preconf.get(payload, `transactions ${full}`, () =>
        block.transactions
          .slice(added)
          .map((tx, i) => new Emission(() => (full ? toPreconfTransaction(tx, block, added + i) : tx.hash))),
      )
    if (filter === undefined) return all()
    return this.#preconf.get(payload, `transactions ${full} ${keyOf(filter)}`, () => {
      const matched = indexLogs(block).filter((log) => matchesFilter(log, filter))
      const wanted = new Set(matched.map(({ transactionIndex }) => transactionIndex))
      return all().filter((_, i) => wanted.has(added + i))
    })
  }

  preconfBlock(payload: Payload, dialect: DialectRules): Emission {
    return this.#preconf.get(
      payload,
      `preconf ${dialect.name}`,
      () => new Emission(() => toPreconfBlock(payload, dialect)),
    )
  }

  /** Returns a preconf block without its index and receipts. */
  blockAlone(payload: Payload, dialect: DialectRules): Emission {
    return this.#preconf.get(
      payload,
      `block ${dialect.name}`,
      () => new Emission(() => toFullRpcBlock(payload.block, dialect)),
    )
  }

  /** Returns a transaction that entered the mempool: with `full` all its fields, otherwise its hash. */
  transaction(tx: Transaction, full: boolean): Emission {
    return this.#added.get(tx, `${full}`, () => new Emission(() => (full ? toRpcTransaction(tx) : tx.hash)))
  }
}

/** Caches values created from one source. A new source clears the cache. */
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

/** Returns messages of the logs that a filter selects. Filters share messages; equal filters also share the list. */
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

/** The keys of filters. Equal filters have equal keys. */
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
    ...block.receipts[index]!.extra,
  }
}
