import { type Clock, realNow, systemClock } from './clock.ts'
import type { MaybePromise } from './types.ts'

/**
 * Thrown when code reads a value that is not loaded yet. No failure: the caller awaits `load` and runs the code again.
 * Until then the code must not have changed anything that the second run reads.
 */
export class Missing extends Error {
  override name = 'Missing'
  readonly kind = 'missing'
  /** @param load - loads the value; rejects if it cannot be loaded. */
  constructor(readonly load: () => Promise<void>) {
    super('a value was read before it was loaded')
  }
}

/**
 * Runs `run` to its end: loads missing values and runs it again, and resumes it while it is suspended. A run that
 * throws {@link Missing} must leave nothing changed. Calls `pause` while the work is suspended.
 *
 * @returns the result; a promise only if `run` returns one, was suspended, or something had to be loaded.
 */
export function whenLoaded<Value>(
  run: () => Promise<Value> | Resumable<Value>,
  pause?: Pause,
): MaybePromise<Value> {
  const runAgain = async (reason: unknown): Promise<Value> => {
    if (!(reason instanceof Missing)) throw reason
    await reason.load()
    return whenLoaded(run, pause)
  }
  try {
    const work = run()
    const value = work instanceof Suspended ? resumeToEnd(work, pause) : work
    return value instanceof Promise ? value.catch(runAgain) : value
  } catch (reason) {
    return runAgain(reason)
  }
}

/** Returns a getter of the library. Until it is loaded, the getter throws a {@link Missing} that calls `load`. */
export function lazily<Library>(load: () => Promise<Library>): () => Library {
  let library: Library | undefined
  return () => {
    if (library === undefined) {
      throw new Missing(async () => {
        library = await load()
      })
    }
    return library
  }
}

export class Suspended<Value> {
  /**
   * @param resume - continues the work; called once. Throws the errors of the work.
   * @param ready - to wait for before `resume`; absent if the work was only suspended for taking long.
   */
  constructor(
    readonly resume: () => Resumable<Value>,
    readonly ready?: Promise<void>,
  ) {}
}

export type Resumable<Value> = Value | Suspended<Value>

export function mapResult<From, To>(work: Resumable<From>, convert: (result: From) => To): Resumable<To> {
  if (!(work instanceof Suspended)) return convert(work)
  return new Suspended(() => mapResult(work.resume(), convert), work.ready)
}

export async function resumeToEnd<Value>(work: Resumable<Value>, pause?: Pause): Promise<Value> {
  let at = work
  while (at instanceof Suspended) {
    await (at.ready ?? pause?.())
    at = at.resume()
  }
  return at
}

// Sharing the event loop: it turns every few milliseconds of real time, which a manual clock cannot measure, in long
// work and in loops that await answers. Owns: the time of the first answer since the last turn, once per realm.

export const YIELD_AFTER_MS = 10

/** Yields if it is due; see {@link createYielder}. In tight loops: `const wait = pause(); if (wait) await wait`. */
export type Pause = () => Promise<void> | undefined

/** A {@link Pause} for work that is suspended while its caller yields. */
export interface Yielder extends Pause {
  isDue(): boolean
}

/**
 * Creates a function to call between the steps of long work. It yields to the event loop when {@link YIELD_AFTER_MS} of
 * real time have passed since the last turn. @param check - called after each turn; throws to end unneeded work.
 */
export function createYielder(clock: Pick<Clock, 'yield'>, check?: () => void): Yielder {
  let last = realNow()
  const isDue = (): boolean => realNow() - last >= YIELD_AFTER_MS
  const turn = async (): Promise<void> => {
    await clock.yield()
    last = realNow()
    check?.()
  }
  return Object.assign(() => (isDue() ? turn() : undefined), { isDue })
}

/** When the first answer since the last turn was given; undefined if there was none. */
let firstAnswerAt: number | undefined
let nextTurn: Promise<void> | undefined
let heldBack = 0

/**
 * The turn of the event loop to wait for before giving an answer, if answers have been given for {@link YIELD_AFTER_MS}
 * without a turn. Otherwise a loop that awaits answers by promises alone would keep the host's timers from firing.
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
 * Turns the event loop once, and again while answers are held back: then all code that waits only for promises and
 * answers has continued. At most `maxTurns` times, since a loop of awaited answers may never end.
 */
export async function turnUntilIdle(maxTurns: number): Promise<void> {
  for (let left = maxTurns; left > 0; left--) {
    await systemClock.yield()
    if (heldBack === 0) return
  }
}
