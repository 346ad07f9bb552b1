/**
 * Long work yields to the event loop every few milliseconds of real time. The chain's time says nothing about that:
 * under a manual clock it stands still while the work goes on.
 */
import { type Clock, realNow } from './clock.ts'

/** Milliseconds of real time after which work yields to the event loop. */
export const YIELD_AFTER_MS = 10

/**
 * Creates a function to be called between two steps of long work: it yields to the event loop if at least
 * {@link YIELD_AFTER_MS} of real time have passed since it last did, and otherwise answers undefined at once.
 *
 * @example
 * const pause = createYielder(clock)
 * for (const step of steps) {
 *   step()
 *   await pause()
 * }
 */
export function createYielder(clock: Pick<Clock, 'yield'>): () => Promise<void> | undefined {
  let last = realNow()
  const yieldNow = async (): Promise<void> => {
    await clock.yield()
    last = realNow()
  }
  return () => (realNow() - last < YIELD_AFTER_MS ? undefined : yieldNow())
}
