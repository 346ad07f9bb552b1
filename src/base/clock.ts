/**
 * Time. The only file that touches `Date` and the host's timers.
 *
 * Owns: reading the time, one-shot timers, yielding to the host. Does not own: schedules (the sequencer's).
 */

/** A pending timer. It keeps the process alive by default, if the host's timers can. */
export interface Timer {
  /** Lets the timer keep the process alive; no effect in browsers. */
  ref(): void
  /** Lets the process end while the timer is pending; no effect in browsers. */
  unref(): void
}

/** The source of a chain's time and timers. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /**
   * Calls `fn` once, after `ms` milliseconds. Hosts call it immediately if `ms` is above 2^31 - 1.
   *
   * `fn` handles its errors. With the system clock, an error surfaces as an uncaught exception or unhandled rejection;
   * the manual clock throws it from `advance`.
   */
  setTimeout(fn: () => void | Promise<void>, ms: number): Timer
  /** Cancels a timer of this clock; no effect if it has fired or was cancelled. */
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

// Not destructured, so that timers replaced after import are used.
const host = globalThis as unknown as HostTimers

// Bound at load: fake timers replace `performance.now` with a clock that stands still.
const hostNow: () => number = performance.now.bind(performance)
let readRealTime = hostNow

/** Monotonic real time in milliseconds, from an arbitrary start. */
export function realNow(): number {
  return readRealTime()
}

/** Parses a date, such as an HTTP header's, to ms since the Unix epoch; NaN if it is invalid. */
export function readDate(text: string): number {
  return Date.parse(text)
}

/** Replaces {@link realNow} with `read`, in tests; the returned function undoes it. */
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

/** Real time: `Date.now` and the host's timers, looked up at each call. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (fn, ms) => new SystemTimer(host.setTimeout(() => void fn(), ms)),
  clearTimeout: (timer) => (timer as SystemTimer).clear(),
  yield: macrotask,
}

/**
 * Waits for one turn of the host's event loop. setTimeout is the last choice: browsers delay nested timers by 4 ms.
 * Fake timers stand still, so they are skipped. Message channels are not faked.
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

/** Fake timers of vitest, jest and sinon have a property `clock`. */
function isFake(timer: object): boolean {
  return 'clock' in timer
}
