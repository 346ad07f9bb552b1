import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { createManualClock } from '../../../src/base/manualClock.ts'
import { NO_FAULTS } from '../../../src/base/options/faultSettings.ts'
import { type SlotParts, SlotTimer } from '../../../src/core/sequencer/sequencer.ts'

const HOUR = 60 * 60 * 1000

/** A timer of 2 s slots with ticks every 200 ms, under a clock that starts at 0; records the ends of its slots. */
function startTimer(parts: Partial<SlotParts> = {}) {
  const clock = createManualClock(0)
  const seals: number[] = []
  let ticks = 0
  const timer = new SlotTimer({
    blockTime: 2000,
    preconfInterval: 200,
    clock,
    exclusive: (fn) => fn(),
    async tick() {
      ticks += 1
    },
    async seal(nextSlot) {
      seals.push(clock.now())
      timer.begin(nextSlot)
    },
    isIdle: () => true,
    onActed() {},
    onError(error) {
      throw error
    },
    faults: { current: NO_FAULTS, missesTick: () => false },
    ...parts,
  })
  timer.start()
  return { timer, clock, seals, ticks: () => ticks }
}

const everySlot = (count: number) => Array.from({ length: count }, (_, i) => 2000 * (i + 1))

describe('slotTimer', () => {
  it('ends every slot of an advance of 4,096 slots, idle or not', async () => {
    const { clock, seals, ticks, timer } = startTimer()
    await clock.advance(4096 * 2000)
    expect(seals).toEqual(everySlot(4096))
    expect(ticks()).toBe(9 * 4096)
    expect(timer.missedTicks).toBe(0)
  })

  it('skips idle slots of a longer advance except the first and the last 256', async () => {
    const { clock, seals, ticks, timer } = startTimer()
    await clock.advance(10_000 * 2000)
    expect(seals).toEqual([...everySlot(256), ...everySlot(10_000).slice(-256)])
    expect(ticks()).toBe(9 * 512)
    expect(timer.missedTicks).toBe(0)
  })

  it.each<[string, Partial<SlotParts>]>([
    ['something waits', { isIdle: () => false }],
    ['faults are on', { faults: { current: { missTickEvery: 1_000_000 }, missesTick: () => false } }],
  ])('ends every slot while %s', async (_case, parts) => {
    const { clock, seals } = startTimer(parts)
    await clock.advance(5000 * 2000)
    expect(seals).toEqual(everySlot(5000))
  })

  it('ends every slot while another callback is due within 4,096 of them', async () => {
    const { clock, seals } = startTimer()
    const repeat = (): void => void clock.setTimeout(repeat, HOUR)
    repeat()
    await clock.advance(3 * HOUR)
    expect(seals).toEqual(everySlot(5400))
  })

  it('continues with the slot of the time at which it is woken', async () => {
    const { timer, clock, seals, ticks } = startTimer()
    const before: number[] = []
    clock.setTimeout(
      () => {
        before.push(seals.length, ticks())
        timer.wake()
      },
      10 * HOUR + 1500,
    )
    await clock.advance(10 * HOUR + 2000)
    // The last 256 slots before the callback are not skipped.
    expect(before).toEqual([512, 9 * 512 + 7])
    expect(seals.at(-1)).toBe(10 * HOUR + 2000)
    expect(ticks()).toBe(9 * 513)
  })

  it('misses no tick if it is woken within a slot', async () => {
    const slept = 256 * 2000
    const seals: [at: number, ticks: number][] = []
    const started = startTimer({
      async seal(nextSlot) {
        const { clock, timer, ticks } = started
        seals.push([clock.now(), ticks()])
        timer.begin(nextSlot)
        if (seals.length < 256) return
        // The timer sleeps already and did not consider this callback.
        void systemClock.yield().then(() => clock.setTimeout(() => timer.wake(), 10 * HOUR + 500))
      },
    })
    await started.clock.advance(slept + 20 * HOUR)
    // Two of the nine ticks were due before.
    expect(seals[256]).toEqual([slept + 10 * HOUR + 2000, 9 * 256 + 7])
    expect(started.timer.missedTicks).toBe(0)
  })

  it('skips no slot for 256 slots after another action', async () => {
    const { timer, clock, seals } = startTimer()
    await clock.advance(256 * 2000)
    timer.wake()
    await clock.advance(10_000 * 2000)
    expect(seals).toEqual([...everySlot(512), ...everySlot(10_256).slice(-256)])
  })

  it('stops while it sleeps', async () => {
    const { timer, clock, seals } = startTimer()
    clock.setTimeout(() => timer.stop(), 10 * HOUR + 100)
    await clock.advance(20 * HOUR)
    expect(seals.at(-1)).toBe(10 * HOUR)
  })
})
