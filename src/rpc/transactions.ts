/** Finds transactions at any stage: sealed, pre-confirmed or waiting. */

import type { PresealRpcTransaction } from '../base/rpcTypes.ts'
import type { Address, Hash } from '../base/types.ts'
import type { ViewedTip } from '../core/view/view.ts'
import type { Transaction } from '../ethereum/transaction.ts'
import { toRpcTransaction } from './format/format.ts'
import type { ReadContext } from './method.ts'

type Context = Pick<ReadContext, 'viewed' | 'read'>

/** A transaction and, if the view shows one, its place in a block. */
export interface FoundTransaction {
  readonly tx: Transaction
  readonly place?: NonNullable<ReturnType<ViewedTip['findTransaction']>>
}

/** Finds a transaction by hash, in a block if the view shows one, else among the waiting ones. */
export function findTransaction({ viewed, read }: Context, hash: Hash): FoundTransaction | undefined {
  return found(viewed.findTransaction(hash), viewed.findPending(hash) ?? read.mempool.get(hash))
}

/** Finds a transaction by sender and nonce. A sealed transaction is found only within the history. */
export function findByNonce(
  { viewed, read }: Context,
  sender: Address,
  nonce: bigint,
): FoundTransaction | undefined {
  const waiting = viewed.findPendingByNonce(sender, nonce) ?? read.mempool.at(sender, nonce)
  return found(viewed.findByNonce(sender, nonce), waiting)
}

/** Converts a found transaction to the wire format; null if there is none. */
export function toFoundTransaction(transaction: FoundTransaction | undefined): PresealRpcTransaction | null {
  return transaction === undefined ? null : toRpcTransaction(transaction.tx, transaction.place)
}

function found(
  place: FoundTransaction['place'],
  waiting: Transaction | undefined,
): FoundTransaction | undefined {
  if (place !== undefined) return { tx: place.block.transactions[place.index]!, place }
  return waiting === undefined ? undefined : { tx: waiting }
}
