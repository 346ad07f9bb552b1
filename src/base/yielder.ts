/**
 * Sharing the event loop: it turns every few milliseconds of real time during long work, and in loops that
 * await answers. The chain's clock cannot measure this, since a manual clock stands still.
 *
 * Owns: the time of the first answer since the event loop last turned; one per realm, since a realm has one event loop.
 */
import { type Clock, realNow, systemClock } from './clock.ts'

/** Milliseconds of real time after which the event loop turns. */
export const YIELD_AFTER_MS = 10

/** Yields if it is due; see {@link createYielder}. In tight loops: `const wait = pause(); if (wait) await wait`. */
export type Pause = () => Promise<void> | undefined

/** A {@link Pause} for work that is suspended while its caller yields. */
export interface Yielder extends Pause {
  /** Whether a call would yield. */
  isDue(): boolean
}

/**
 * Creates a function to call between the steps of long work. It yields to the event loop if at least
 * {@link YIELD_AFTER_MS} of real time have passed since it last did, and otherwise returns undefined at once.
 *
 * @param after - other milliseconds, for work that depends on messages.
 * @param check - called after each turn; it throws if the work is to end, since nobody waits for it any longer.
 * @example
 * const pause = createYielder(clock)
 * for (const step of steps) {
 *   step()
 *   await pause()
 * }
 */
export function createYielder(
  clock: Pick<Clock, 'yield'>,
  after = YIELD_AFTER_MS,
  check?: () => void,
): Yielder {
  let last = realNow()
  const isDue = (): boolean => realNow() - last >= after
  const pause = () => {
    if (!isDue()) return undefined
    return clock.yield().then(() => {
      last = realNow()
      check?.()
    })
  }
  pause.isDue = isDue
  return pause
}

/** When the first answer was given since the event loop turned; undefined if there was none. */
let firstAnswerAt: number | undefined
let nextTurn: Promise<void> | undefined
let heldBack = 0
/** Work that goes on after turns of its own; see {@link beginWork}. */
let working = 0

/**
 * Whether the event loop has to turn before another answer is given: if answers came by promises alone, a loop that
 * awaits them would keep every timer of the host from firing.
 *
 * @returns the next turn if answers have been given for {@link YIELD_AFTER_MS} without one, else undefined.
 */
export function turnBeforeAnswer(): Promise<void> | undefined {
  if (firstAnswerAt === undefined) {
    firstAnswerAt = realNow()
    nextTurn = systemClock.yield().then(() => {
      firstAnswerAt = undefined
      heldBack = 0
    })
    return undefined
  }
  if (realNow() - firstAnswerAt < YIELD_AFTER_MS) return undefined
  heldBack += 1
  return nextTurn
}

/** Passes an answer on, later if the event loop has to turn first; see {@link turnBeforeAnswer}. */
export function holdBack<Answer>(answer: Promise<Answer>): Promise<Answer> {
  return answer.then(
    (value) => turnBeforeAnswer()?.then(() => value) ?? value,
    async (thrown) => {
      await turnBeforeAnswer()
      throw thrown
    },
  )
}

/**
 * Begins work for which requests wait, and which lets the event loop turn in between.
 *
 * @returns a function that ends it.
 */
export function beginWork(): () => void {
  working += 1
  return () => {
    working -= 1
  }
}

/**
 * Lets the event loop turn once, and again as long as answers are held back for a turn or work goes on for them: then all
 * code that waits only for promises and answers has continued.
 *
 * @param maxTurns - the most turns of {@link YIELD_AFTER_MS}, since a loop of awaited answers may never end.
 */
export async function turnUntilIdle(maxTurns: number): Promise<void> {
  const end = realNow() + maxTurns * YIELD_AFTER_MS
  for (let left = maxTurns; left > 0; ) {
    await systemClock.yield()
    if (heldBack > 0) left -= 1
    else if (working === 0 || realNow() >= end) return
  }
}
