/** A clock that is advanced by hand. Owns: virtual time and its timers. Does not own: schedules (the sequencer's). */
import { type Clock, systemClock, type Timer } from './clock.ts'
import { InvalidOptionError } from './errors.ts'
import type { MaybePromise } from './types.ts'
import { turnUntilIdle } from './waiting.ts'

/** How many turns the event loop may take between two callbacks, and at the end of an advance. */
const MAX_TURNS_BETWEEN = 10
const MAX_TURNS_AT_END = 100

/** A clock whose time stands still until it is advanced. */
export interface ManualClock extends Clock {
  /** Milliseconds since the clock's `start`. */
  readonly elapsed: number
  /**
   * Advances the time by `ms`, and runs and awaits every callback that falls due: by due time, then in order of
   * creation, each at its due time. Timers set meanwhile run too if they fall due within `ms`.
   *
   * After each callback and at the end, the event loop turns until the code that waited for the callback has continued,
   * as far as it waits only for promises. These include requests to a chain that take less than 100 ms, or at the end
   * less than a second. Concurrent calls run in sequence, so a callback that awaits `advance` never ends.
   *
   * A chain in `interval` mode makes its blocks meanwhile. If it had nothing to include for 256 slots, and more than
   * 4,096 slots lie ahead with no callback due, it skips the blocks of all but the last 256.
   *
   * @throws InvalidOptionError if `ms` is negative or not finite.
   * @throws the error of a callback, after all callbacks ran; an AggregateError if several threw.
   */
  advance(ms: number): Promise<void>
}

/**
 * Creates a clock that stands at `start` (ms since the Unix epoch) until it is advanced.
 *
 * @throws InvalidOptionError if `start` is not finite.
 */
export function createManualClock(start = 1_700_000_000_000): ManualClock {
  if (!Number.isFinite(start)) throw new InvalidOptionError('start', 'a finite number of milliseconds')
  return new VirtualClock(start)
}

/** Sets a manual clock to `ms` and removes its timers. @returns false, with no change, if it is being advanced. */
export function setBack(clock: Clock, ms: number): boolean {
  return !(clock instanceof VirtualClock) || clock.setBack(ms)
}

interface VirtualTimer extends Timer {
  readonly due: number
  readonly fn: () => MaybePromise<void>
}

class VirtualClock implements ManualClock {
  readonly #start: number
  #now: number
  /** The end of the running `advance`; undefined if none runs. */
  #end: number | undefined
  /** By due time, then in order of creation. */
  readonly #timers: VirtualTimer[] = []
  #lastAdvance: Promise<unknown> = Promise.resolve()
  #advancing = 0

  constructor(start: number) {
    this.#start = start
    this.#now = start
  }

  get elapsed(): number {
    return this.#now - this.#start
  }

  now(): number {
    return this.#now
  }

  setTimeout(fn: () => MaybePromise<void>, ms: number): Timer {
    const due = this.#now + Math.max(0, ms || 0)
    const timer: VirtualTimer = { due, fn, ref() {}, unref() {} }
    let at = this.#timers.length
    while (at > 0 && this.#timers[at - 1]!.due > due) at--
    this.#timers.splice(at, 0, timer)
    return timer
  }

  clearTimeout(timer: Timer): void {
    const at = this.#timers.indexOf(timer as VirtualTimer)
    if (at >= 0) this.#timers.splice(at, 1)
  }

  yield(): Promise<void> {
    return systemClock.yield()
  }

  async advance(ms: number): Promise<void> {
    if (!(ms >= 0 && ms < Number.POSITIVE_INFINITY)) {
      throw new InvalidOptionError('ms', 'a finite, non-negative number of milliseconds')
    }
    this.#advancing += 1
    const run = this.#lastAdvance.then(() => this.#runUntil(this.#now + ms))
    // A failed advance must not fail the calls queued behind it.
    this.#lastAdvance = run.catch(() => {})
    return run
  }

  get idleUntil(): number | undefined {
    return this.#end === undefined ? undefined : Math.min(this.#end, this.#timers[0]?.due ?? this.#end)
  }

  setBack(ms: number): boolean {
    if (this.#advancing > 0) return false
    this.#timers.length = 0
    this.#now = ms
    return true
  }

  async #runUntil(end: number): Promise<void> {
    const errors: unknown[] = []
    this.#end = end
    for (let timer = this.#timers[0]; timer && timer.due <= end; timer = this.#timers[0]) {
      this.#timers.shift()
      this.#now = timer.due
      try {
        await timer.fn()
      } catch (error) {
        errors.push(error)
      }
      await turnUntilIdle(MAX_TURNS_BETWEEN)
    }
    this.#end = undefined
    this.#now = end
    await turnUntilIdle(MAX_TURNS_AT_END)
    this.#advancing -= 1
    if (errors.length === 1) throw errors[0]
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} timer callbacks failed`)
  }
}

/** The time before which nothing is due on a manual clock that is being advanced; undefined for any other clock. */
export function idleUntil(clock: Clock): number | undefined {
  return clock instanceof VirtualClock ? clock.idleUntil : undefined
}
