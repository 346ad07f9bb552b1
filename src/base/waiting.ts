import { type Clock, realNow, systemClock, type Timer } from './clock.ts'
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

/** How long a caller waits for work that another caller began, in milliseconds. */
const MAX_SHARED_MS = 1000

/**
 * Returns a function that loads a value once per realm. Callers that come meanwhile share the load, but begin one
 * themselves after {@link MAX_SHARED_MS}: a host may have destroyed the context in which it ran. A failed load is begun
 * again by the next call.
 */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: { readonly value: Value } | undefined
  let loading: Promise<Value> | undefined
  const begin = (): Promise<Value> => {
    const begun = load()
      .then((value) => {
        loaded ??= { value }
        return loaded.value
      })
      .finally(() => {
        if (loading === begun) loading = undefined
      })
    loading = begun
    return begun
  }
  return async () => {
    if (loaded !== undefined) return loaded.value
    return loading === undefined ? begin() : share(loading, begin)
  }
}

/** Waits for work that another caller began, but begins it again if it takes longer than {@link MAX_SHARED_MS}. */
async function share<Value>(work: Promise<Value>, begin: () => Promise<Value>): Promise<Value> {
  let timer: Timer | undefined
  const late = new Promise<Value>((resolve) => {
    timer = systemClock.setTimeout(() => resolve(begin()), MAX_SHARED_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    systemClock.clearTimeout(timer!)
  }
}

// Long synchronous work stops between two steps, so that its caller can let the event loop turn.

/** Work that has not ended. */
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

/** The result of work, or the work itself if it has been suspended. */
export type Resumable<Value> = Value | Suspended<Value>

/** Converts the result of work: now if there is one, or when the resumed work has ended. */
export function mapResult<From, To>(work: Resumable<From>, convert: (result: From) => To): Resumable<To> {
  if (!(work instanceof Suspended)) return convert(work)
  return new Suspended(() => mapResult(work.resume(), convert), work.ready)
}

/** Resumes work until it ends. Calls `pause` each time it was suspended only for taking long. */
export async function resumeToEnd<Value>(work: Resumable<Value>, pause?: Pause): Promise<Value> {
  let at = work
  while (at instanceof Suspended) {
    await (at.ready ?? pause?.())
    at = at.resume()
  }
  return at
}

// Sharing the event loop: in long work, and in loops that await answers, it turns every few milliseconds of real time,
// which a manual clock cannot measure. Owns: the time of the first answer since the last turn, once per realm.

/** Milliseconds of real time without a turn of the event loop after which one is due. */
export const YIELD_AFTER_MS = 10

/** How many readings of an unchanged clock make a turn due: on some hosts, the clock stands still while code runs. */
const MAX_QUESTIONS = 256

/** Yields if it is due; see {@link createYielder}. In tight loops: `const wait = pause(); if (wait) await wait`. */
export type Pause = () => Promise<void> | undefined

/** A {@link Pause} that also tells whether a turn is due, for work that suspends itself so that its caller yields. */
export interface Yielder extends Pause {
  isDue(): boolean
}

/**
 * Creates a function to call between the steps of long work. It yields to the event loop when {@link YIELD_AFTER_MS} of
 * real time have passed since the last turn, or after {@link MAX_QUESTIONS} calls if the clock stands still meanwhile.
 * @param check - called after each turn; throws to end unneeded work.
 */
export function createYielder(clock: Pick<Clock, 'yield'>, check?: () => void): Yielder {
  let last = realNow()
  let read = last
  let questions = 0
  const isDue = (): boolean => {
    const now = realNow()
    questions = now === read ? questions + 1 : 0
    read = now
    return now - last >= YIELD_AFTER_MS || questions >= MAX_QUESTIONS
  }
  const turn = async (): Promise<void> => {
    await clock.yield()
    last = realNow()
    questions = 0
    check?.()
  }
  return Object.assign(() => (isDue() ? turn() : undefined), { isDue })
}

/** When the first answer since the last turn was given; undefined if there was none. */
let firstAnswerAt: number | undefined
let nextTurn: Promise<void> | undefined
let heldBack = 0

function takeTurn(): Promise<void> {
  nextTurn = systemClock.yield().then(() => {
    firstAnswerAt = undefined
    heldBack = 0
  })
  return nextTurn
}

/**
 * The turn of the event loop to wait for before giving an answer, if answers have been given for {@link YIELD_AFTER_MS}
 * without a turn. Otherwise a loop that awaits answers by promises alone would keep the host's timers from firing.
 */
export function turnBeforeAnswer(): Promise<void> | undefined {
  if (firstAnswerAt === undefined) {
    firstAnswerAt = realNow()
    void takeTurn()
    return undefined
  }
  if (realNow() - firstAnswerAt < YIELD_AFTER_MS) return undefined
  heldBack += 1
  return share(nextTurn!, takeTurn)
}

/** Delays an answer or an error until a due turn has been taken; see {@link turnBeforeAnswer}. */
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
