/** Adds transactions of the mempool to the next snapshot. */

import type { Clock } from '../../base/clock.ts'
import type { Hash } from '../../base/types.ts'
import { unitOf } from '../../ethereum/bundle.ts'
import { ConsoleCalls, type ConsoleEntry } from '../../ethereum/evm/consoleCalls.ts'
import type { Hooks } from '../../ethereum/evm/executor.ts'
import { isWatching, type WatchedExecution, watchExecution } from '../../ethereum/evm/watchedExecution.ts'
import { gasOf, type Transaction } from '../../ethereum/transaction.ts'
import type { Dropped } from '../mempool/dropMemory.ts'
import type { Mempool } from '../mempool/mempool.ts'
import { includeUnit } from './includeUnit.ts'
import type { PayloadDraft } from './payload.ts'

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
    const traced: Traced[] | undefined = onConsole !== undefined || isWatching() ? [] : undefined
    const included = includeUnit(
      draft,
      unit,
      traced && ((one) => trace(one, traced, onConsole !== undefined)),
    )
    const refusal = included instanceof Promise ? await included : included
    if (refusal === undefined) {
      if (traced !== undefined) report(traced, onConsole)
    } else if (refusal.retryable) best.skip(transaction.from)
    else {
      const { reason, message } = refusal
      for (const one of unit) drops.push({ transaction: one, reason, message })
    }
  }
  return drops
}

interface Traced {
  readonly transactionHash: Hash
  readonly output: ConsoleCalls | undefined
  readonly watched: WatchedExecution | undefined
}

function trace({ hash }: Transaction, traced: Traced[], toConsole: boolean): Hooks {
  const output = toConsole ? new ConsoleCalls() : undefined
  const watched = watchExecution(output)
  traced.push({ transactionHash: hash, output, watched })
  const tracer = watched?.tracer ?? output
  return tracer === undefined ? {} : { tracer }
}

function report(traced: readonly Traced[], onConsole: FillParts['onConsole']): void {
  for (const { transactionHash, output, watched } of traced) {
    watched?.count()
    if (output !== undefined && output.calls.length > 0) onConsole?.({ transactionHash, calls: output.calls })
  }
}
