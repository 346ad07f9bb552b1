/** Decides whether the mempool accepts a transaction, and which other one is replaced or evicted. Changes nothing. */
import type { Address, Hash } from '../../base/types.ts'
import { NonceTooLowError } from '../../ethereum/errors.ts'
import { type Transaction, unitOf } from '../../ethereum/transaction.ts'
import { AccountLimitError, ReplacementUnderpricedError, UnderpricedError } from './errors.ts'
import type { EvictionOrder } from './ordering.ts'
import { createEntry, type Entry, outbids, type SenderQueue } from './senderQueue.ts'
import {
  type AdmissionRules,
  type MempoolOptions,
  type MempoolSource,
  validateTransaction,
} from './validate.ts'

/** The parts of a mempool that admission depends on. */
export interface AdmissionPool {
  readonly source: MempoolSource
  readonly options: MempoolOptions
  readonly entries: ReadonlyMap<Hash, Entry>
  readonly queues: ReadonlyMap<Address, SenderQueue>
  /** The transactions that a tick is executing. */
  readonly held: ReadonlySet<Hash>
  readonly evictions: EvictionOrder
}

/** An accepted transaction, with the one it replaces or the one that is evicted for it. */
export interface Admission {
  readonly entry: Entry
  readonly replaced: Entry | undefined
  readonly victim: Entry | undefined
}

/**
 * Validates a transaction that is not in the mempool; see `Mempool.add` for `place` and the errors.
 *
 * @param queue - the sender's, or a new one.
 * @param arrival - the place in the order of arrival.
 */
export function admit(
  transaction: Transaction,
  queue: SenderQueue,
  place: number | undefined,
  arrival: number,
  { source, options, entries, queues, held, evictions }: AdmissionPool,
): Admission {
  const { from, nonce } = transaction
  const baseFee = source.nextBaseFee()
  const replaced = queue.at(nonce)
  // A transaction that was included before could be paid for, so only its own bundle counts, not all that waits.
  const all = place === undefined ? queue.cost : queue.costOf(unitOf(transaction))
  const sender = {
    nonce: source.nonceOf(from),
    balance: source.balanceOf(from),
    isContract: !transaction.unsigned && source.isContract(from),
    committed: all - (replaced?.cost ?? 0n),
  }
  const now = source.rules()
  // What was included before may enter again, whatever its fees and blobs.
  const rules: AdmissionRules =
    place === undefined ? { ...now, baseFee } : { ...now, blobs: true, baseFee: 0n, minFeeCap: 0n }
  validateTransaction(transaction, rules, sender)

  const entry = createEntry(transaction, arrival)
  if (replaced !== undefined) {
    // A tick is executing the replaced transaction, so the nonce is about to be used.
    if (held.has(replaced.transaction.hash)) throw new NonceTooLowError()
    if (!outbids(entry, replaced, options.priceBump)) throw new ReplacementUnderpricedError()
    return { entry, replaced, victim: undefined }
  }
  if (place !== undefined) return { entry, replaced, victim: undefined }
  if (queue.entries.length >= options.maxPerSender) throw new AccountLimitError()
  if (entries.size < options.maxTransactions) return { entry, replaced, victim: undefined }
  const victim = evictions.firstBelow(entry, queue, queues, baseFee)
  // A transaction that a tick is executing can no longer be evicted.
  if (victim === undefined || held.has(victim.transaction.hash)) throw new UnderpricedError()
  return { entry, replaced, victim }
}
