/** Inclusion in a block of one transaction, or of a bundle: all of its transactions succeed, or none is included. */

import type { Clock } from '../../base/clock.ts'
import type { DropReason } from '../../base/eventTypes.ts'
import type { MaybePromise } from '../../base/types.ts'
import type { Yielder } from '../../base/waiting.ts'
import { BlockGasLimitError } from '../../ethereum/errors.ts'
import type { Hooks, Included, Rejected } from '../../ethereum/evm/executor.ts'
import { type ConsoleEntry, isWatching, watchExecution } from '../../ethereum/evm/hooks.ts'
import type { StateReader } from '../../ethereum/state/account.ts'
import { changesSince, isUnchanged, Layer } from '../../ethereum/state/layer.ts'
import { gasOf, type Transaction, unitOf, unitsOf } from '../../ethereum/transaction.ts'
import type { Dropped, Mempool } from '../mempool/mempool.ts'
import { toDropReason } from '../mempool/requeue.ts'
import type { PayloadAttributes } from './attributes.ts'
import {
  type Payload,
  type PayloadConfig,
  PayloadDraft,
  type PayloadParent,
  startPayload,
} from './payload.ts'

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
  hooksFor?: (transaction: Transaction) => Hooks | undefined,
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
  hooksFor?: (transaction: Transaction) => Hooks | undefined,
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

// Adds transactions of the mempool to the next snapshot.

/** The parts of a chain that {@link fillDraft} uses. */
export interface FillParts {
  readonly mempool: Mempool
  readonly clock: Pick<Clock, 'now'>
  /** Called with what each transaction writes to the console; undefined if there are no listeners. */
  readonly onConsole: ((entry: ConsoleEntry) => void) | undefined
  /** A place in the order of arrival: only transactions with earlier ones are added. */
  readonly before?: number | undefined
}

/**
 * Fills a draft with the best waiting transactions. The mempool holds the executed ones until the caller
 * releases them.
 *
 * @param gasLimit - the block's; transactions that need more are dropped.
 * @param budget - milliseconds after which no further transaction is started.
 * @returns the transactions that no later block can include either.
 */
export async function fillDraft(
  draft: PayloadDraft,
  { mempool, clock, onConsole, before }: FillParts,
  gasLimit: bigint,
  budget: number,
): Promise<Dropped[]> {
  const drops: Dropped[] = []
  const started = clock.now()
  const best = mempool.best(undefined, undefined, before)
  for (const transaction of best) {
    if (clock.now() - started > budget) break
    const wait = draft.pause()
    if (wait) await wait
    const unit = unitOf(transaction)
    // A bundle is added with its first transaction.
    if (transaction !== unit[0]) continue
    // It was replaced or evicted since the tick began, or does not fit into the rest of the block.
    const waits = !draft.hasRoomFor(...unit) && gasOf(unit) <= gasLimit
    if (waits || unit.some(({ hash }) => mempool.get(hash) === undefined)) {
      best.skip(transaction.from)
      continue
    }
    for (const { hash } of unit) mempool.hold(hash)
    const watching: Hooks[] | undefined = onConsole !== undefined || isWatching() ? [] : undefined
    const included = includeUnit(draft, unit, watching && ((one) => watch(one, onConsole, watching)))
    const refusal = included instanceof Promise ? await included : included
    if (refusal === undefined) {
      if (watching !== undefined) for (const hooks of watching) hooks.onKept?.()
    } else if (refusal.retryable) best.skip(transaction.from)
    else {
      const { reason, message } = refusal
      for (const one of unit) drops.push({ transaction: one, reason, message })
    }
  }
  return drops
}

function watch(
  { hash }: Transaction,
  onConsole: FillParts['onConsole'],
  watching: Hooks[],
): Hooks | undefined {
  const hooks = watchExecution(hash, onConsole)
  if (hooks !== undefined) watching.push(hooks)
  return hooks
}

/** What a block under construction is rebuilt from. */
export interface RebuildParts {
  readonly parent: PayloadParent
  readonly attributes: PayloadAttributes
  /** In this order; those that cannot be included are omitted. */
  readonly transactions: readonly Transaction[]
  /** The index of the resulting snapshot. */
  readonly index: number
}

/** Executes transactions again, as one snapshot of a new block. @param pause - called during them, and after each unit. */
export async function rebuildPayload(
  config: PayloadConfig,
  { parent, attributes, transactions, index }: RebuildParts,
  pause: Yielder,
): Promise<Payload> {
  const draft = new PayloadDraft(config, await startPayload(config, parent, attributes, pause), pause)
  for (const unit of unitsOf(transactions)) {
    if (draft.hasRoomFor(...unit)) await includeUnit(draft, unit)
    await pause()
  }
  return draft.publish(index)
}

/** The same payload over an equal state: the version that its parent's layers were committed to. */
export function rebasePayload(payload: Payload, parent: PayloadParent): Payload {
  const { base } = payload
  const rebase = (top: StateReader, below: StateReader, onto: StateReader): StateReader => {
    const changes = changesSince(top, below)
    return isUnchanged(changes) ? onto : new Layer(onto, changes)
  }
  const layer = rebase(base.layer, base.parent.state, parent.state)
  const state = rebase(payload.state, base.layer, layer)
  return { ...payload, state, base: { ...base, parent, layer } }
}
