/** Long synchronous work that stops between two of its steps, so that its caller can let the event loop turn. */
import { whenLoaded } from './missing.ts'
import type { MaybePromise } from './types.ts'
import type { Pause } from './yielder.ts'

/** Work that has not ended. */
export class Suspended<Value> {
  /** Continues the work; called once. Throws what the work throws. */
  readonly resume: () => Resumable<Value>
  /** What to wait for first; by default the work stopped because it had run for long. */
  readonly ready: Promise<void> | undefined

  constructor(resume: () => Resumable<Value>, ready?: Promise<void>) {
    this.resume = resume
    this.ready = ready
  }
}

/** What work returns: its result, or that it is suspended. */
export type Resumable<Value> = Value | Suspended<Value>

/** Converts the result of work, once there is one. */
export function mapResult<From, To>(work: Resumable<From>, convert: (result: From) => To): Resumable<To> {
  if (!(work instanceof Suspended)) return convert(work)
  return new Suspended(() => mapResult(work.resume(), convert), work.ready)
}

/**
 * Runs work to its end: yields while it is suspended, loads what is missing and starts again then.
 *
 * @param start - must leave nothing changed if it or the work throws `Missing`.
 * @returns the result; a promise only if the work was suspended or something had to be loaded.
 */
export function runToEnd<Value>(start: () => Resumable<Value>, pause?: Pause): MaybePromise<Value> {
  return whenLoaded(() => {
    const work = start()
    return work instanceof Suspended ? resumeToEnd(work, pause) : work
  })
}

/** Continues suspended work to its end. */
export async function resumeToEnd<Value>(work: Resumable<Value>, pause?: Pause): Promise<Value> {
  let at = work
  while (at instanceof Suspended) {
    await (at.ready ?? pause?.())
    at = at.resume()
  }
  return at
}
