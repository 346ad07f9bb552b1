/** What a tick takes from the mempool. */
import type { Clock } from '../clock.ts'
import type { Dropped } from '../mempool/dropMemory.ts'
import type { Mempool } from '../mempool/mempool.ts'
import { toDropReason } from '../mempool/requeue.ts'
import { ConsoleCalls, type Said } from './consoleCalls.ts'
import type { PayloadDraft } from './payload.ts'

/** A tick that executes for longer lets the host breathe between transactions. */
const YIELD_AFTER_MS = 10

/** What filling a draft works with. */
export interface FillParts {
  readonly mempool: Mempool
  readonly clock: Clock
  /** Told what the transactions say to the console; undefined where nobody wants to know. */
  readonly hear: ((said: Said) => void) | undefined
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
  { mempool, clock, hear }: FillParts,
  gasLimit: bigint,
  budget: number,
): Promise<Dropped[]> {
  const drops: Dropped[] = []
  const started = clock.now()
  let breathed = started
  const best = mempool.best()
  for (const transaction of best) {
    const now = clock.now()
    if (now - started > budget) break
    if (now - breathed > YIELD_AFTER_MS) {
      await clock.yield()
      breathed = clock.now()
    }
    const { hash, from } = transaction
    // Replaced or given up since the tick began, or too much for what is left of the block.
    const waits = !draft.hasRoomFor(transaction) && transaction.gasLimit <= gasLimit
    if (waits || mempool.get(hash) === undefined) {
      best.skip(from)
      continue
    }
    mempool.hold(hash)
    const tracer = hear && new ConsoleCalls()
    const outcome = await draft.add(transaction, tracer && { tracer })
    if (outcome.kind === 'included') {
      if (tracer !== undefined && tracer.calls.length > 0) {
        hear!({ transactionHash: hash, calls: tracer.calls })
      }
      continue
    }
    if (outcome.retryable) best.skip(from)
    else {
      const { error } = outcome
      drops.push({ transaction, reason: toDropReason(error), message: error.message })
    }
  }
  return drops
}
