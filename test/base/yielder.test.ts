import { afterEach, describe, expect, it, vi } from 'vitest'
import { realNow, replaceRealTime, systemClock } from '../../src/base/clock.ts'
import { createManualClock } from '../../src/base/manualClock.ts'
import { createYielder, turnBeforeAnswer, YIELD_AFTER_MS } from '../../src/base/waiting.ts'

describe('yielder', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  describe('createYielder', () => {
    it('yields once the limit of real time has passed since it last did, whatever the chain clock shows', async () => {
      let now = 0
      const restore = replaceRealTime(() => now)
      const clock = createManualClock()
      let turns = 0
      const pause = createYielder({
        yield() {
          turns += 1
          now += 5
          return clock.yield()
        },
      })
      now = YIELD_AFTER_MS - 1
      expect(pause()).toBeUndefined()
      now = YIELD_AFTER_MS
      await pause()
      expect(turns).toBe(1)
      // Time that passed during the yield does not count.
      now += YIELD_AFTER_MS - 1
      expect(pause()).toBeUndefined()
      restore()
    })

    it('yields under a clock that stands still while code runs', async () => {
      const restore = replaceRealTime(() => 0)
      let turns = 0
      const pause = createYielder({
        async yield() {
          turns += 1
        },
      })
      for (let call = 0; call < 1000; call++) await pause()
      restore()
      expect(turns).toBe(3)
    })
  })

  describe('turnBeforeAnswer', () => {
    it('takes its own turn after a second if another caller never gets one', async () => {
      let now = 0
      const restore = replaceRealTime(() => now)
      // As where the host has destroyed the context that waits.
      const yields = vi.spyOn(systemClock, 'yield').mockReturnValueOnce(new Promise(() => {}))
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      expect(turnBeforeAnswer()).toBeUndefined()
      now = YIELD_AFTER_MS
      const answer = turnBeforeAnswer()
      await vi.advanceTimersByTimeAsync(1000)
      await answer
      expect(turnBeforeAnswer()).toBeUndefined()
      yields.mockRestore()
      restore()
    })
  })

  describe('realNow', () => {
    it('advances under the fake timers of a test', () => {
      vi.useFakeTimers({ toFake: ['performance'] })
      const start = realNow()
      const frozen = performance.now()
      while (realNow() < start + 1);
      expect(performance.now()).toBe(frozen)
    })
  })
})
