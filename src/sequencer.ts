/**
 * The sequencer: when snapshots are published and blocks are sealed, and the tip both of them replace.
 *
 * Owns: the tip, the writer lock and the slot's timer. Does not own what it orders about: the mempool, the ledger, the
 * world state and the payloads, which are values.
 *
 *   tick   fill a draft from the mempool ─► publish ─► tip ─► emit `preconf`
 *   seal   (1) store the last snapshot's block, build index 0 on it   (2) fold the state, swap the tip, prune
 *          (3) emit `block`, then `preconf`                           until (2) a failure changes nothing
 */
import type { Clock, Timer } from './clock.ts'
import { Emitter, toError } from './emitter.ts'
import { InsufficientFundsError, NonceTooLowError, type TransactionRejectedError } from './errors.ts'
import {
  type AttributeOptions,
  nextAttributes,
  type Payload,
  type PayloadAttributes,
  type PayloadConfig,
  PayloadDraft,
  type PayloadParent,
  rebasePayload,
  repeatPayload,
  startPayload,
} from './execution/payload.ts'
import type { Ledger, SealedEntry } from './ledger/ledger.ts'
import type { Mempool } from './mempool/mempool.ts'
import type { MiningMode } from './options.ts'
import { changesSince } from './state/layer.ts'
import type { WorldState } from './state/worldState.ts'
import type { Tip } from './tip.ts'
import type { DropReason, Hash } from './types.ts'

/** A tick that executes for longer lets the host breathe between transactions. */
const YIELD_AFTER_MS = 10

/** What the sequencer tells, after the tip was swapped. */
export interface SequencerEvents {
  preconf: (payload: Payload) => void
  block: (entry: SealedEntry) => void
  dropped: (hash: Hash, reason: DropReason) => void
}

/** When the sequencer acts. */
export interface Schedule {
  readonly mining: MiningMode
  /** Milliseconds. */
  readonly blockTime: number
  /** Milliseconds. */
  readonly preconfInterval: number
  /** Milliseconds. */
  readonly tickBudget: number
  readonly sameSecondBlocks: boolean
}

/** What the sequencer works with. */
export interface SequencerParts {
  readonly clock: Clock
  readonly config: PayloadConfig
  readonly attributes: AttributeOptions
  readonly schedule: Schedule
  readonly mempool: Mempool
  readonly ledger: Ledger
  readonly world: WorldState
  readonly onError: (error: Error) => void
}

/** See the file's header. */
export class Sequencer {
  readonly events: Emitter<SequencerEvents>
  readonly #parts: SequencerParts
  #tip: Tip
  #lock: Promise<unknown> = Promise.resolve()
  #timer: Timer | undefined
  #running = false
  #holds = 0
  /** When the slot began, in milliseconds. */
  #slotStart: number
  #missedTicks = 0
  #settling: Promise<void> | undefined

  constructor(parts: SequencerParts, tip: Tip) {
    this.#parts = parts
    this.#tip = tip
    this.#slotStart = parts.clock.now()
    this.events = new Emitter(parts.onError)
  }

  /** Where the chain stands. */
  get tip(): Tip {
    return this.#tip
  }

  /** Ticks that were skipped because they came too late. */
  get missedTicks(): number {
    return this.#missedTicks
  }

  /** Timestamp, in seconds, of a block after `parent` whose context were fixed now. */
  nextTimestamp(parent: { readonly timestamp: bigint }): bigint {
    const { clock, schedule } = this.#parts
    const end = schedule.mining === 'interval' ? this.#slotStart + schedule.blockTime : clock.now()
    return this.#timestampAt(parent, end)
  }

  /** Runs `fn` alone among all writers, in order of arrival. */
  exclusive<T>(fn: () => Promise<T>): Promise<T> {
    const run = this.#lock.then(fn)
    this.#lock = run.catch(() => {})
    return run
  }

  /** Publishes the next snapshot. */
  tick(): Promise<Payload> {
    return this.exclusive(() => this.#tick())
  }

  /** Seals the block; before that it ticks if anything waits or an empty block's context has moved. */
  seal(): Promise<SealedEntry> {
    return this.exclusive(() => this.#seal(this.#parts.clock.now()))
  }

  /** Seals until nothing executable is left; calls that arrive before it begins share one run. */
  settle(): Promise<void> {
    this.#settling ??= this.exclusive(async () => {
      this.#settling = undefined
      while (!this.#parts.mempool.best().next().done) {
        const payload = await this.#tick()
        if (payload.block.transactions.length === 0) return
        await this.#seal(this.#parts.clock.now())
      }
    })
    return this.#settling
  }

  /** Starts the timer of `interval` mining; the slot begins now. */
  start(): void {
    if (this.#running) return
    this.#running = true
    this.#slotStart = this.#parts.clock.now()
    this.#setTimer()
  }

  /** Stops the timer. */
  stop(): void {
    this.#running = false
    if (this.#timer !== undefined) this.#parts.clock.clearTimeout(this.#timer)
    this.#timer = undefined
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

  /** Resolves once every writer that is under way has ended. */
  async idle(): Promise<void> {
    await this.#lock
  }

  #setTimer(): void {
    const { clock, schedule } = this.#parts
    const now = clock.now()
    const end = this.#slotStart + schedule.blockTime
    const index = Math.floor((now - this.#slotStart) / schedule.preconfInterval) + 1
    const due = Math.min(this.#slotStart + index * schedule.preconfInterval, end)
    this.#timer = clock.setTimeout(() => this.#onTimer(due, end), Math.max(0, due - now))
    if (this.#holds === 0) this.#timer.unref()
  }

  async #onTimer(due: number, end: number): Promise<void> {
    const { clock, schedule, onError } = this.#parts
    const now = clock.now()
    this.#missedTicks += Math.floor((Math.min(now, end) - due) / schedule.preconfInterval)
    try {
      if (now < end) await this.tick()
      // A late slot seals once, and the next one starts from now; a punctual one keeps to the schedule.
      else await this.exclusive(() => this.#seal(now - end < schedule.preconfInterval ? end : now))
    } catch (error) {
      onError(toError(error))
    }
    if (this.#running) {
      // After a seal that failed, the slot's end lies behind: it is tried again an interval later.
      if (clock.now() >= this.#slotStart + schedule.blockTime) {
        this.#slotStart = clock.now() - schedule.blockTime + schedule.preconfInterval
      }
      this.#setTimer()
    }
  }

  async #tick(): Promise<Payload> {
    const { config, mempool } = this.#parts
    const index = this.#tip.preconf.index + 1
    const base = await this.#renew(this.#tip.preconf)
    const draft = new PayloadDraft(config, base)
    const drops = await this.#fill(draft)
    const payload = draft.size > 0 ? await draft.publish(index) : repeatPayload(base, index)

    this.#tip = { ...this.#tip, preconf: payload, snapshots: [...this.#tip.snapshots, payload] }
    for (const { hash, reason } of drops) mempool.drop(hash, reason)
    const stale = mempool.preconfirmed(payload.block.transactions.slice(payload.added))

    for (const { hash, reason } of drops) this.events.emit('dropped', hash, reason)
    for (const { transaction, reason } of stale) this.events.emit('dropped', transaction.hash, reason)
    this.events.emit('preconf', payload)
    return payload
  }

  /** An empty block's context follows the clock until the first transaction fixes it. */
  async #renew(payload: Payload): Promise<Payload> {
    const { parent } = payload.growth
    if (payload.block.transactions.length > 0) return payload
    const timestamp = this.nextTimestamp(parent.block)
    if (timestamp === payload.attributes.timestamp) return payload
    return startPayload(this.#parts.config, parent, this.#attributes(parent, timestamp))
  }

  async #fill(draft: PayloadDraft): Promise<{ readonly hash: Hash; readonly reason: DropReason }[]> {
    const { clock, mempool, schedule } = this.#parts
    const drops: { hash: Hash; reason: DropReason }[] = []
    const started = clock.now()
    let breathed = started
    const best = mempool.best()
    try {
      for (const tx of best) {
        const now = clock.now()
        if (now - started > schedule.tickBudget) break
        if (now - breathed > YIELD_AFTER_MS) {
          await clock.yield()
          breathed = clock.now()
        }
        if (tx.gasLimit > draft.gasLeft) {
          best.skip(tx.from)
          continue
        }
        mempool.hold(tx.hash)
        const outcome = await draft.add(tx)
        if (outcome.kind === 'included') continue
        if (outcome.retryable) best.skip(tx.from)
        else drops.push({ hash: tx.hash, reason: toDropReason(outcome.error) })
      }
    } finally {
      mempool.releaseHeld()
    }
    return drops
  }

  /** @param nextSlot - when the next slot begins, in milliseconds. */
  async #seal(nextSlot: number): Promise<SealedEntry> {
    const { config, ledger, mempool, world, clock, onError } = this.#parts
    if (this.#wantsTick()) await this.#tick()
    const sealed = this.#tip.preconf
    const { canonical: before, head: parent } = this.#tip

    await ledger.put(sealed.block)
    const canonical = before.append(sealed.block.hash)
    const hashAt = (number: bigint) => canonical.at(number)
    const onLayers: PayloadParent = {
      block: sealed.block,
      state: sealed.state,
      stateTrie: sealed.stateTrie,
      hashAt,
    }
    const end =
      this.#parts.schedule.mining === 'interval' ? nextSlot + this.#parts.schedule.blockTime : clock.now()
    const next = await startPayload(
      config,
      onLayers,
      this.#attributes(onLayers, this.#timestampAt(sealed.block, end)),
    )

    const state = world.commit(changesSince(sealed.state, parent.state))
    const head: SealedEntry = { block: sealed.block, state, stateTrie: sealed.stateTrie }
    const preconf = rebasePayload(next, { ...onLayers, state })
    this.#slotStart = nextSlot
    this.#tip = {
      head,
      preconf,
      snapshots: [preconf],
      previousSnapshots: this.#tip.snapshots,
      canonical,
    }
    const oldest = ledger.append(head, hashAt)
    if (oldest !== undefined) world.prune(oldest)
    mempool.sealed(sealed.block.transactions.map(({ hash }) => hash))

    this.events.emit('block', head)
    this.events.emit('preconf', preconf)
    // Sealed is sealed: what fails from here on is told, and mended with the next block.
    await ledger.noteHead(head.block.hash).catch((error) => onError(toError(error)))
    return head
  }

  #wantsTick(): boolean {
    const { preconf } = this.#tip
    if (!this.#parts.mempool.best().next().done) return true
    const empty = preconf.block.transactions.length === 0
    return empty && this.nextTimestamp(preconf.growth.parent.block) !== preconf.attributes.timestamp
  }

  #attributes(parent: PayloadParent, timestamp: bigint): PayloadAttributes {
    return nextAttributes(this.#parts.attributes, parent.block, timestamp, this.#parts.config.crypto)
  }

  #timestampAt(parent: { readonly timestamp: bigint }, ms: number): bigint {
    const least = parent.timestamp + (this.#parts.schedule.sameSecondBlocks ? 0n : 1n)
    const at = BigInt(Math.floor(ms / 1000))
    return at > least ? at : least
  }
}

function toDropReason(error: TransactionRejectedError): DropReason {
  if (error instanceof NonceTooLowError) return 'nonce'
  return error instanceof InsufficientFundsError ? 'funds' : 'invalid'
}
