/** Includes single transactions and bundles in a block. A bundle is included only if all its transactions succeed. */

import type { Clock } from '../../base/clock.ts'
import type { DropReason } from '../../base/eventTypes.ts'
import type { MaybePromise } from '../../base/types.ts'
import type { Yielder } from '../../base/waiting.ts'
import { BlockGasLimitError } from '../../ethereum/errors.ts'
import type { Hooks, Included, Rejected } from '../../ethereum/evm/executor.ts'
import { type ConsoleEntry, isWatching, watchExecution } from '../../ethereum/evm/hooks.ts'
import { gasOf, type Transaction, unitOf, unitsOf } from '../../ethereum/transaction.ts'
import type { Dropped, Mempool } from '../mempool/mempool.ts'
import { toDropReason } from '../mempool/requeue.ts'
import type { PayloadAttributes } from './attributes.ts'
import { BlockBuilder } from './blockBuilder.ts'
import { openBlock, type Payload, type PayloadConfig, type PayloadParent } from './payload.ts'

/** Why a transaction or a bundle was not included. */
export interface Refusal {
  /** Whether a later block may include the transaction or bundle. */
  readonly retryable: boolean
  readonly reason: DropReason
  readonly message: string
}

/**
 * Adds a transaction or a bundle to a block. A refused one leaves the block unchanged.
 *
 * @param unit - a transaction or a bundle; see `unitOf`.
 * @returns undefined if the unit was added, otherwise the refusal. A promise for a bundle, or if the execution paused.
 */
export function includeUnit(
  builder: BlockBuilder,
  unit: readonly Transaction[],
  hooksFor?: (transaction: Transaction) => Hooks | undefined,
): MaybePromise<Refusal | undefined> {
  const transaction = unit[0]!
  if (transaction.bundle !== undefined) return includeBundle(builder, unit, hooksFor)
  // Without a mark: a refused transaction changes nothing.
  const outcome = builder.add(transaction, undefined, hooksFor?.(transaction))
  return outcome instanceof Promise
    ? outcome.then((added) => refusalOf(added, transaction, 0))
    : refusalOf(outcome, transaction, 0)
}

async function includeBundle(
  builder: BlockBuilder,
  unit: readonly Transaction[],
  hooksFor?: (transaction: Transaction) => Hooks | undefined,
): Promise<Refusal | undefined> {
  const undo = builder.mark()
  for (const [index, one] of unit.entries()) {
    const outcome = await add(builder, one, hooksFor?.(one))
    const refusal = refusalOf(outcome, one, index)
    if (refusal === undefined) continue
    undo()
    return refusal
  }
  return undefined
}

/** Adds a transaction of a bundle, if the block has room: `builder.add` compares gas with the block's limit only. */
function add(
  builder: BlockBuilder,
  transaction: Transaction,
  hooks?: Hooks,
): MaybePromise<Included | Rejected> {
  if (!builder.hasRoomFor(transaction)) {
    return { kind: 'rejected', error: new BlockGasLimitError(), retryable: false }
  }
  return builder.add(transaction, undefined, hooks)
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

/** The parts that {@link fillBlock} uses. */
export interface FillParts {
  readonly mempool: Mempool
  readonly clock: Pick<Clock, 'now'>
  /** Called with each console output; undefined without listeners. */
  readonly onConsole: ((entry: ConsoleEntry) => void) | undefined
  /** A place in the order of arrival. Only earlier transactions are added. */
  readonly before?: number | undefined
}

/**
 * Fills a block with the best waiting transactions. The mempool holds the executed ones until the caller releases them.
 *
 * @param gasLimit - the block's gas limit. Transactions that need more are dropped.
 * @param budget - milliseconds after which no transaction is started.
 * @returns the transactions that no later block can include.
 */
export async function fillBlock(
  builder: BlockBuilder,
  { mempool, clock, onConsole, before }: FillParts,
  gasLimit: bigint,
  budget: number,
): Promise<Dropped[]> {
  const drops: Dropped[] = []
  const started = clock.now()
  const best = mempool.best(undefined, undefined, before)
  for (const transaction of best) {
    if (clock.now() - started > budget) break
    const wait = builder.pause()
    if (wait) await wait
    const unit = unitOf(transaction)
    // The first transaction of a bundle adds the whole bundle.
    if (transaction !== unit[0]) continue
    // Skip units that do not fit the rest of the block, and units replaced or evicted since the tick began.
    const waits = !builder.hasRoomFor(...unit) && gasOf(unit) <= gasLimit
    if (waits || unit.some(({ hash }) => mempool.get(hash) === undefined)) {
      best.skip(transaction.from)
      continue
    }
    for (const { hash } of unit) mempool.hold(hash)
    const watching: Hooks[] | undefined = onConsole !== undefined || isWatching() ? [] : undefined
    const included = includeUnit(builder, unit, watching && ((one) => watch(one, onConsole, watching)))
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

/** Adds the transactions that fit and may be included. Adds a bundle whole or not at all. */
export async function includeAll(builder: BlockBuilder, transactions: readonly Transaction[]): Promise<void> {
  for (const unit of unitsOf(transactions)) {
    if (builder.hasRoomFor(...unit)) await includeUnit(builder, unit)
    const wait = builder.pause()
    if (wait) await wait
  }
}

/** The content of a block to rebuild. */
export interface RebuildParts {
  readonly parent: PayloadParent
  readonly attributes: PayloadAttributes
  /** In this order. Transactions that cannot be included are left out. */
  readonly transactions: readonly Transaction[]
  /** The index of the resulting preconf block. */
  readonly index: number
}

/** Executes transactions again as one preconf block. @param pause - called during execution and after each unit. */
export async function rebuildPayload(
  config: PayloadConfig,
  { parent, attributes, transactions, index }: RebuildParts,
  pause: Yielder,
): Promise<Payload> {
  const builder = new BlockBuilder(config, openBlock(config, parent, attributes), pause)
  await builder.begin()
  await includeAll(builder, transactions)
  return builder.end(index)
}
