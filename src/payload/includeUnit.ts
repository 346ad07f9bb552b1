/** Transactions on their way into a block: one by itself, or a bundle of which all succeed or none enters. */

import type { Hooks, Included, Rejected } from '../evm/executor.ts'
import { toDropReason } from '../mempool/requeue.ts'
import type { DropReason } from '../primitives/eventTypes.ts'
import { BlockGasLimitError } from '../protocol/errors.ts'
import type { Transaction } from '../protocol/transaction.ts'
import type { PayloadDraft } from './payload.ts'

/** Why nothing of a unit entered. */
export interface Refusal {
  /** Whether it may enter a later block. */
  readonly retryable: boolean
  readonly reason: DropReason
  readonly message: string
}

/**
 * Adds a unit to a draft, or if it cannot be included nothing of it.
 *
 * @param unit - a transaction, or a bundle; see `unitOf`.
 * @returns undefined if it was added.
 */
export async function includeUnit(
  draft: PayloadDraft,
  unit: readonly Transaction[],
  hooksFor?: (transaction: Transaction) => Hooks,
): Promise<Refusal | undefined> {
  const undo = draft.mark()
  for (const [index, transaction] of unit.entries()) {
    const outcome = await add(draft, transaction, hooksFor?.(transaction))
    const refusal = refusalOf(outcome, transaction, index)
    if (refusal === undefined) continue
    undo()
    return refusal
  }
  return undefined
}

/** An executor looks at the gas limit of one transaction, and not at what those before it have left of the block. */
async function add(
  draft: PayloadDraft,
  transaction: Transaction,
  hooks?: Hooks,
): Promise<Included | Rejected> {
  if (transaction.bundle !== undefined && !draft.hasRoomFor(transaction)) {
    return { kind: 'rejected', error: new BlockGasLimitError(), retryable: false }
  }
  return draft.add(transaction, hooks)
}

function refusalOf(
  outcome: Included | Rejected,
  { bundle }: Transaction,
  index: number,
): Refusal | undefined {
  if (outcome.kind === 'rejected') {
    const { error, retryable } = outcome
    return { retryable, reason: toDropReason(error), message: error.message }
  }
  if (bundle === undefined || outcome.succeeded) return undefined
  const message = `calls[${index}] of its batch failed: ${outcome.error}`
  return { retryable: false, reason: 'reverted', message }
}
