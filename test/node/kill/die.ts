/** The moment at which a chain's process or thread is gone, counted from when it begins to close. */

/** So many turns of the event loop, and then so many microtasks. */
export interface Moment {
  readonly turns: number
  readonly microtasks: number
}

/** Calls `kill` at that moment. */
export async function dieAt({ turns, microtasks }: Moment, kill: () => void): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
  for (let microtask = 0; microtask < microtasks; microtask++) await undefined
  kill()
}
