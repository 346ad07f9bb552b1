/** Inclusion in a block of one transaction, or of a bundle: all of its transactions succeed, or none is included. */

import type { Hooks, Included, Rejected } from '../evm/executor.ts'
import { toDropReason } from '../mempool/requeue.ts'
import type { DropReason } from '../primitives/eventTypes.ts'
import { BlockGasLimitError } from '../protocol/errors.ts'
import type { Transaction } from '../protocol/transaction.ts'
import type { PayloadDraft } from './payload.ts'

/** Why a unit was not included. */
export interface Refusal {
  /** Whether a later block may include it. */
  readonly retryable: boolean
  readonly reason: DropReason
  readonly message: string
}

/**
 * Adds a unit to a draft; if it cannot be included, the draft stays unchanged.
 *
 * @param unit - a transaction, or a bundle; see `unitOf`.
 * @returns undefined if it was added.
 */
export async function includeUnit(
  draft: PayloadDraft,
  unit: readonly Transaction[],
  hooksFor?: (transaction: Transaction) => Hooks,
): Promise<Refusal | undefined> {
  // The same without marks, which most transactions do not need: one that is refused changes nothing.
  const [transaction] = unit
  if (transaction !== undefined && transaction.bundle === undefined) {
    return refusalOf(await add(draft, transaction, hooksFor?.(transaction)), transaction, 0)
  }
  const undo = draft.mark()
  for (const [index, one] of unit.entries()) {
    const outcome = await add(draft, one, hooksFor?.(one))
    const refusal = refusalOf(outcome, one, index)
    if (refusal === undefined) continue
    undo()
    return refusal
  }
  return undefined
}

/** Adds a transaction. `draft.add` checks its gas limit against the block's, not against what is left of that. */
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
