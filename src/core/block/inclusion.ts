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
import { BlockBuilder } from './blockBuilder.ts'
import type { Payload, PayloadConfig, PayloadStart } from './payload.ts'

interface Refusal {
  /** Whether a later block may include the transaction or bundle. */
  readonly retryable: boolean
  readonly reason: DropReason
  readonly message: string
}

/** Adds a transaction or a bundle, or leaves the block unchanged. Returns the refusal, if any. */
function includeUnit(
  builder: BlockBuilder,
  unit: readonly Transaction[],
  hooksFor?: (transaction: Transaction) => Hooks | undefined,
): MaybePromise<Refusal | undefined> {
  const transaction = unit[0]!
  if (transaction.bundle !== undefined) return includeBundle(builder, unit, hooksFor)
  // No mark is needed: a refused transaction changes nothing.
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
    // `builder.add` compares the transaction's gas with the block's limit, not with the gas that is left.
    const outcome: Included | Rejected = builder.hasRoomFor(one)
      ? await builder.add(one, undefined, hooksFor?.(one))
      : { kind: 'rejected', error: new BlockGasLimitError(), retryable: false }
    const refusal = refusalOf(outcome, one, index)
    if (refusal === undefined) continue
    undo()
    return refusal
  }
  return undefined
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

interface FillParts {
  readonly mempool: Mempool
  readonly clock: Pick<Clock, 'now'>
  /** Called with each console output; undefined without listeners. */
  readonly onConsole: ((entry: ConsoleEntry) => void) | undefined
  /** A place in the order of arrival. Only earlier transactions are added. */
  readonly before?: number | undefined
  /** Milliseconds after which no transaction is started. */
  readonly budget: number
}

/**
 * Fills a block with the best waiting transactions, and returns the ones that no later block can include. The executed
 * ones are held in the mempool until the caller calls `releaseHeld`.
 */
export async function fillBlock(
  builder: BlockBuilder,
  { mempool, clock, onConsole, before, budget }: FillParts,
): Promise<Dropped[]> {
  const { gasLimit } = builder.env
  const drops: Dropped[] = []
  const started = clock.now()
  const best = mempool.best(undefined, undefined, before)
  const watching: Hooks[] = []
  const watch = ({ hash }: Transaction) => {
    const hooks = watchExecution(hash, onConsole)
    if (hooks !== undefined) watching.push(hooks)
    return hooks
  }
  for (const transaction of best) {
    if (clock.now() - started > budget) break
    const wait = builder.pause()
    if (wait) await wait
    const unit = unitOf(transaction)
    // The first transaction of a bundle adds the whole bundle.
    if (transaction !== unit[0]) continue
    // Skips units that only a later block has room for, and units replaced or evicted since the tick began.
    const waits = !builder.hasRoomFor(...unit) && gasOf(unit) <= gasLimit
    if (waits || unit.some(({ hash }) => mempool.get(hash) === undefined)) {
      best.skip(transaction.from)
      continue
    }
    for (const { hash } of unit) mempool.hold(hash)
    watching.length = 0
    const hooksFor = onConsole !== undefined || isWatching() ? watch : undefined
    const included = includeUnit(builder, unit, hooksFor)
    const refusal = included instanceof Promise ? await included : included
    if (refusal === undefined) {
      for (const hooks of watching) hooks.onKept?.()
    } else if (refusal.retryable) best.skip(transaction.from)
    else {
      const { reason, message } = refusal
      for (const one of unit) drops.push({ transaction: one, reason, message })
    }
  }
  return drops
}

/** Adds the transactions that fit and may be included. Adds a bundle whole or not at all. */
export async function includeAll(builder: BlockBuilder, transactions: readonly Transaction[]): Promise<void> {
  for (const unit of unitsOf(transactions)) {
    if (builder.hasRoomFor(...unit)) await includeUnit(builder, unit)
    const wait = builder.pause()
    if (wait) await wait
  }
}

/** Executes transactions again as preconf block `index`, without the ones that cannot be included. */
export async function rebuildPayload(
  config: PayloadConfig,
  opened: PayloadStart,
  transactions: readonly Transaction[],
  index: number,
  pause: Yielder,
): Promise<Payload> {
  const builder = new BlockBuilder(config, opened, pause)
  await builder.begin()
  await includeAll(builder, transactions)
  return builder.end(index)
}
