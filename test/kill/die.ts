/** Kills a chain's process or thread at a moment counted from the start of its `close()`. */

/** A count of turns of the event loop, and then of microtasks. */
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
