/** Executions that are suspended when a test wants it, and not after real time. */
import { systemClock } from '../src/base/clock.ts'
import { type Resumable, Suspended, type Yielder } from '../src/base/waiting.ts'

/** Yields whenever it is called. */
export const ALWAYS_DUE: Yielder = Object.assign(() => systemClock.yield(), { isDue: () => true })

/** Never yields. */
export const NEVER_DUE: Yielder = Object.assign(() => undefined, { isDue: () => false })

/** Work that starts once `wait` is resolved, if it is a promise. */
export function startAfter<Value>(wait: unknown, start: () => Resumable<Value>): Suspended<Value> {
  return new Suspended(
    start,
    Promise.resolve(wait).then(() => undefined),
  )
}
