/**
 * The sequencer: when snapshots are published and blocks are sealed.
 *
 * Owns: the writer lock, and the operations under it. Does not own the tip (the publisher does), the schedule (the slot
 * timer does), nor the parts it coordinates: the mempool, the ledger, the world state and the payloads.
 *
 *   tick   fill a block from the mempool ─► publish
 *   seal   tick if anything waits ─► the last snapshot becomes the head
 *
 * Operations that replace the tip instead of extending it are methods of `Writer`, which the holder of the lock gets.
 */

import type { Clock, Timer } from '../../base/clock.ts'
import { type Emitter, toError } from '../../base/emitter.ts'
import { idleUntil } from '../../base/manualClock.ts'
import type { ResolvedImportOptions } from '../../base/options/requests.ts'
import type { Block } from '../../ethereum/block.ts'
import { splitBlocks } from '../../ethereum/blockEncoding.ts'
import type { ConsoleEntry } from '../../ethereum/evm/hooks.ts'
import { nextAttributes, type PayloadAttributes } from '../block/attributes.ts'
import { BlockBuilder } from '../block/blockBuilder.ts'
import { fillBlock } from '../block/inclusion.ts'
import { type Executed, openBlock, type Payload, repeatPayload, toExecuted } from '../block/payload.ts'
import { type Settings, settingsAfter } from '../block/settings.ts'
import { importBlocks } from '../import/importBlocks.ts'
import type { SealedEntry } from '../ledger/ledger.ts'
import type { Mempool } from '../mempool/mempool.ts'
import { requeue } from '../mempool/requeue.ts'
import { DisconnectedError } from './errors.ts'
import type { Faults } from './faults.ts'
import type { Order } from './order.ts'
import { Publisher, type PublisherParts, type TipEvents } from './publisher.ts'
import { isEmpty, type Tip } from './tip.ts'
import { type SettingsChange, Writer } from './writer.ts'

/** The dependencies of a sequencer. */
export interface SequencerParts extends PublisherParts {
  readonly mempool: Mempool
  readonly faults: Faults
  readonly order: Order
}

/** See the file's header. */
export class Sequencer {
  readonly #parts: SequencerParts
  readonly #clock: Clock
  readonly #publisher: Publisher
  /** Ticks and seals by the clock. */
  readonly timer: SlotTimer
  readonly #writer: Writer
  #lock: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(parts: SequencerParts, tip: Tip) {
    // They are the same in all bases of a chain.
    const { blockTime, preconfInterval, tickBudget, clock } = tip.base.options
    this.#parts = parts
    this.#clock = clock
    this.#publisher = new Publisher(parts, tip)
    this.timer = new SlotTimer({
      blockTime,
      preconfInterval,
      clock,
      faults: parts.faults,
      // Under other clocks than manual ones, real time decides.
      exclusive: (fn) =>
        Number.isFinite(tickBudget) ? this.exclusive(fn) : parts.order.run(() => this.exclusive(fn)),
      tick: () => this.#tick(tickBudget),
      seal: (nextSlot) => this.#seal(nextSlot, tickBudget),
      isIdle: () => isEmpty(this.tip) && !this.#hasExecutable(),
      onError: parts.onError,
    })
    this.#writer = new Writer({
      publisher: this.#publisher,
      mempool: parts.mempool,
      fixedAt: () => this.timer.fixedAt(),
      attributes: (parent, settings) => this.#attributes(parent, settings),
      promote: () => this.#promote(clock.now()),
      seal: async (update) => {
        if (this.#closed) throw new DisconnectedError()
        return this.#seal(clock.now(), undefined, update)
      },
    })
  }

  /** The current tip. */
  get tip(): Tip {
    return this.#publisher.tip
  }

  /** See {@link TipEvents}. */
  get events(): Emitter<TipEvents> {
    return this.#publisher.events
  }

  /** The attributes that a block after the head of a tip would have now. */
  nextAttributes({ base, head, settings }: Tip): PayloadAttributes {
    return nextAttributes(base, head.block, this.timer.fixedAt(), settings)
  }

  /** Runs `fn` alone among all writers, in order of arrival. @throws DisconnectedError after `close`. */
  exclusive<T>(fn: (writer: Writer) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new DisconnectedError())
    this.timer.wake()
    const run = this.#lock.then(() => fn(this.#writer))
    this.#lock = run.catch(() => {})
    return run
  }

  /** Publishes the next snapshot. @throws DisconnectedError after `close`. */
  tick(): Promise<Payload> {
    return this.exclusive(() => this.#tick())
  }

  /**
   * Seals the block. It ticks first if anything can be included, or if the block is empty and its timestamp
   * is out of date. If the timer runs, the next slot starts now.
   *
   * @throws DisconnectedError after `close`.
   */
  seal(): Promise<SealedEntry> {
    return this.exclusive(() => this.#seal(this.#clock.now()))
  }

  /**
   * Imports blocks after the head; each becomes the head in turn, and what was pre-confirmed before waits again.
   *
   * @returns the head.
   * @throws ImportError, VerificationError for the first block that is invalid or differs; those before it stay.
   * @throws DisconnectedError after `close`.
   */
  importBlocks(bytes: Uint8Array, options: ResolvedImportOptions): Promise<SealedEntry> {
    return this.exclusive(async () => {
      const { config, importer } = this.tip.base
      await importBlocks(splitBlocks(bytes), options, importer, {
        clock: config.clock,
        chainId: this.tip.preconf.attributes.chainId,
        head: () => this.tip.preconf.base.parent,
        adopt: async (imported) => {
          if (this.#closed) throw new DisconnectedError()
          await this.#adopt(imported)
        },
      })
      return this.tip.head
    })
  }

  /**
   * Seals until nothing executable is left. A failure is passed to `onError`.
   *
   * @param before - a place of arrival from which on they stay.
   * @param begin - called at its start.
   */
  async sealPending(before?: number, begin?: () => void): Promise<void> {
    if (this.#closed) return
    const seal = () => {
      begin?.()
      return this.#sealPending(before)
    }
    await this.exclusive(seal).catch((error) => this.#parts.onError(toError(error)))
  }

  /** Stops the timer, refuses further writers, and resolves once those that were admitted have ended. */
  async close(): Promise<void> {
    this.#closed = true
    this.timer.close()
    await this.#lock
    this.events.clear()
  }

  async #sealPending(before?: number): Promise<void> {
    while (!this.#closed) {
      if (this.#parts.mempool.hasExecutable(before)) await this.#tick(undefined, before)
      if (this.#parts.faults.hasScheduled) await this.#parts.faults.dropScheduled(this.#writer)
      if (this.tip.preconf.block.transactions.length === 0) return
      await this.#promote(this.#clock.now())
    }
  }

  /** @param budget - of the timer's ticks, in ms. @param before - see {@link sealPending}. */
  async #tick(budget = Number.POSITIVE_INFINITY, before?: number): Promise<Payload> {
    const { mempool, faults } = this.#parts
    if (faults.hasScheduled) await faults.dropScheduled(this.#writer)
    const index = this.tip.preconf.index + 1
    try {
      const { base, preconf } = this.tip
      const { config } = base
      // An empty block's attributes follow the clock until the first transaction fixes them.
      const attributes = this.#newAttributes()
      const from = attributes ? openBlock(config, preconf.base.parent, attributes) : preconf
      // Ticks of the timer never wait for a forked node.
      const builder = new BlockBuilder(config, from, undefined, Number.isFinite(budget))
      if (attributes) await builder.begin()
      const entries: ConsoleEntry[] = []
      const onConsole =
        this.events.count('console') > 0 ? (entry: ConsoleEntry) => entries.push(entry) : undefined
      const drops = await fillBlock(
        builder,
        { mempool, clock: this.#clock, onConsole, before },
        from.env.gasLimit,
        budget,
      )
      const isSame = attributes === undefined && builder.size === 0
      const built = isSame ? repeatPayload(preconf, index) : builder.end(index)
      const payload = built instanceof Promise ? await built : built
      const recorded = this.#publisher.record(payload, drops)
      if (recorded !== undefined) await recorded

      faults.countSnapshot(payload)
      this.#publisher.publish(payload, () => {
        for (const { transaction, reason } of drops) mempool.drop(transaction.hash, reason)
        const added = payload.block.transactions.slice(payload.added)
        drops.push(...mempool.preconfirmed(added))
        // Authorisations and delegated code increment nonces of accounts that sent nothing.
        if (added.length > 0) drops.push(...mempool.prune())
        return drops
      })
      for (const entry of entries) this.events.emit('console', entry)
      const settled = this.#publisher.settle()
      if (settled !== undefined) await settled
      return payload
    } finally {
      mempool.releaseHeld()
    }
  }

  /** Undefined if the block is not empty, or if its attributes are up to date. */
  #newAttributes(): PayloadAttributes | undefined {
    const { block, attributes: current } = this.tip.preconf
    if (block.transactions.length > 0) return undefined
    const attributes = this.nextAttributes(this.tip)
    return attributes.timestamp === current.timestamp ? undefined : attributes
  }

  async #seal(nextSlot: number, budget?: number, update?: SettingsChange): Promise<SealedEntry> {
    if (this.#hasExecutable() || this.#newAttributes()) await this.#tick(budget)
    // Also after the tick: a transaction scheduled to be dropped by a fault is never sealed.
    if (this.#parts.faults.hasScheduled) await this.#parts.faults.dropScheduled(this.#writer)
    return this.#promote(nextSlot, update)
  }

  /** Seals the last snapshot. @param nextSlot - when the next slot begins, in milliseconds. */
  async #promote(nextSlot: number, update: SettingsChange = (settings) => settings): Promise<SealedEntry> {
    const { preconf: sealed, snapshots, settings: before } = this.tip
    const after = settingsAfter(before, sealed.block, nextSlot)
    const settings = update(after, { parent: sealed.block, ms: this.timer.fixedAt(nextSlot) })
    const attributes = this.#attributes(sealed.block, settings, nextSlot)
    return this.#publisher.extend(toExecuted(sealed), { attributes, settings, snapshots }, () => {
      this.timer.begin(nextSlot)
      this.#parts.mempool.sealed(sealed.block.transactions)
      return []
    })
  }

  /** Makes an external block the head, instead of the payload. */
  #adopt(imported: Executed): Promise<SealedEntry> {
    const { preconf, settings } = this.tip
    const attributes = this.#attributes(imported.block, settings)
    const retracted = preconf.block.transactions
    const included = new Set(imported.block.transactions.map(({ hash }) => hash))
    const updateMempool = () => requeue(this.#parts.mempool, retracted, included)
    return this.#publisher.extend(imported, { attributes, settings, snapshots: [] }, updateMempool, 'import')
  }

  #hasExecutable(): boolean {
    return this.#parts.mempool.hasExecutable()
  }

  /** @param slotStart - start of the slot of the block after `parent` (ms); by default the current slot's. */
  #attributes(parent: Block, settings: Settings, slotStart?: number): PayloadAttributes {
    return nextAttributes(this.tip.base, parent, this.timer.fixedAt(slotStart), settings)
  }
}

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
  #isClosed = false

  constructor(parts: SlotParts) {
    this.#parts = parts
    this.#blockTime = parts.blockTime
  }

  /** Milliseconds from slot to slot. */
  get blockTime(): number {
    return this.#blockTime
  }

  /** Sets the block time; if the timer runs, a slot begins now. @param ms - from 1 on. */
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

  /** Whether it runs. */
  get isRunning(): boolean {
    return this.#slot !== undefined
  }

  /** When a slot that starts at `start`, or the current one, ends (ms); undefined while the timer is stopped. */
  end(start = this.#slot?.start): number | undefined {
    return this.#slot === undefined ? undefined : start! + this.#blockTime
  }

  /** When the attributes of a block are fixed whose slot starts at `start`, or of the current one: at its end, or now (ms). */
  fixedAt(start?: number): number {
    return this.end(start) ?? this.#parts.clock.now()
  }

  /** Starts the timer; the first slot begins now. @throws DisconnectedError after `close`. */
  start(): void {
    if (this.#isClosed) throw new DisconnectedError()
    if (this.#slot !== undefined) return
    this.#slot = { start: this.#parts.clock.now(), ticks: 0 }
    this.#schedule()
  }

  /** Stops the timer. */
  stop(): void {
    this.#slot = undefined
    this.#clear()
  }

  /** Stops the timer for good. */
  close(): void {
    this.#isClosed = true
    this.stop()
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
