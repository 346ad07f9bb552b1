/** A manual clock with which the clocks of pages advance. */
import type { ManualClock } from '../../base/manualClock.ts'

/** The clock itself, except that `advance` also calls `advancePages` with the same time once the chain has advanced. */
export function linkPages(clock: ManualClock, advancePages: (ms: number) => Promise<void>): ManualClock {
  const advance = async (ms: number): Promise<void> => {
    await clock.advance(ms)
    await advancePages(ms)
  }
  return new Proxy(clock, {
    get(target, name) {
      if (name === 'advance') return advance
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
