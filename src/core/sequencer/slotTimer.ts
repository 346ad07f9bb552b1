/**
 * The sequencer's timer: a tick every interval, a seal at the slot's end, slot after slot.
 *
 * Owns: the slot and its timer. Does not own the work, nor the order among writers: both are passed to it.
 *
 *   slot start ── tick ── tick ── … ── tick ── seal = the next slot's start
 *
 * The times follow from the slot's start, so lateness does not add up. A tick that comes too late is skipped and
 * counted; a slot that ends too late is sealed once, and the next one starts then. Faults can delay or skip ticks, but
 * not seals.
 *
 * If a manual clock is advanced by days, slots in which nothing can happen pass without ticks and seals: the timer
 * sleeps.
 */
import type { Clock, Timer } from '../../base/clock.ts'
import { toError } from '../../base/emitter.ts'
import { idleUntil } from '../../base/manualClock.ts'
import type { Faults } from './faults.ts'

/**
 * The number of slots without a transaction before the timer may sleep, and of slots that it runs after it has slept:
 * enough for the base fee to fall to its minimum, and for BLOCKHASH to read regular blocks only.
 */
const IDLE_SLOTS = 256

/** The timer sleeps only if more than this many empty slots lie ahead. */
const MIN_SLOTS_AHEAD = 4096

/** The durations of slots and intervals. */
export interface Schedule {
  /** Milliseconds. */
  readonly blockTime: number
  /** Milliseconds. */
  readonly preconfInterval: number
}

/** The timer's clock and durations, and the actions that it runs. */
export interface SlotParts extends Schedule {
  readonly clock: Clock
  /** Runs `fn` in its turn among the writers. */
  exclusive(fn: () => Promise<void>): Promise<void>
  tick(): Promise<unknown>
  /** Seals the block; on success it begins the next slot. @param nextSlot - when that one starts, in milliseconds. */
  seal(nextSlot: number): Promise<unknown>
  /** Whether nothing is included, nothing can be included now, and the next block's time is not set. */
  isIdle(): boolean
  onError(error: Error): void
  readonly faults: Pick<Faults, 'current' | 'missesTick'>
}

interface Slot {
  /** Milliseconds. */
  readonly start: number
  /** The number of ticks that are over, done or missed. */
  ticks: number
}

/** See the file's header. */
export class SlotTimer {
  readonly #parts: SlotParts
  #blockTime: number
  /** Undefined while the timer is stopped. */
  #slot: Slot | undefined
  #timer: Timer | undefined
  /** Whether an action that was due is under way: the timer is set again when it has ended. */
  #isActing = false
  #isAsleep = false
  /** Slots in a row that were sealed without a transaction. */
  #idleSlots = 0
  #missedTicks = 0
  #holds = 0

  constructor(parts: SlotParts) {
    this.#parts = parts
    this.#blockTime = parts.blockTime
  }

  /** Milliseconds from slot to slot. */
  get blockTime(): number {
    return this.#blockTime
  }

  /** Sets the block time; if the timer runs, a slot begins now. */
  set blockTime(ms: number) {
    this.#blockTime = ms
    if (this.#slot === undefined) return
    this.stop()
    this.start()
  }

  /** The number of ticks that were skipped because they came too late, or by a fault. */
  get missedTicks(): number {
    return this.#missedTicks
  }

  /** When a slot that starts at `start`, or the current one, ends (ms); undefined while the timer is stopped. */
  end(start = this.#slot?.start): number | undefined {
    return this.#slot === undefined ? undefined : start! + this.#blockTime
  }

  /** When the attributes of a block are fixed whose slot starts at `start`, or of the current one: at its end, or now (ms). */
  fixedAt(start?: number): number {
    return this.end(start) ?? this.#parts.clock.now()
  }

  /** Starts the timer; the first slot begins now. */
  start(): void {
    if (this.#slot !== undefined) return
    this.#slot = { start: this.#parts.clock.now(), ticks: 0 }
    this.#schedule()
  }

  /** Stops the timer. */
  stop(): void {
    this.#slot = undefined
    this.#clear()
  }

  /** Begins another slot, unless the timer is stopped. Actions still due in the old one are cancelled. */
  begin(start: number): void {
    if (this.#slot === undefined) return
    this.#slot = { start, ticks: 0 }
    if (!this.#isActing) this.#schedule()
  }

  /** Called at every action that the timer did not start. If the timer sleeps it resumes: there may be work for it. */
  wake(): void {
    if (this.#isActing) return
    this.#idleSlots = 0
    if (this.#isAsleep) this.#resume()
  }

  /** Resumes in the slot that contains the current time; ticks during the sleep do not count as missed. */
  #resume(): void {
    const now = this.#parts.clock.now()
    const { start } = this.#slot!
    const slot = { start: now - ((now - start) % this.#blockTime), ticks: 0 }
    this.#slot = { ...slot, ticks: this.#ticksUntil(now, slot) }
    this.#idleSlots = 0
    this.#schedule()
  }

  /** Keeps the process alive while the timer runs, until the returned function is called. */
  hold(): () => void {
    this.#holds += 1
    if (this.#holds === 1) this.#timer?.ref()
    let released = false
    return () => {
      if (released) return
      released = true
      this.#holds -= 1
      if (this.#holds === 0) this.#timer?.unref()
    }
  }

  /** Sets the timer to the slot's next action. @param failed - whether the action that was due just now failed. */
  #schedule(failed = false): void {
    const { clock, preconfInterval } = this.#parts
    const blockTime = this.#blockTime
    try {
      this.#clear()
      if (this.#slot === undefined) return
      const now = clock.now()
      // A clock that was set back would otherwise stop the chain until it reaches the old time again.
      if (this.#slot.start - now > blockTime) this.#slot = { start: now, ticks: 0 }
      const slot = this.#slot
      const over = this.#ticksUntil(now, slot)
      this.#missedTicks += over - slot.ticks
      slot.ticks = over
      const awake = this.#sleepsUntil(slot)
      if (awake !== undefined) {
        this.#isAsleep = true
        this.#arm(async () => this.#resume(), awake - now)
        return
      }
      const due = slot.start + Math.min((over + 1) * preconfInterval, blockTime)
      const delay = due <= now && failed ? preconfInterval : Math.max(0, due - now)
      this.#arm(() => this.#runDue(slot), delay)
    } catch (error) {
      this.#giveUp(error)
    }
  }

  /** The time at which the timer resumes if it can sleep now (ms), else undefined. */
  #sleepsUntil({ start, ticks }: Slot): number | undefined {
    if (ticks > 0 || this.#idleSlots < IDLE_SLOTS) return undefined
    const { clock, faults, isIdle } = this.#parts
    const idle = idleUntil(clock)
    if (idle === undefined || Object.keys(faults.current).length > 0 || !isIdle()) return undefined
    const slotsAhead = Math.floor((idle - start) / this.#blockTime)
    return slotsAhead > MIN_SLOTS_AHEAD ? start + (slotsAhead - IDLE_SLOTS) * this.#blockTime : undefined
  }

  #arm(fn: () => Promise<void>, ms: number): void {
    this.#timer = this.#parts.clock.setTimeout(fn, ms)
    if (this.#holds === 0) this.#timer.unref()
  }

  /** Runs the action that is due; a tick that a fault delays waits, at most until the end of its slot. */
  async #runDue(slot: Slot): Promise<void> {
    const { clock, faults } = this.#parts
    const { tickDelay } = faults.current
    const isTick = this.#slot === slot && slot.ticks < this.#ticksPerSlot
    if (tickDelay === undefined || !isTick) return this.#fire(slot)
    try {
      const left = slot.start + this.#blockTime - clock.now()
      this.#arm(() => this.#fire(slot), Math.max(0, Math.min(tickDelay, left)))
    } catch (error) {
      this.#giveUp(error)
    }
  }

  /** Stops the timer after its clock threw; `start` starts it again. */
  #giveUp(error: unknown): void {
    this.#slot = undefined
    this.#parts.onError(toError(error))
  }

  async #fire(slot: Slot): Promise<void> {
    let failed = false
    this.#isActing = true
    try {
      await this.#parts.exclusive(() => this.#act(slot))
    } catch (error) {
      failed = true
      this.#parts.onError(toError(error))
    }
    this.#isActing = false
    this.#schedule(failed)
  }

  async #act(slot: Slot): Promise<void> {
    // While this waited for the lock, the timer was stopped, or a seal began another slot.
    if (this.#slot !== slot) return
    const { clock, preconfInterval, faults } = this.#parts
    const now = clock.now()
    const end = slot.start + this.#blockTime
    if (slot.ticks < this.#ticksPerSlot && now < end) {
      // Hosts sometimes fire timers a little early: this tick is due even if the clock shows an earlier time.
      const over = Math.max(this.#ticksUntil(now, slot), slot.ticks + 1)
      this.#missedTicks += over - slot.ticks - 1
      slot.ticks = over
      if (faults.missesTick()) this.#missedTicks += 1
      else await this.#parts.tick()
    } else {
      this.#missedTicks += this.#ticksPerSlot - slot.ticks
      slot.ticks = this.#ticksPerSlot
      const idle = this.#parts.isIdle()
      await this.#parts.seal(now - end < preconfInterval ? end : now)
      this.#idleSlots = idle ? this.#idleSlots + 1 : 0
    }
  }

  /** Ticks of a slot; its end has none. */
  get #ticksPerSlot(): number {
    return Math.ceil(this.#blockTime / this.#parts.preconfInterval) - 1
  }

  /** How many ticks of the slot are in the past, including those that are over. */
  #ticksUntil(now: number, { start, ticks }: Slot): number {
    const due = Math.floor((now - start) / this.#parts.preconfInterval)
    return Math.max(ticks, Math.min(due, this.#ticksPerSlot))
  }

  #clear(): void {
    if (this.#timer !== undefined) this.#parts.clock.clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isAsleep = false
  }
}
