/**
 * The sequencer: when snapshots are published and blocks are sealed, and the tip both of them replace.
 *
 * Owns: the tip and the writer lock. Does not own what it orders about: the mempool, the ledger, the world state and
 * the payloads, which are values; nor when it acts by itself, which is the slot timer's.
 *
 *   tick   fill a draft from the mempool ─► publish ─► tip ─► emit `preconf`
 *   seal   (1) store the last snapshot's block, build index 0 on it   (2) fold the state, swap the tip, prune
 *          (3) emit `block`, then `preconf`                           until (2) a failure changes nothing
 */
import type { Clock } from './clock.ts'
import { Emitter, toError } from './emitter.ts'
import { DisconnectedError } from './errors.ts'
import { type AttributeOptions, nextAttributes, type PayloadAttributes } from './execution/attributes.ts'
import { type BlockImporter, importBlocks } from './execution/importBlocks.ts'
import {
  type Payload,
  type PayloadConfig,
  PayloadDraft,
  type PayloadParent,
  rebasePayload,
  repeatPayload,
  startPayload,
} from './execution/payload.ts'
import type { Block } from './ledger/block.ts'
import type { Ledger, SealedEntry } from './ledger/ledger.ts'
import type { Dropped, Mempool } from './mempool/mempool.ts'
import { requeue, toDropReason } from './mempool/requeue.ts'
import { SlotTimer } from './slotTimer.ts'
import type { StateReader } from './state/account.ts'
import { changesSince } from './state/layer.ts'
import type { StateTrie } from './state/stateTrie.ts'
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
  /** Milliseconds. */
  readonly blockTime: number
  /** Milliseconds. */
  readonly preconfInterval: number
  /** Milliseconds a tick of the timer may execute. */
  readonly tickBudget: number
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
  readonly importer: BlockImporter
  readonly onError: (error: Error) => void
}

/** A block with the state after it, on layers over its parent's. */
interface Executed {
  readonly block: Block
  readonly state: StateReader
  readonly stateTrie: StateTrie
}

/** See the file's header. */
export class Sequencer {
  readonly events: Emitter<SequencerEvents>
  readonly #parts: SequencerParts
  #tip: Tip
  readonly #slots: SlotTimer
  #lock: Promise<unknown> = Promise.resolve()
  #settling: Promise<void> | undefined
  #closed = false

  constructor(parts: SequencerParts, tip: Tip) {
    this.#parts = parts
    this.#tip = tip
    this.events = new Emitter(parts.onError)
    this.#slots = new SlotTimer({
      ...parts.schedule,
      clock: parts.clock,
      exclusive: (fn) => this.exclusive(fn),
      tick: () => this.#tick(parts.schedule.tickBudget),
      seal: (nextSlot) => this.#seal(nextSlot, parts.schedule.tickBudget),
      onError: parts.onError,
    })
  }

  /** Where the chain stands. */
  get tip(): Tip {
    return this.#tip
  }

  /** Ticks that were skipped because they came too late. */
  get missedTicks(): number {
    return this.#slots.missedTicks
  }

  /** The attributes of a block after `parent` whose context were fixed now. */
  nextAttributes(parent: Block): PayloadAttributes {
    return this.#attributes(parent, this.#slots.end() ?? this.#parts.clock.now())
  }

  /** Runs `fn` alone among all writers, in order of arrival. @throws DisconnectedError after `close`. */
  exclusive<T>(fn: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new DisconnectedError())
    const run = this.#lock.then(fn)
    this.#lock = run.catch(() => {})
    return run
  }

  /** Publishes the next snapshot. @throws DisconnectedError after `close`. */
  tick(): Promise<Payload> {
    return this.exclusive(() => this.#tick())
  }

  /**
   * Seals the block; before that it ticks if anything waits or an empty block's context has moved. Where the timer
   * runs, the next slot starts now.
   *
   * @throws DisconnectedError after `close`.
   */
  seal(): Promise<SealedEntry> {
    return this.exclusive(() => this.#seal(this.#parts.clock.now()))
  }

  /**
   * Imports blocks after the head; each becomes the head in its turn. What was pre-confirmed before the first of them
   * waits again.
   *
   * @returns the head.
   * @throws ImportError for the first invalid block; those before it stay.
   * @throws DisconnectedError after `close`.
   */
  importBlocks(bytes: Uint8Array): Promise<SealedEntry> {
    return this.exclusive(async () => {
      await importBlocks(bytes, this.#parts.importer, {
        clock: this.#parts.clock,
        head: () => this.#tip.preconf.growth.parent,
        adopt: async (imported) => {
          if (this.#closed) throw new DisconnectedError()
          await this.#adopt(imported)
        },
      })
      return this.#tip.head
    })
  }

  /**
   * Seals until nothing executable is left; calls that arrive before it begins share one run. Never rejects: a failure
   * is told to `onError`, once.
   */
  settle(): Promise<void> {
    if (this.#closed) return Promise.resolve()
    this.#settling ??= this.exclusive(() => this.#settle()).catch((error) =>
      this.#parts.onError(toError(error)),
    )
    return this.#settling
  }

  /** Starts the timer; the slot begins now. @throws DisconnectedError after `close`. */
  start(): void {
    if (this.#closed) throw new DisconnectedError()
    this.#slots.start()
  }

  /** Stops the timer. */
  stop(): void {
    this.#slots.stop()
  }

  /** Keeps the process alive while the timer runs, until the returned function is called. */
  hold(): () => void {
    return this.#slots.hold()
  }

  /** Stops the timer, lets no further writer in, and resolves once those that were let in have ended. */
  async close(): Promise<void> {
    this.#closed = true
    this.#slots.stop()
    await this.#lock
    this.events.clear()
  }

  async #settle(): Promise<void> {
    this.#settling = undefined
    while (!this.#closed) {
      if (this.#anythingWaits()) await this.#tick()
      if (this.#tip.preconf.block.transactions.length === 0) return
      await this.#promote(this.#parts.clock.now())
    }
  }

  /** @param budget - milliseconds the timer's ticks may execute; one asked for by hand does all that waits. */
  async #tick(budget = Number.POSITIVE_INFINITY): Promise<Payload> {
    const { config, mempool } = this.#parts
    const index = this.#tip.preconf.index + 1
    try {
      const base = await this.#renew(this.#tip.preconf)
      const draft = new PayloadDraft(config, base)
      const drops = await this.#fill(draft, base.env.gasLimit, budget)
      const payload = draft.size > 0 ? await draft.publish(index) : repeatPayload(base, index)

      const { snapshots } = this.#tip
      // An unchanged tick is the same block under another index; one of them is enough to find it by its hash.
      const others = snapshots.at(-1)?.block === payload.block ? snapshots.slice(0, -1) : snapshots
      this.#tip = { ...this.#tip, preconf: payload, snapshots: [...others, payload] }
      for (const { transaction, reason } of drops) mempool.drop(transaction.hash, reason)
      const added = payload.block.transactions.slice(payload.added)
      drops.push(...mempool.preconfirmed(added))
      // Authorisations and delegated code use up nonces of accounts that sent nothing.
      if (added.length > 0) drops.push(...mempool.prune())

      for (const { transaction, reason } of drops) this.events.emit('dropped', transaction.hash, reason)
      this.events.emit('preconf', payload)
      return payload
    } finally {
      mempool.releaseHeld()
    }
  }

  /** An empty block's context follows the clock until the first transaction fixes it. */
  async #renew(payload: Payload): Promise<Payload> {
    const { parent } = payload.growth
    if (payload.block.transactions.length > 0) return payload
    const attributes = this.nextAttributes(parent.block)
    if (attributes.timestamp === payload.attributes.timestamp) return payload
    return startPayload(this.#parts.config, parent, attributes)
  }

  /** @returns what may not be executed at all. */
  async #fill(draft: PayloadDraft, gasLimit: bigint, budget: number): Promise<Dropped[]> {
    const { clock, mempool } = this.#parts
    const drops: Dropped[] = []
    const started = clock.now()
    let breathed = started
    const best = mempool.best()
    for (const transaction of best) {
      const now = clock.now()
      if (now - started > budget) break
      if (now - breathed > YIELD_AFTER_MS) {
        await clock.yield()
        breathed = clock.now()
      }
      const { hash, from } = transaction
      // Replaced or given up since the tick began, or too much for what is left of the block.
      const waits = !draft.hasRoomFor(transaction) && transaction.gasLimit <= gasLimit
      if (waits || mempool.get(hash) === undefined) {
        best.skip(from)
        continue
      }
      mempool.hold(hash)
      const outcome = await draft.add(transaction)
      if (outcome.kind === 'included') continue
      if (outcome.retryable) best.skip(from)
      else drops.push({ transaction, reason: toDropReason(outcome.error) })
    }
    return drops
  }

  async #seal(nextSlot: number, budget?: number): Promise<SealedEntry> {
    if (this.#wantsTick()) await this.#tick(budget)
    return this.#promote(nextSlot)
  }

  /** Seals the last snapshot. @param nextSlot - when the next slot begins, in milliseconds. */
  async #promote(nextSlot: number): Promise<SealedEntry> {
    const { preconf: sealed, snapshots } = this.#tip
    return this.#extend(sealed, nextSlot, snapshots, () => {
      this.#slots.begin(nextSlot)
      this.#parts.mempool.sealed(sealed.block.transactions.map(({ hash }) => hash))
      return []
    })
  }

  /** Puts a block that was made elsewhere in the place of the payload. */
  #adopt(imported: Executed): Promise<SealedEntry> {
    const retracted = this.#tip.preconf.block.transactions
    const included = new Set(imported.block.transactions.map(({ hash }) => hash))
    return this.#extend(imported, undefined, [], () => requeue(this.#parts.mempool, retracted, included))
  }

  /**
   * Makes a block the head.
   *
   * @param slotStart - when the slot of the block after it starts; by default the current one's start.
   * @param snapshots - those of the block.
   * @param settle - called once the tip is swapped; returns what left the mempool by it.
   */
  async #extend(
    { block, state: layers, stateTrie }: Executed,
    slotStart: number | undefined,
    snapshots: readonly Payload[],
    settle: () => Dropped[],
  ): Promise<SealedEntry> {
    const { config, ledger, world, clock, onError } = this.#parts
    const { canonical: before, head: parent } = this.#tip

    await ledger.put(block)
    const canonical = before.append(block.hash)
    const hashAt = (number: bigint) => canonical.at(number)
    const onLayers: PayloadParent = { block, state: layers, stateTrie, hashAt }
    const time = this.#slots.end(slotStart) ?? clock.now()
    const next = await startPayload(config, onLayers, this.#attributes(block, time))

    const state = world.commit(changesSince(layers, parent.state))
    const head: SealedEntry = { block, state, stateTrie }
    const preconf = rebasePayload(next, { ...onLayers, state })
    this.#tip = { head, preconf, snapshots: [preconf], previousSnapshots: snapshots, canonical }
    const oldest = ledger.append(head, hashAt)
    if (oldest !== undefined) world.prune(oldest)
    const drops = settle()

    for (const { transaction, reason } of drops) this.events.emit('dropped', transaction.hash, reason)
    this.events.emit('block', head)
    this.events.emit('preconf', preconf)
    // Sealed is sealed: what fails from here on is told, and mended with the next block.
    await ledger.noteHead(head.block.hash).catch((error) => onError(toError(error)))
    return head
  }

  #anythingWaits(): boolean {
    return !this.#parts.mempool.best().next().done
  }

  #wantsTick(): boolean {
    const { preconf } = this.#tip
    if (this.#anythingWaits()) return true
    const empty = preconf.block.transactions.length === 0
    return (
      empty && this.nextAttributes(preconf.growth.parent.block).timestamp !== preconf.attributes.timestamp
    )
  }

  #attributes(parent: Block, ms: number): PayloadAttributes {
    return nextAttributes(this.#parts.attributes, parent, ms, this.#parts.config.crypto)
  }
}
