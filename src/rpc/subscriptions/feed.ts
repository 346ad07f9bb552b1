/**
 * What the events of a chain give to its subscriptions: made once for all that are sent it, in whatever connection.
 *
 * Owns: what was made of the newest event of each kind.
 */

import { indexLogs, type SealedEntry } from '../../ledger/ledger.ts'
import { type IndexedLog, type LogQuery, matchesFilter } from '../../ledger/logIndex.ts'
import type { Payload } from '../../payload/payload.ts'
import type { DropReason } from '../../primitives/eventTypes.ts'
import type { RpcReceipt, RpcTransaction } from '../../primitives/rpcTypes.ts'
import type { Hash } from '../../primitives/types.ts'
import type { Transaction } from '../../protocol/transaction.ts'
import { type TipRetraction, withdrawnLogs, withdrawnPendingLogs } from '../../sequencer/retraction.ts'
import type { DialectRules } from '../dialect.ts'
import {
  toFullRpcBlock,
  toPreconfBlock,
  toRpcHeader,
  toRpcLog,
  toRpcReceipt,
  toRpcTransaction,
} from '../format/format.ts'

/** A pre-confirmed transaction with what its execution gave, as `newPreconfTransactions` sends it on request. */
export type PreconfTransaction = RpcTransaction &
  Pick<
    RpcReceipt,
    | 'logs'
    | 'logsBloom'
    | 'status'
    | 'gasUsed'
    | 'cumulativeGasUsed'
    | 'contractAddress'
    | 'effectiveGasPrice'
  >

/** A transaction that is not pre-confirmed at present, as `newPreconfTransactions` sends it on request. */
export interface TransactionStage {
  readonly hash: Hash
  readonly stage: 'queued' | 'pending' | 'dropped' | 'replaced'
  /** Why it was dropped. */
  readonly reason?: DropReason
  /** The error that it was dropped for. */
  readonly message?: string
}

/**
 * One thing that subscriptions send: an object for each listener in this process, or text that many connections share.
 */
export class Emission {
  readonly #make: () => unknown
  #json: string | undefined

  constructor(make: () => unknown) {
    this.#make = make
  }

  /** A fresh object: a receiver that alters it alters no other's. */
  value(): unknown {
    return this.#make()
  }

  /** The same as JSON, written once for all receivers. */
  get json(): string {
    this.#json ??= JSON.stringify(this.#make())
    return this.#json
  }
}

/** Which logs a subscription is sent; filters that say the same in the same order share what matches. */
export interface LogCriteria {
  readonly query: LogQuery
  readonly key: string
}

/** The criteria of a filter. */
export function toCriteria(query: LogQuery): LogCriteria {
  return { query, key: JSON.stringify([query.addresses, query.topics]) }
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
  logs(entry: SealedEntry, { query, key }: LogCriteria): readonly Emission[] {
    const logs = () => this.#sealed.get(entry, 'logs', () => indexLogs(entry.block).map(toLogEmission))
    return this.#sealed.get(entry, `logs ${key}`, () => matching(logs(), query))
  }

  /** The logs of the transactions that a snapshot added. */
  addedLogs(payload: Payload, { query, key }: LogCriteria): readonly Emission[] {
    const logs = () =>
      this.#snapshot.get(payload, 'logs', () =>
        indexLogs(payload.block)
          .filter(({ transactionIndex }) => transactionIndex >= payload.added)
          .map(toLogEmission),
      )
    return this.#snapshot.get(payload, `logs ${key}`, () => matching(logs(), query))
  }

  /** The sealed logs that are withdrawn, newest first. */
  removedLogs(retraction: TipRetraction, { query, key }: LogCriteria): readonly Emission[] {
    const logs = () =>
      this.#retracted.get(retraction, 'sealed', () => withdrawnLogs(retraction).map(toRemovedEmission))
    return this.#retracted.get(retraction, `sealed ${key}`, () => matching(logs(), query))
  }

  /** The logs that were pre-confirmed and are withdrawn, newest first. */
  removedPendingLogs(retraction: TipRetraction, { query, key }: LogCriteria): readonly Emission[] {
    const logs = () =>
      this.#retracted.get(retraction, 'pending', () =>
        withdrawnPendingLogs(retraction).map(toRemovedEmission),
      )
    return this.#retracted.get(retraction, `pending ${key}`, () => matching(logs(), query))
  }

  /** The transactions that a snapshot added, with their receipts, or their hashes. */
  addedTransactions(payload: Payload, whole: boolean): readonly Emission[] {
    const { block, added } = payload
    return this.#snapshot.get(payload, `transactions ${whole}`, () =>
      block.transactions
        .slice(added)
        .map((tx, i) => new Emission(() => (whole ? toPreconfTransaction(tx, block, added + i) : tx.hash))),
    )
  }

  /** A snapshot. */
  snapshot(payload: Payload, dialect: DialectRules): Emission {
    return this.#snapshot.get(
      payload,
      `snapshot ${dialect.name}`,
      () => new Emission(() => toPreconfBlock(payload, dialect)),
    )
  }

  /** A snapshot's block alone. */
  snapshotBlock(payload: Payload, dialect: DialectRules): Emission {
    return this.#snapshot.get(
      payload,
      `block ${dialect.name}`,
      () => new Emission(() => toFullRpcBlock(payload.block, dialect)),
    )
  }

  /** A transaction that entered the mempool, or its hash. */
  transaction(tx: Transaction, whole: boolean): Emission {
    return this.#added.get(tx, `${whole}`, () => new Emission(() => (whole ? toRpcTransaction(tx) : tx.hash)))
  }
}

/** What was made of one source, until there is another. */
class Memo<Source extends object> {
  #source: Source | undefined
  #made = new Map<string, unknown>()

  /** @param key - names what is made, and its type with it. */
  get<T>(source: Source, key: string, make: () => T): T {
    if (source !== this.#source) {
      this.#source = source
      this.#made = new Map()
    }
    if (!this.#made.has(key)) this.#made.set(key, make())
    return this.#made.get(key) as T
  }
}

interface LogEmission {
  readonly log: IndexedLog
  readonly emission: Emission
}

function toLogEmission(log: IndexedLog): LogEmission {
  return { log, emission: new Emission(() => toRpcLog(log)) }
}

function toRemovedEmission(log: IndexedLog): LogEmission {
  return { log, emission: new Emission(() => toRpcLog(log, true)) }
}

function matching(logs: readonly LogEmission[], query: LogQuery): Emission[] {
  return logs.filter(({ log }) => matchesFilter(log, query)).map(({ emission }) => emission)
}

function toPreconfTransaction(tx: Transaction, block: Payload['block'], index: number): PreconfTransaction {
  const { logs, logsBloom, status, gasUsed, cumulativeGasUsed, contractAddress, effectiveGasPrice } =
    toRpcReceipt(block, index)
  return {
    ...toRpcTransaction(tx, { block, index }),
    logs,
    logsBloom,
    ...(status && { status }),
    gasUsed,
    cumulativeGasUsed,
    contractAddress,
    effectiveGasPrice,
  }
}
