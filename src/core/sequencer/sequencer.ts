/**
 * Owns: the writer lock, and the operations under it. Does not own the tip (the publisher does), nor the schedule (the
 * slot timer does). Operations that replace the tip instead of extending it are methods of `Writer`.
 *
 *   tick   fill a block from the mempool ─► publish
 *   seal   tick if transactions wait ─► the last preconf block becomes the head
 */

import type { Clock, Timer } from '../../base/clock.ts'
import { type Emitter, toError } from '../../base/emitter.ts'
import { idleUntil } from '../../base/manualClock.ts'
import type { ResolvedImportOptions } from '../../base/options/requests.ts'
import { createYielder } from '../../base/waiting.ts'
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

interface SequencerParts extends Omit<PublisherParts, 'slotStart'> {
  readonly mempool: Mempool
  readonly faults: Faults
  readonly order: Order
  /** Called after each tick and seal of the timer. */
  readonly onActed: () => void
}

/** Publishes preconf blocks and seals blocks, one writer at a time. Writers after `close` get a DisconnectedError. */
export class Sequencer {
  readonly #parts: SequencerParts
  readonly #clock: Clock
  readonly #publisher: Publisher
  readonly timer: SlotTimer
  readonly #writer: Writer
  #lock: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(parts: SequencerParts, tip: Tip) {
    // Read once: these options are the same in all bases of a chain.
    const { blockTime, preconfInterval, tickBudget, clock } = tip.base.options
    this.#parts = parts
    this.#clock = clock
    this.#publisher = new Publisher({ ...parts, slotStart: () => this.timer.slotStart }, tip)
    this.timer = new SlotTimer({
      blockTime,
      preconfInterval,
      clock,
      faults: parts.faults,
      // With a manual clock, ticks have no budget, and wait for earlier requests. In real time, they do not wait.
      exclusive: (fn) =>
        Number.isFinite(tickBudget) ? this.exclusive(fn) : parts.order.run(() => this.exclusive(fn)),
      tick: () => this.#tick(tickBudget),
      seal: (nextSlot) => this.#seal(nextSlot, tickBudget),
      isIdle: () => isEmpty(this.tip) && !parts.mempool.hasExecutable(),
      onActed: parts.onActed,
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

  get tip(): Tip {
    return this.#publisher.tip
  }

  get events(): Emitter<TipEvents> {
    return this.#publisher.events
  }

  /** Whether a transaction is pre-confirmed, or can be included. */
  get hasWork(): boolean {
    return this.tip.preconf.block.transactions.length > 0 || this.#parts.mempool.hasExecutable()
  }

  /** Returns the attributes that a block after the head of a tip would have now. */
  nextAttributes({ base, head, settings }: Tip): PayloadAttributes {
    return nextAttributes(base, head.block, this.timer.fixedAt(), settings)
  }

  /** Runs `fn` alone among all writers, in order of arrival. */
  exclusive<T>(fn: (writer: Writer) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new DisconnectedError())
    this.timer.wake()
    const run = this.#lock.then(() => fn(this.#writer))
    this.#lock = run.catch(() => {})
    return run
  }

  /** Publishes the next preconf block. */
  tick(): Promise<Payload> {
    return this.exclusive(() => this.#tick())
  }

  /**
   * Seals the block under construction. Ticks first if a transaction can be included, or if the block is empty and its
   * timestamp is out of date. If the timer runs, the next slot starts now.
   */
  seal(): Promise<SealedEntry> {
    return this.exclusive(() => this.#seal(this.#clock.now()))
  }

  /**
   * Imports blocks after the head, and returns the head. Pre-confirmed transactions that are not in them wait again.
   *
   * @throws ImportError for the first invalid block, VerificationError for the first block that the second implementation
   *   executes differently. Earlier blocks stay.
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
   * Seals until no executable transaction that arrived earlier than the place `before` is left. Passes a failure to
   * `onError`. Does nothing after `close`. Calls `begin` when the run begins.
   */
  async sealPending(before?: number, begin?: () => void): Promise<void> {
    if (this.#closed) return
    const { mempool, faults, onError } = this.#parts
    const seal = async (writer: Writer) => {
      begin?.()
      while (!this.#closed) {
        if (mempool.hasExecutable(before)) await this.#tick(undefined, before)
        if (faults.hasScheduled) await faults.dropScheduled(writer)
        if (this.tip.preconf.block.transactions.length === 0) return
        await this.#promote(this.#clock.now())
      }
    }
    await this.exclusive(seal).catch((error) => onError(toError(error)))
  }

  /** Stops the timer, refuses new writers, and resolves when the earlier ones have ended. */
  async close(): Promise<void> {
    this.#closed = true
    this.timer.close()
    await this.#lock
    this.events.clear()
  }

  /** @param budget - how many milliseconds the tick may take. @param before - see {@link sealPending}. */
  async #tick(budget = Number.POSITIVE_INFINITY, before?: number): Promise<Payload> {
    const { mempool, faults } = this.#parts
    if (faults.hasScheduled) await faults.dropScheduled(this.#writer)
    const index = this.tip.preconf.index + 1
    try {
      const { preconf } = this.tip
      const { config } = this.tip.base
      // An empty block's attributes follow the clock until the first transaction fixes them.
      const attributes = this.#newAttributes()
      const from = attributes ? openBlock(config, preconf.base.parent, attributes) : preconf
      // Ticks with a budget do not wait for a forked node.
      const builder = new BlockBuilder(config, from, undefined, Number.isFinite(budget))
      if (attributes) await builder.begin()
      const entries: ConsoleEntry[] = []
      const onConsole =
        this.events.count('console') > 0 ? (entry: ConsoleEntry) => entries.push(entry) : undefined
      const drops = await fillBlock(builder, { mempool, clock: this.#clock, onConsole, before, budget })
      const isSame = attributes === undefined && builder.size === 0
      const built = isSame ? repeatPayload(preconf, index) : builder.end(index)
      const payload = built instanceof Promise ? await built : built
      const recorded = this.#publisher.record([payload], drops)
      if (recorded !== undefined) await recorded

      faults.countPreconfBlock(payload)
      this.#publisher.publish(payload, () => {
        for (const { transaction, reason } of drops) mempool.drop(transaction.hash, reason)
        const added = payload.block.transactions.slice(payload.added)
        drops.push(...mempool.preconfirmed(added))
        // Prunes all senders: authorisations and delegated code increment nonces of accounts that sent nothing.
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

  /** Returns new attributes for the block; undefined if it is not empty, or if its attributes are up to date. */
  #newAttributes(): PayloadAttributes | undefined {
    const { block, attributes: current } = this.tip.preconf
    if (block.transactions.length > 0) return undefined
    const attributes = this.nextAttributes(this.tip)
    return attributes.timestamp === current.timestamp ? undefined : attributes
  }

  async #seal(nextSlot: number, budget?: number, update?: SettingsChange): Promise<SealedEntry> {
    const { mempool, faults } = this.#parts
    if (mempool.hasExecutable() || this.#newAttributes()) await this.#tick(budget)
    // The tick may have scheduled transactions to drop, which must not be sealed.
    if (faults.hasScheduled) await faults.dropScheduled(this.#writer)
    return this.#promote(nextSlot, update)
  }

  /** Seals the last preconf block. @param nextSlot - start of the next slot, in milliseconds. */
  async #promote(nextSlot: number, update: SettingsChange = (settings) => settings): Promise<SealedEntry> {
    const { preconf: sealed, preconfBlocks, settings: before } = this.tip
    const after = settingsAfter(before, sealed.block, nextSlot)
    const settings = update(after, { parent: sealed.block, ms: this.timer.fixedAt(nextSlot) })
    const attributes = this.#attributes(sealed.block, settings, nextSlot)
    const slotStart = this.timer.isRunning ? nextSlot : undefined
    return this.#publisher.extend(
      toExecuted(sealed),
      { attributes, settings, preconfBlocks, slotStart },
      () => {
        this.timer.begin(nextSlot)
        this.#parts.mempool.sealed(sealed.block.transactions)
        return []
      },
    )
  }

  /** Makes an imported block the head, and withdraws the preconf blocks. */
  #adopt(imported: Executed): Promise<SealedEntry> {
    const { preconf, settings } = this.tip
    const { slotStart } = this.timer
    const attributes = this.#attributes(imported.block, settings)
    const succession = { attributes, settings, preconfBlocks: [], slotStart }
    const included = new Set(imported.block.transactions.map(({ hash }) => hash))
    const updateMempool = () => requeue(this.#parts.mempool, preconf.block.transactions, included)
    return this.#publisher.extend(imported, succession, updateMempool, 'import')
  }

  /** @param slotStart - when the slot of the block starts, in milliseconds; default: the current slot's start. */
  #attributes(parent: Block, settings: Settings, slotStart?: number): PayloadAttributes {
    return nextAttributes(this.tip.base, parent, this.timer.fixedAt(slotStart), settings)
  }
}

/**
 * How many empty slots the timer runs before it sleeps and after it resumes. After so many, the base fee is at its
 * minimum, and all blocks that BLOCKHASH reads are one slot apart.
 */
const IDLE_SLOTS = 256

/** The timer sleeps only if more than this many empty slots lie ahead. */
const MIN_SLOTS_AHEAD = 4096

/** The timer's clock, its durations in milliseconds, and the actions that it runs. */
export interface SlotParts {
  readonly blockTime: number
  readonly preconfInterval: number
  readonly clock: Clock
  /** Runs `fn` in its turn among the writers. */
  exclusive(fn: () => Promise<void>): Promise<void>
  tick(): Promise<unknown>
  /** Seals the block, and begins the next slot on success. @param nextSlot - its start, in milliseconds. */
  seal(nextSlot: number): Promise<unknown>
  /** Whether the block is empty, no transaction can be included, and no time is set for the block. */
  isIdle(): boolean
  /** Called after each action, when the next one is set. */
  onActed(): void
  onError(error: Error): void
  readonly faults: Pick<Faults, 'current' | 'missesTick'>
}

interface Slot {
  readonly start: number
  /** How many ticks were run or missed. */
  ticks: number
  /** When a due tick runs that a fault has delayed, in milliseconds. */
  delayedUntil?: number | undefined
}

/**
 * The sequencer's timer: a tick every interval, a seal at the end of each slot.
 *
 *   slot start ── tick ── tick ── … ── tick ── seal = the next slot's start
 *
 * Times follow from the start of the slot, so lateness does not add up. If several ticks are due, one runs, and the
 * rest count as missed. If a seal is late by an interval or more, the next slot starts at the seal. Faults can delay or
 * skip ticks, but not seals. When a manual clock advances by thousands of idle slots, the timer sleeps through them
 * (core/DECISIONS.md 62). While the chain sleeps, the timer is suspended in its slot (core/DECISIONS.md 62a).
 */
export class SlotTimer {
  readonly #parts: SlotParts
  #blockTime: number
  /** Undefined while the timer is stopped. */
  #slot: Slot | undefined
  #timer: Timer | undefined
  /** Whether a due action is under way; the timer is set again when it ends. */
  #isActing = false
  #isAsleep = false
  #isSuspended = false
  /** When the action that `catchUp` runs was due, in milliseconds; undefined outside `catchUp`. */
  #pastTime: number | undefined
  /** Consecutive slots that were sealed without a transaction. */
  #idleSlots = 0
  /** The number of ticks skipped by lateness or by a fault. */
  missedTicks = 0
  #holds = 0
  #isClosed = false

  constructor(parts: SlotParts) {
    this.#parts = parts
    this.#blockTime = parts.blockTime
  }

  /** Duration of a slot, in milliseconds. */
  get blockTime(): number {
    return this.#blockTime
  }

  /** Sets the block time; if the timer runs, a slot begins now. @param ms - at least 1. */
  set blockTime(ms: number) {
    this.#blockTime = ms
    if (this.#slot === undefined) return
    this.stop()
    this.start()
  }

  get isRunning(): boolean {
    return this.#slot !== undefined
  }

  /** When the slot started, in milliseconds; undefined while the timer is stopped. */
  get slotStart(): number | undefined {
    return this.#slot?.start
  }

  /** How many ticks of the slot have run or were missed; undefined while the timer is stopped. */
  get ticks(): number | undefined {
    return this.#slot?.ticks
  }

  /** Returns when a block's attributes are fixed, in milliseconds: when its slot ends, or now if no timer runs. */
  fixedAt(start = this.#slot?.start): number {
    return this.#slot === undefined ? this.#parts.clock.now() : start! + this.#blockTime
  }

  /**
   * Starts the timer.
   *
   * @param start - when the first slot began, in milliseconds; default now. Ticks that are over do not count as missed.
   * @param ticks - how many ticks of the first slot have run; default: all whose time is over.
   * @throws DisconnectedError after `close`.
   */
  start(start = this.#parts.clock.now(), ticks?: number): void {
    if (this.#isClosed) throw new DisconnectedError()
    if (this.#slot !== undefined) return
    this.#enter(start, ticks)
  }

  stop(): void {
    this.#slot = undefined
    this.#clear()
  }

  close(): void {
    this.#isClosed = true
    this.stop()
  }

  /** Whether an action of the timer is under way. */
  get isActing(): boolean {
    return this.#isActing
  }

  /** Stops all actions until `release` or `catchUp`, but keeps the slot. */
  suspend(): void {
    this.#isSuspended = true
    this.#clear()
  }

  /** Ends the suspension. @param start - when the slot began, in milliseconds; default: the old slot continues. */
  release(start = this.#slot?.start): void {
    this.#isSuspended = false
    if (this.#slot !== undefined) this.#enter(start!)
  }

  /**
   * Runs the actions that fell due while the timer was suspended, as if at their due times, and ends the suspension.
   * Skips idle slots as when a manual clock advances to now. If an action fails, the remaining ones run late.
   */
  async catchUp(): Promise<void> {
    const { clock } = this.#parts
    const failed = !(await this.#run(() => this.#actInPast()))
    this.#pastTime = undefined
    this.#isSuspended = false
    const slot = this.#slot
    const now = clock.now()
    // A tick is due, but has not run because a fault delays it.
    const isDelayed = !failed && slot !== undefined && this.#ticksUntil(now, slot) > slot.ticks
    if (isDelayed) this.#delay(slot, this.#actsAt(slot))
    else this.#schedule(failed)
  }

  async #actInPast(): Promise<void> {
    const { clock } = this.#parts
    const pause = createYielder(clock)
    while (this.#slot !== undefined) {
      const slot = this.#slot
      const now = clock.now()
      const awake = this.#sleepsUntil(slot, now)
      this.#pastTime = awake ?? this.#actsAt(slot)
      if (this.#pastTime > now) return
      if (awake === undefined) await this.#act(slot)
      else this.#resume()
      const turn = pause()
      if (turn !== undefined) await turn
    }
  }

  /** Returns when the next action of a slot runs, in milliseconds: when it is due, or later if a fault delays it. */
  #actsAt({ start, ticks, delayedUntil }: Slot): number {
    const { preconfInterval, faults } = this.#parts
    const end = start + this.#blockTime
    if (delayedUntil !== undefined) return delayedUntil
    if (ticks >= this.#ticksPerSlot) return end
    return Math.min(start + (ticks + 1) * preconfInterval + (faults.current.tickDelay ?? 0), end)
  }

  #now(): number {
    return this.#pastTime ?? this.#parts.clock.now()
  }

  /** Begins a slot, unless the timer is stopped. Actions due in the previous slot are cancelled. */
  begin(start: number): void {
    if (this.#slot === undefined) return
    this.#slot = { start, ticks: 0 }
    if (!this.#isActing) this.#schedule()
  }

  /** Resumes a sleeping timer, or defers its sleep. Called for each action that the timer did not start. */
  wake(): void {
    if (this.#isActing) return
    this.#idleSlots = 0
    if (this.#isAsleep) this.#resume()
  }

  /** Resumes in the slot that contains the current time; ticks during the sleep do not count as missed. */
  #resume(): void {
    const now = this.#now()
    const { start } = this.#slot!
    this.#idleSlots = 0
    this.#enter(now - ((now - start) % this.#blockTime))
  }

  /** Enters a slot that may have begun before; ticks that are over do not count as missed. */
  #enter(start: number, ticks = Number.POSITIVE_INFINITY): void {
    const over = this.#ticksUntil(this.#now(), { start, ticks: 0 })
    this.#slot = { start, ticks: Math.min(ticks, over) }
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

  /** Sets the timer to the next action of the slot. @param failed - whether the last action failed. */
  #schedule(failed = false): void {
    const { clock, preconfInterval } = this.#parts
    const blockTime = this.#blockTime
    try {
      this.#clear()
      if (this.#slot === undefined || this.#isSuspended) return
      const now = clock.now()
      // Starts a new slot if the clock was set back: the old slot would not end until its time comes again.
      if (this.#slot.start - now > blockTime) this.#slot = { start: now, ticks: 0 }
      const slot = this.#slot
      const over = this.#ticksUntil(now, slot)
      this.missedTicks += over - slot.ticks
      slot.ticks = over
      const awake = this.#sleepsUntil(slot, idleUntil(clock))
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

  /**
   * Returns when the timer resumes if it sleeps now, in milliseconds; undefined if it must not sleep.
   *
   * @param idle - the time before which nothing else is due; undefined if it is not known.
   */
  #sleepsUntil({ start, ticks }: Slot, idle: number | undefined): number | undefined {
    if (ticks > 0 || this.#idleSlots < IDLE_SLOTS) return undefined
    const { faults, isIdle } = this.#parts
    if (idle === undefined || Object.keys(faults.current).length > 0 || !isIdle()) return undefined
    const slotsAhead = Math.floor((idle - start) / this.#blockTime)
    return slotsAhead > MIN_SLOTS_AHEAD ? start + (slotsAhead - IDLE_SLOTS) * this.#blockTime : undefined
  }

  #arm(fn: () => Promise<void>, ms: number): void {
    this.#timer = this.#parts.clock.setTimeout(fn, ms)
    if (this.#holds === 0) this.#timer.unref()
  }

  /** Runs the due action. A tick delayed by a fault waits, at most until the end of its slot. */
  async #runDue(slot: Slot): Promise<void> {
    const { clock, faults } = this.#parts
    const { tickDelay } = faults.current
    const isTick = this.#slot === slot && slot.ticks < this.#ticksPerSlot
    if (tickDelay === undefined || !isTick) return this.#fire(slot)
    try {
      this.#delay(slot, Math.min(clock.now() + tickDelay, slot.start + this.#blockTime))
    } catch (error) {
      this.#giveUp(error)
    }
  }

  #delay(slot: Slot, until: number): void {
    slot.delayedUntil = until
    this.#arm(() => this.#fire(slot), Math.max(0, until - this.#parts.clock.now()))
  }

  /** Stops the timer after its clock threw; `start` starts it again. */
  #giveUp(error: unknown): void {
    this.#slot = undefined
    this.#parts.onError(toError(error))
  }

  async #fire(slot: Slot): Promise<void> {
    const failed = !(await this.#run(() => this.#act(slot)))
    this.#schedule(failed)
    this.#parts.onActed()
  }

  /** Runs actions alone. Resolves to whether they succeeded. */
  async #run(act: () => Promise<void>): Promise<boolean> {
    this.#isActing = true
    try {
      await this.#parts.exclusive(act)
      return true
    } catch (error) {
      this.#parts.onError(toError(error))
      return false
    } finally {
      this.#isActing = false
    }
  }

  async #act(slot: Slot): Promise<void> {
    // While this waited for the lock, the timer was stopped, or a seal began the next slot.
    if (this.#slot !== slot) return
    const { preconfInterval, faults } = this.#parts
    slot.delayedUntil = undefined
    const now = this.#now()
    const end = slot.start + this.#blockTime
    if (slot.ticks < this.#ticksPerSlot && now < end) {
      // Hosts sometimes fire timers a little early: this tick is due even if the clock shows an earlier time.
      const over = Math.max(this.#ticksUntil(now, slot), slot.ticks + 1)
      this.missedTicks += over - slot.ticks - 1
      slot.ticks = over
      if (faults.missesTick()) this.missedTicks += 1
      else await this.#parts.tick()
    } else {
      this.missedTicks += this.#ticksPerSlot - slot.ticks
      slot.ticks = this.#ticksPerSlot
      const idle = this.#parts.isIdle()
      await this.#parts.seal(now - end < preconfInterval ? end : now)
      this.#idleSlots = idle ? this.#idleSlots + 1 : 0
    }
  }

  /** The number of ticks in a slot. At the end of a slot, the seal takes the place of a tick. */
  get #ticksPerSlot(): number {
    return Math.ceil(this.#blockTime / this.#parts.preconfInterval) - 1
  }

  /** Returns how many ticks of the slot have run, were missed or are due by `now`. */
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
