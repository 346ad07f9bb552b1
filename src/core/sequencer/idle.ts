/**
 * Lets an unused chain fall asleep, and wakes it at the next request. Owns: the time of the last use, the number of
 * requests in flight, and the timer that lets the chain fall asleep. Does not own the slot timer (the sequencer does),
 * nor the database (the journal does).
 *
 *   awake  ── unused for `idleAfter`, and nothing left to seal ─► asleep
 *   asleep ── at a request, starts a new slot or catches up ─► awake
 */

import type { Clock, Timer } from '../../base/clock.ts'
import { toError } from '../../base/emitter.ts'
import type { Draft } from '../block/draft.ts'
import type { IdleMode } from '../options.ts'
import { DisconnectedError } from './errors.ts'
import type { Mining } from './mining.ts'
import type { Snapshots } from './reverts.ts'
import type { Sequencer } from './sequencer.ts'

interface IdleOptions {
  readonly idle: IdleMode
  /** Milliseconds. */
  readonly idleAfter: number
  readonly clock: Clock
}

interface IdleParts {
  readonly sequencer: Sequencer
  readonly snapshots: Pick<Snapshots, 'isInMemory'>
  readonly onError: (error: Error) => void
}

/** See the file's header. */
export class Idle {
  readonly #options: IdleOptions
  readonly #parts: IdleParts
  /** The number of requests in flight. */
  #users = 0
  #lastUse: number
  #timer: Timer | undefined
  #isAsleep = false
  /** Resolves when requests may begin; undefined if they may now. */
  #waking: Promise<void> | undefined
  /** Called when no request is in flight. */
  #onUnused: (() => void)[] = []
  #isClosed = false

  constructor(options: IdleOptions, parts: IdleParts) {
    this.#options = options
    this.#parts = parts
    this.#lastUse = options.clock.now()
  }

  /**
   * Starts the slot timer if blocks are made by the clock. A stored chain continues as if it had slept while it was
   * closed.
   *
   * @param draft - the stored draft, whose slot continues; default: a new slot begins now.
   */
  begin(mining: Mining, { slotStart, ticks }: Draft = {}): void {
    const { timer } = this.#parts.sequencer
    if (slotStart === undefined) mining.begin()
    else {
      timer.suspend()
      mining.begin(slotStart, ticks)
      this.#wakeWith(async () => {
        // Lets the caller of `createChain` add listeners first.
        await this.#options.clock.yield()
        await this.#goOn()
      })
    }
    this.#touch()
  }

  /** Runs a request: the chain wakes up first, and stays awake meanwhile. Requests begin in the order of arrival. */
  async use<Result>(request: () => Promise<Result>): Promise<Result> {
    this.#users += 1
    try {
      if (this.#isAsleep) this.#wake()
      if (this.#waking !== undefined) await this.#waking
      return await request()
    } finally {
      this.#users -= 1
      this.#touch()
    }
  }

  /** Falls asleep if the chain was unused for `idleAfter`, nothing is left to seal, and no snapshot would be lost. */
  check(): void {
    const { sequencer, snapshots } = this.#parts
    if (this.#isAsleep || this.#isBusy) return
    const left = this.#lastUse + this.#options.idleAfter - this.#options.clock.now()
    if (left > 0) this.#arm(left)
    // A chain that must stay awake is checked again after the slot timer's next action, or the next request.
    else if (!this.#isSealing && !sequencer.timer.isActing && !snapshots.isInMemory) this.#fallAsleep()
  }

  /** See `PresealChain.sleep`. @throws DisconnectedError after `close`. */
  async sleep(): Promise<void> {
    const { sequencer } = this.#parts
    let hasProgress = true
    while (!this.#isAsleep) {
      if (this.#isClosed) throw new DisconnectedError()
      if (this.#waking !== undefined) await this.#waking
      else if (this.#users > 0) await new Promise<void>((resolve) => this.#onUnused.push(resolve))
      else if (this.#isSealing && hasProgress && this.#options.idle === 'sleep') {
        const { block } = await sequencer.seal()
        hasProgress = block.transactions.length > 0
      } else if (sequencer.timer.isActing) await sequencer.exclusive(async () => {})
      else this.#fallAsleep()
    }
  }

  /** Ends sleeping and waking. Returns how far the slot has come, if the next start of the chain continues it. */
  close(): Pick<Draft, 'slotStart' | 'ticks'> | undefined {
    const { slotStart, ticks } = this.#parts.sequencer.timer
    this.#isClosed = true
    this.#disarm()
    for (const onUnused of this.#onUnused.splice(0)) onUnused()
    const goesOn = this.#options.idle === 'catch-up' && slotStart !== undefined && ticks !== undefined
    return goesOn ? { slotStart, ticks } : undefined
  }

  get #isBusy(): boolean {
    return this.#isClosed || this.#users > 0 || this.#waking !== undefined
  }

  /** Whether the slot timer is going to seal a transaction. */
  get #isSealing(): boolean {
    const { timer, hasWork } = this.#parts.sequencer
    return timer.isRunning && hasWork
  }

  #fallAsleep(): void {
    const { timer, events } = this.#parts.sequencer
    this.#disarm()
    timer.suspend()
    this.#isAsleep = true
    events.emit('sleep')
  }

  #wake(): void {
    this.#isAsleep = false
    this.#wakeWith(() => {
      this.#parts.sequencer.events.emit('wake')
      return this.#goOn()
    })
  }

  async #goOn(): Promise<void> {
    const { sequencer } = this.#parts
    const { timer } = sequencer
    if (this.#options.idle === 'catch-up') return timer.catchUp()
    const now = this.#options.clock.now()
    const isOver = timer.slotStart !== undefined && timer.slotStart + timer.blockTime <= now
    // The old slot continues until it is over, and even then if transactions are left to seal, as after a close.
    if (!isOver || this.#isSealing) return timer.release()
    timer.release(now)
    // Renews the time of the empty block: requests would otherwise see the time of the previous slot.
    await sequencer.tick()
  }

  #wakeWith(wake: () => Promise<void>): void {
    this.#waking = wake().catch((error) => {
      if (!this.#isClosed) this.#parts.onError(toError(error))
    })
    // Runs before the waiting requests continue, so that no later request overtakes them.
    void this.#waking.then(() => {
      this.#waking = undefined
      this.check()
    })
  }

  #touch(): void {
    const now = this.#options.clock.now()
    // A clock that was set back may have lost the timer, so a new one is set.
    if (now < this.#lastUse) this.#disarm()
    this.#lastUse = now
    if (this.#users > 0) return
    for (const onUnused of this.#onUnused.splice(0)) onUnused()
    if (!this.#isBusy && !this.#isAsleep) this.#arm(this.#options.idleAfter)
  }

  #arm(ms: number): void {
    if (this.#timer !== undefined) return
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined
      this.check()
    }, ms)
    this.#timer.unref()
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
