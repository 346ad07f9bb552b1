/** What a tick takes from the mempool. */

import { ConsoleCalls, type ConsoleEntry } from '../evm/consoleCalls.ts'
import type { Hooks } from '../evm/executor.ts'
import type { Dropped } from '../mempool/dropMemory.ts'
import type { Mempool } from '../mempool/mempool.ts'
import type { Clock } from '../primitives/clock.ts'
import type { Hash } from '../primitives/types.ts'
import { createYielder } from '../primitives/yielder.ts'
import { unitOf } from '../protocol/bundle.ts'
import { gasOf, type Transaction } from '../protocol/transaction.ts'
import { includeUnit } from './includeUnit.ts'
import type { PayloadDraft } from './payload.ts'

/** What filling a draft works with. */
export interface FillParts {
  readonly mempool: Mempool
  readonly clock: Clock
  /** Told what the transactions write to the console; undefined if there are no listeners. */
  readonly onConsole: ((entry: ConsoleEntry) => void) | undefined
}

/**
 * Fills a draft with the best that waits. What it executes is held in the mempool until the caller releases it.
 *
 * @param gasLimit - the block's: what needs more can wait no longer.
 * @param budget - milliseconds after which no further transaction is begun.
 * @returns what may not be executed at all.
 */
export async function fillDraft(
  draft: PayloadDraft,
  { mempool, clock, onConsole }: FillParts,
  gasLimit: bigint,
  budget: number,
): Promise<Dropped[]> {
  const drops: Dropped[] = []
  const started = clock.now()
  const pause = createYielder(clock)
  const best = mempool.best()
  for (const transaction of best) {
    if (clock.now() - started > budget) break
    await pause()
    const unit = unitOf(transaction)
    // A bundle came with its first.
    if (transaction !== unit[0]) continue
    // Replaced or given up since the tick began, or too much for what is left of the block.
    const waits = !draft.hasRoomFor(...unit) && gasOf(unit) <= gasLimit
    if (waits || unit.some(({ hash }) => mempool.get(hash) === undefined)) {
      best.skip(transaction.from)
      continue
    }
    for (const { hash } of unit) mempool.hold(hash)
    const heard: { readonly transactionHash: Hash; readonly tracer: ConsoleCalls }[] = []
    const listen = ({ hash }: Transaction): Hooks => {
      const tracer = new ConsoleCalls()
      heard.push({ transactionHash: hash, tracer })
      return { tracer }
    }
    const refusal = await includeUnit(draft, unit, onConsole && listen)
    if (refusal === undefined) {
      for (const { transactionHash, tracer } of heard) {
        if (tracer.calls.length > 0) onConsole!({ transactionHash, calls: tracer.calls })
      }
    } else if (refusal.retryable) best.skip(transaction.from)
    else {
      const { reason, message } = refusal
      drops.push(...unit.map((one) => ({ transaction: one, reason, message })))
    }
  }
  return drops
}
