/**
 * A clock that is advanced by hand.
 *
 * Owns: virtual time and its timers. Does not own: schedules (the sequencer's). `advance` throws the errors of
 * callbacks.
 */
import { type Clock, systemClock, type Timer } from './clock.ts'
import { InvalidOptionError } from './errors.ts'
import type { MaybePromise } from './types.ts'
import { turnUntilIdle } from './waiting.ts'

/** Turns of the event loop that may pass between two callbacks, and at the end of an advance. */
const MAX_TURNS_BETWEEN = 10
const MAX_TURNS_AT_END = 100

/** A clock whose time stands still until it is advanced. */
export interface ManualClock extends Clock {
  /** Milliseconds since the `start` that the clock was created with. */
  readonly elapsed: number
  /**
   * Advances the time by `ms`, running and awaiting every callback that falls due on the way: by due time, then by
   * order of creation; while one runs, the time is its due time. Timers set meanwhile run too if they fall due within
   * `ms`. After each callback, and at the end, the event loop turns: code that waits for the callback, and then only
   * for promises, however many, continues before the time advances further. This includes awaited requests to a chain
   * that occupy the event loop for less than 100 ms, or at the end for less than a second. Concurrent calls run one
   * after the other; a callback must not await one, as that call waits for the callback.
   *
   * A chain in `interval` mode makes its blocks meanwhile. If it has had nothing to include for 256 slots, and more
   * than 4,096 lie ahead in which no other callback is due, all of these but the last 256 pass without a block.
   *
   * @throws InvalidOptionError if `ms` is negative or not finite.
   * @throws what a callback threw, once all others ran; an AggregateError if several threw.
   */
  advance(ms: number): Promise<void>
}

/** Creates a clock that stands at `start` (ms since the Unix epoch) until it is advanced. */
export function createManualClock(start = 1_700_000_000_000): ManualClock {
  if (!Number.isFinite(start)) throw new InvalidOptionError('start', 'a finite number of milliseconds')
  return new VirtualClock(start)
}

/**
 * Sets a clock of {@link createManualClock} back to `ms` and removes its timers. Other clocks are unaffected.
 *
 * @returns false if it is being advanced: then nothing has changed.
 */
export function setBack(clock: Clock, ms: number): boolean {
  return !(clock instanceof VirtualClock) || clock.setBack(ms)
}

class VirtualTimer implements Timer {
  readonly due: number
  readonly fn: () => MaybePromise<void>

  constructor(due: number, fn: () => MaybePromise<void>) {
    this.due = due
    this.fn = fn
  }

  ref(): void {}
  unref(): void {}
}

class VirtualClock implements ManualClock {
  readonly #start: number
  #now: number
  /** The time at which the running call of `advance` ends; undefined if none runs. */
  #end: number | undefined
  /** By due time, then by order of creation. */
  readonly #timers: VirtualTimer[] = []
  #lastAdvance: Promise<unknown> = Promise.resolve()
  /** Calls of `advance` that have not ended. */
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
    const timer = new VirtualTimer(this.#now + Math.max(0, ms || 0), fn)
    let at = this.#timers.length
    while (at > 0 && this.#timers[at - 1]!.due > timer.due) at--
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
    // An advance that fails must not fail those queued behind it.
    this.#lastAdvance = run.catch(() => {})
    return run
  }

  /** See {@link idleUntil}. */
  get idleUntil(): number | undefined {
    return this.#end === undefined ? undefined : Math.min(this.#end, this.#timers[0]?.due ?? this.#end)
  }

  /** See {@link setBack}. */
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

/**
 * The time until which nothing is due on a manual clock that is being advanced, in ms since the Unix epoch; undefined
 * for a clock that is not being advanced, and for any other kind.
 */
export function idleUntil(clock: Clock): number | undefined {
  return clock instanceof VirtualClock ? clock.idleUntil : undefined
}
