import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { systemClock, type Timer } from '../../src/base/clock.ts'
import { InvalidOptionError } from '../../src/base/errors.ts'
import { createManualClock, setBack } from '../../src/base/manualClock.ts'

describe('clock', () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  describe('createManualClock', () => {
    it('stands still until it is advanced', async () => {
      expect(createManualClock().now()).toBe(1_700_000_000_000)
      const clock = createManualClock(1000)
      await clock.yield()
      expect(clock.now()).toBe(1000)
      await clock.advance(250)
      expect(clock.now()).toBe(1250)
    })

    it('has the milliseconds since its start', async () => {
      const clock = createManualClock(1000)
      const seen = [clock.elapsed]
      clock.setTimeout(() => void seen.push(clock.elapsed), 30)
      await clock.advance(250)
      seen.push(clock.elapsed)
      setBack(clock, 1020)
      seen.push(clock.elapsed)
      expect(seen).toEqual([0, 30, 250, 20])
    })

    it('is set back without its timers, unless it is being advanced', async () => {
      const clock = createManualClock(0)
      const ran: number[] = []
      const set = (ms: number) => clock.setTimeout(() => void ran.push(clock.now()), ms)
      set(100)
      await clock.advance(150)
      set(50)
      const advancing = clock.advance(10)
      expect(setBack(clock, 20)).toBe(false)
      await advancing
      expect(clock.now()).toBe(160)
      expect(setBack(clock, 20)).toBe(true)
      set(5)
      await clock.advance(1000)
      expect(ran).toEqual([100, 25])
      expect(clock.now()).toBe(1020)
    })

    it('runs due callbacks at their times and in order, and keeps the others', async () => {
      const clock = createManualClock(0)
      const ran: [string, number][] = []
      const set = (name: string, ms: number) => clock.setTimeout(() => void ran.push([name, clock.now()]), ms)
      set('late', 101)
      set('second', 50)
      set('first', 20)
      set('third, set later', 50)
      set('at once', 0)
      set('in the past', -5)
      set('at the end', 100)
      await clock.advance(100)
      expect(ran).toEqual([
        ['at once', 0],
        ['in the past', 0],
        ['first', 20],
        ['second', 50],
        ['third, set later', 50],
        ['at the end', 100],
      ])
      await clock.advance(1)
      expect(ran.at(-1)).toEqual(['late', 101])
    })

    it('awaits each callback before the next, at its due time', async () => {
      const clock = createManualClock(0)
      const ran: [string, number][] = []
      clock.setTimeout(async () => {
        ran.push(['a starts', clock.now()])
        await clock.yield()
        ran.push(['a ends', clock.now()])
      }, 10)
      clock.setTimeout(() => void ran.push(['b', clock.now()]), 10)
      await clock.advance(30)
      expect(ran).toEqual([
        ['a starts', 10],
        ['a ends', 10],
        ['b', 10],
      ])
    })

    it('runs timers set by callbacks if they fall within the advance', async () => {
      const clock = createManualClock(0)
      const ran: number[] = []
      const again = () => {
        ran.push(clock.now())
        clock.setTimeout(again, 200)
      }
      clock.setTimeout(again, 200)
      await clock.advance(650)
      expect(ran).toEqual([200, 400, 600])
      await clock.advance(150)
      expect(ran).toEqual([200, 400, 600, 800])
    })

    it('does not run cancelled callbacks, even if one due at the same time cancels them', async () => {
      const clock = createManualClock(0)
      const ran: string[] = []
      const before = clock.setTimeout(() => void ran.push('cancelled before'), 5)
      clock.clearTimeout(before)
      clock.setTimeout(() => clock.clearTimeout(during), 10)
      const during: Timer = clock.setTimeout(() => void ran.push('cancelled meanwhile'), 10)
      const done = clock.setTimeout(() => void ran.push('done'), 10)
      await clock.advance(20)
      clock.clearTimeout(done)
      clock.clearTimeout(during)
      expect(ran).toEqual(['done'])
    })

    it('queues concurrent advances', async () => {
      const clock = createManualClock(0)
      const ran: number[] = []
      for (const ms of [10, 20, 30]) {
        clock.setTimeout(async () => {
          await clock.yield()
          ran.push(clock.now())
        }, ms)
      }
      const first = clock.advance(15).then(() => ran.push(-1))
      const second = clock.advance(15).then(() => ran.push(-2))
      await Promise.all([first, second])
      expect(ran).toEqual([10, -1, 20, 30, -2])
      expect(clock.now()).toBe(30)
    })

    it('rejects with the error of a callback, after the others ran and the time has passed', async () => {
      const clock = createManualClock(0)
      const ran: number[] = []
      clock.setTimeout(() => {
        throw new Error('first')
      }, 10)
      clock.setTimeout(() => void ran.push(clock.now()), 20)
      await expect(clock.advance(30)).rejects.toThrow('first')
      expect([ran, clock.now()]).toEqual([[20], 30])
    })

    it('rejects with an AggregateError if several threw, and continues with the next queued advance', async () => {
      const clock = createManualClock(0)
      const errors = [new Error('thrown'), new Error('rejected')]
      clock.setTimeout(() => {
        throw errors[0]
      }, 10)
      clock.setTimeout(() => Promise.reject(errors[1]), 10)
      const failing = clock.advance(10).catch((error: unknown) => error)
      const following = clock.advance(5)
      expect(await failing).toEqual(new AggregateError(errors, '2 timer callbacks failed'))
      expect((await failing) as AggregateError).toHaveProperty('errors', errors)
      await following
      expect(clock.now()).toBe(15)
    })

    it('rejects invalid times', async () => {
      const clock = createManualClock(7)
      for (const ms of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
        await expect(clock.advance(ms)).rejects.toThrow(InvalidOptionError)
      }
      expect(clock.now()).toBe(7)
      expect(() => createManualClock(Number.NaN)).toThrow(InvalidOptionError)
    })

    it('has timers whose ref and unref do nothing', async () => {
      const clock = createManualClock(0)
      const ran: number[] = []
      const timer = clock.setTimeout(() => void ran.push(clock.now()), 1)
      timer.unref()
      timer.ref()
      await clock.advance(1)
      expect(ran).toEqual([1])
    })

    it('yields for a macrotask of the host, after every microtask', async () => {
      const clock = createManualClock(0)
      let turns = 0
      const spin = async () => {
        for (let i = 0; i < 50; i++) {
          await null
          turns++
        }
      }
      const spinning = spin()
      await clock.yield()
      expect(turns).toBe(50)
      await spinning
    })

    it('returns from an advance after everything the callbacks started, through any number of promises', async () => {
      const clock = createManualClock(0)
      const layer = async (depth: number, inner: Promise<void>): Promise<void> => {
        await inner
        if (depth > 0) await layer(depth - 1, Promise.resolve())
      }
      const seen: string[] = []
      const due = new Promise<void>((resolve) => void clock.setTimeout(resolve, 10))
      void layer(1000, due).then(() => seen.push('due'))
      const late = new Promise<void>((resolve) => void clock.setTimeout(resolve, 20))
      void late.then(() => seen.push('late'))
      await clock.advance(10)
      expect(seen).toEqual(['due'])
      clock.setTimeout(() => Promise.reject(new Error('of a callback')), 10)
      await expect(clock.advance(10)).rejects.toThrow('of a callback')
      expect(seen).toEqual(['due', 'late'])
    })

    it.each([
      ['all', []],
      ['all, without message channels', ['MessageChannel']],
    ])('advances under fake timers: %s', async (_name, absent) => {
      for (const name of absent) vi.stubGlobal(name, undefined)
      vi.useFakeTimers()
      const clock = createManualClock(0)
      const ran: number[] = []
      clock.setTimeout(() => void ran.push(clock.now()), 10)
      await clock.advance(10)
      expect(ran).toEqual([10])
    })

    it('runs any timers, nested ones too, by due time and then by creation', async () => {
      const delay = fc.integer({ min: 0, max: 20 })
      const plan = fc.array(fc.record({ ms: delay, nested: fc.array(delay, { maxLength: 3 }) }), {
        maxLength: 12,
      })
      const advances = fc.array(delay, { minLength: 1, maxLength: 5 })
      await fc.assert(
        fc.asyncProperty(plan, advances, fc.boolean(), async (timers, steps, concurrent) => {
          const clock = createManualClock(0)
          const created: { due: number; order: number }[] = []
          const ran: { due: number; order: number; now: number }[] = []
          const set = (ms: number, nested: readonly number[]) => {
            const timer = { due: clock.now() + ms, order: created.length }
            created.push(timer)
            clock.setTimeout(async () => {
              ran.push({ ...timer, now: clock.now() })
              await null
              for (const inner of nested) set(inner, [])
            }, ms)
          }
          for (const { ms, nested } of timers) set(ms, nested)
          if (concurrent) await Promise.all(steps.map((ms) => clock.advance(ms)))
          else for (const ms of steps) await clock.advance(ms)

          const end = steps.reduce((sum, ms) => sum + ms, 0)
          expect(clock.now()).toBe(end)
          const due = created.filter((timer) => timer.due <= end)
          due.sort((a, b) => a.due - b.due || a.order - b.order)
          expect(ran).toEqual(due.map((timer) => ({ ...timer, now: timer.due })))
        }),
      )
    })
  })

  describe('systemClock', () => {
    it('reads the time and sets timers through the current functions of the host', () => {
      vi.useFakeTimers({ now: 5000 })
      const ran: number[] = []
      const cancelled = systemClock.setTimeout(() => void ran.push(-1), 10)
      systemClock.setTimeout(() => void ran.push(systemClock.now()), 20)
      systemClock.clearTimeout(cancelled)
      vi.advanceTimersByTime(19)
      expect(ran).toEqual([])
      vi.advanceTimersByTime(1)
      expect(ran).toEqual([5020])
      systemClock.clearTimeout(cancelled)
    })

    it('refs and unrefs the host timer', () => {
      const calls: string[] = []
      const handle = { ref: () => calls.push('ref'), unref: () => calls.push('unref') }
      vi.stubGlobal('setTimeout', () => handle)
      const timer = systemClock.setTimeout(() => {}, 1)
      timer.unref()
      timer.ref()
      expect(calls).toEqual(['unref', 'ref'])
    })

    it('works with timers that are numbers, as in browsers', () => {
      const cleared: unknown[] = []
      vi.stubGlobal('setTimeout', () => 42)
      vi.stubGlobal('clearTimeout', (handle: unknown) => cleared.push(handle))
      const timer = systemClock.setTimeout(() => {}, 1)
      timer.unref()
      timer.ref()
      systemClock.clearTimeout(timer)
      expect(cleared).toEqual([42])
    })

    it.each([
      ['setImmediate', []],
      ['a message channel', ['setImmediate']],
      ['setTimeout', ['setImmediate', 'MessageChannel']],
    ])('yields for a macrotask by %s', async (_name, absent) => {
      for (const name of absent) vi.stubGlobal(name, undefined)
      let turns = 0
      const spin = async () => {
        for (let i = 0; i < 50; i++) {
          await null
          turns++
        }
      }
      const spinning = spin()
      await systemClock.yield()
      expect(turns).toBe(50)
      await spinning
    })

    it('closes the message channel it yielded by', async () => {
      vi.stubGlobal('setImmediate', undefined)
      const closed: string[] = []
      class RecordingChannel extends MessageChannel {
        constructor() {
          super()
          const close = this.port1.close.bind(this.port1)
          this.port1.close = () => {
            closed.push('port1')
            close()
          }
        }
      }
      vi.stubGlobal('MessageChannel', RecordingChannel)
      await systemClock.yield()
      expect(closed).toEqual(['port1'])
    })
  })
})
