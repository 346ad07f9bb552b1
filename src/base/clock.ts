/**
 * Time: the only place that touches `Date` and the host's timers. Everything else uses a Clock.
 *
 * Owns: reading the time, one-shot timers, yielding to the host. Does not own: schedules (the sequencer's), nor the
 * errors of callbacks, which they handle themselves.
 */

/** A timer that was set; by default it keeps the process alive if the host's timers can. */
export interface Timer {
  /** Lets the timer keep the process alive; does nothing if the host's timers cannot, as in browsers. */
  ref(): void
  /** Lets the process end although the timer is set; does nothing if the host's timers cannot. */
  unref(): void
}

/** The source of a chain's time and timers. */
export interface Clock {
  /** The time in ms since the Unix epoch. */
  now(): number
  /**
   * Calls `fn` once, `ms` milliseconds from now. Hosts fire delays above 2^31 - 1 ms at once.
   *
   * `fn` handles its own errors: the system clock adds no handler, so what it throws or rejects with reaches the host
   * as an uncaught exception or an unhandled rejection; the manual clock throws it from `advance`.
   */
  setTimeout(fn: () => void | Promise<void>, ms: number): Timer
  /** Cancels a timer of this clock; nothing happens if it fired or was cancelled before. */
  clearTimeout(timer: Timer): void
  /** Yields to the host for one real macrotask. */
  yield(): Promise<void>
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

// A reference to the global object, not to its functions: timers replaced after import are used.
const host = globalThis as unknown as HostTimers

// Bound at load, since the fake timers of a test replace `performance.now` with one that stands still.
const hostNow: () => number = performance.now.bind(performance)
let readRealTime = hostNow

/** Real time in milliseconds, from an arbitrary start; it never runs backwards. */
export function realNow(): number {
  return readRealTime()
}

/** A date as text, such as that of an HTTP header, in ms since the Unix epoch; NaN if it is none. */
export function readDate(text: string): number {
  return Date.parse(text)
}

/** Replaces {@link realNow} with `read` until the returned function is called. For tests. */
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

/**
 * One turn of the host's event loop; setTimeout comes last, since browsers delay nested ones by 4 ms. Fake timers are
 * not used, as they stand still; message channels are never faked.
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

/** Whether a timer function is fake: those of vitest, jest and sinon have a property `clock`. */
function isFake(timer: object): boolean {
  return 'clock' in timer
}
