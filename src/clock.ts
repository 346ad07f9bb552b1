/**
 * Time: the only place that touches `Date` and the host's timers. Everything else is given a Clock.
 *
 * Owns: reading the time, one-shot timers, yielding to the host; for the manual clock also virtual time and the queue
 * of due callbacks. Does not own: schedules (the sequencer's), nor the errors of callbacks (their caller's).
 */
import { InvalidOptionError } from './errors.ts'
import type { MaybePromise } from './types.ts'

/** A timer that was set; by default it keeps the process alive where the host knows of such a thing. */
export interface Timer {
  /** Lets the timer keep the process alive; does nothing where the host's timers cannot, as in browsers. */
  ref(): void
  /** Lets the process end although the timer is set; does nothing where the host's timers cannot. */
  unref(): void
}

/** Where a chain takes its time from. */
export interface Clock {
  /** The time in ms since the Unix epoch. */
  now(): number
  /**
   * Calls `fn` once, `ms` milliseconds from now. Hosts fire delays above 2^31 - 1 ms at once.
   *
   * `fn` handles its own errors: the system clock adds no handler, so what it throws or rejects with reaches the host
   * as an uncaught exception or an unhandled rejection; the manual clock hands it to whoever advances the time.
   */
  setTimeout(fn: () => void | Promise<void>, ms: number): Timer
  /** Cancels a timer of this clock; nothing happens if it fired or was cancelled before. */
  clearTimeout(timer: Timer): void
  /** Lets the host run what waits, for one real macrotask. */
  yield(): Promise<void>
}

/** A clock whose time stands still until it is advanced. */
export interface ManualClock extends Clock {
  /**
   * Moves the time on by `ms`, running and awaiting every callback that falls due on the way: by due time, then by
   * order of creation; while one runs, the time is its due time. Timers set meanwhile run too if they fall due within
   * `ms`. Then the host has one turn: whatever was waiting for the callbacks and needs nothing but promises has gone
   * on, through any number of them, when this resolves. Concurrent calls run one after the other; a callback must not
   * await one, as that call waits for the callback.
   *
   * @throws InvalidOptionError if `ms` is negative or not finite.
   * @throws what a callback threw, once all others ran; an AggregateError if several threw.
   */
  advance(ms: number): Promise<void>
}

interface HostTimers {
  setTimeout(fn: () => void, ms: number): unknown
  clearTimeout(handle: unknown): void
  setImmediate?(fn: () => void): unknown
  MessageChannel?: new () => { port1: HostPort; port2: HostPort }
}

interface HostPort {
  onmessage: (() => void) | null
  postMessage(message: null): void
  close(): void
}

// A reference to the global object, not to its functions: timers replaced after import are honoured.
const host = globalThis as unknown as HostTimers

// Read at load: the fake timers of a test replace `performance.now`, and then it stands still.
const hostNow: () => number = performance.now.bind(performance)
let readRealTime = hostNow

/** Real time in milliseconds, from an arbitrary start; it never runs backwards. */
export function realNow(): number {
  return readRealTime()
}

/** Has {@link realNow} answer what `read` does, until the returned function is called. For tests. */
export function replaceRealTime(read: () => number): () => void {
  readRealTime = read
  return () => {
    readRealTime = hostNow
  }
}

class SystemTimer implements Timer {
  readonly #handle: unknown

  constructor(handle: unknown) {
    this.#handle = handle
  }

  ref(): void {
    ;(this.#handle as { ref?(): void }).ref?.()
  }

  unref(): void {
    ;(this.#handle as { unref?(): void }).unref?.()
  }

  clear(): void {
    host.clearTimeout(this.#handle)
  }
}

/** The real time: `Date.now` and the host's timers, looked up at each call. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (fn, ms) => new SystemTimer(host.setTimeout(() => void fn(), ms)),
  clearTimeout: (timer) => (timer as SystemTimer).clear(),
  yield: macrotask,
}

/** Creates a clock that stands at `start` (ms since the Unix epoch) until it is advanced. */
export function createManualClock(start = 1_700_000_000_000): ManualClock {
  if (!Number.isFinite(start)) throw new InvalidOptionError('start', 'a finite number of milliseconds')
  return new VirtualClock(start)
}

/**
 * Sets a clock of {@link createManualClock} back to `ms`; the timers it has are gone. Other clocks go on.
 *
 * @returns false where it is being advanced: then nothing has changed.
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
  #now: number
  /** By due time, then by order of creation. */
  readonly #timers: VirtualTimer[] = []
  #lastAdvance: Promise<unknown> = Promise.resolve()
  /** Calls of `advance` that have not ended. */
  #advancing = 0

  constructor(start: number) {
    this.#now = start
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
    return macrotask()
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

  /** See {@link setBack}. */
  setBack(ms: number): boolean {
    if (this.#advancing > 0) return false
    this.#timers.length = 0
    this.#now = ms
    return true
  }

  async #runUntil(end: number): Promise<void> {
    const errors: unknown[] = []
    for (let timer = this.#timers[0]; timer && timer.due <= end; timer = this.#timers[0]) {
      this.#timers.shift()
      this.#now = timer.due
      try {
        await timer.fn()
      } catch (error) {
        errors.push(error)
      }
    }
    this.#now = end
    await macrotask()
    this.#advancing -= 1
    if (errors.length === 1) throw errors[0]
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} timer callbacks failed`)
  }
}

/**
 * One turn of the host's event loop; setTimeout comes last, as browsers hold nested ones back for 4 ms. Fake timers of
 * a test stand still, and message channels are not faked.
 */
function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    if (host.setImmediate && !isFake(host.setImmediate)) {
      host.setImmediate(resolve)
    } else if (host.MessageChannel) {
      const { port1, port2 } = new host.MessageChannel()
      port1.onmessage = () => {
        // An open port would keep the process alive.
        port1.close()
        resolve()
      }
      port2.postMessage(null)
    } else if (!isFake(host.setTimeout)) {
      host.setTimeout(resolve, 0)
    } else {
      resolve()
    }
  })
}

/** Those of vitest, jest and sinon bear the clock that moves them. */
function isFake(timer: object): boolean {
  return 'clock' in timer
}
