/** Inclusion in a block of one transaction, or of a bundle: all of its transactions succeed, or none is included. */

import type { DropReason } from '../../base/eventTypes.ts'
import type { MaybePromise } from '../../base/types.ts'
import { BlockGasLimitError } from '../../ethereum/errors.ts'
import type { Hooks, Included, Rejected } from '../../ethereum/evm/executor.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { toDropReason } from '../mempool/requeue.ts'
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
 * @returns undefined if it was added; a promise only if that took a pause, or for a bundle.
 */
export function includeUnit(
  draft: PayloadDraft,
  unit: readonly Transaction[],
  hooksFor?: (transaction: Transaction) => Hooks,
): MaybePromise<Refusal | undefined> {
  const transaction = unit[0]!
  if (transaction.bundle !== undefined) return includeBundle(draft, unit, hooksFor)
  // The same without marks, which most transactions do not need: one that is refused changes nothing.
  const outcome = draft.add(transaction, hooksFor?.(transaction))
  return outcome instanceof Promise
    ? outcome.then((added) => refusalOf(added, transaction, 0))
    : refusalOf(outcome, transaction, 0)
}

async function includeBundle(
  draft: PayloadDraft,
  unit: readonly Transaction[],
  hooksFor?: (transaction: Transaction) => Hooks,
): Promise<Refusal | undefined> {
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

/**
 * Adds a transaction of a bundle. `draft.add` checks its gas limit against the block's, not against what is left of
 * that.
 */
function add(
  draft: PayloadDraft,
  transaction: Transaction,
  hooks?: Hooks,
): MaybePromise<Included | Rejected> {
  if (!draft.hasRoomFor(transaction)) {
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
