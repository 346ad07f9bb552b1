/**
 * The tip, and every operation that replaces it.
 *
 * Owns: the tip, and which events its swap emits. Does not own the values in the tip, nor the order of calls: only the
 * holder of the sequencer's lock may call it.
 *
 *   extend    (1) build index 0 on the block, commit the state   (2) write to the database   (3) swap the tip, prune   (4) emit
 *   replace   (1) compare the tips   (2) write to the database   (3) revert the state, swap the tip   (4) emit
 *
 * The database is written to in one batch, after all else that can fail. A failure changes nothing.
 */

import type { ConsoleEntry } from '../evm/consoleCalls.ts'
import type { StoredChange } from '../ledger/ethereumjs/blockStore.ts'
import type { Ledger, SealedEntry } from '../ledger/ledger.ts'
import type { Dropped } from '../mempool/dropMemory.ts'
import type { BlockSettings, PayloadAttributes } from '../payload/attributes.ts'
import {
  type Executed,
  type Payload,
  type PayloadConfig,
  type PayloadParent,
  startPayload,
} from '../payload/payload.ts'
import { rebasePayload } from '../payload/rebasePayload.ts'
import { Emitter } from '../primitives/emitter.ts'
import type { DropReason, RetractionReason } from '../primitives/eventTypes.ts'
import type { Hash } from '../primitives/types.ts'
import { StateUnavailableError } from '../state/errors.ts'
import { changesSince } from '../state/layer.ts'
import type { WorldState } from '../state/worldState.ts'
import { compareTips, type TipRetraction } from './retraction.ts'
import type { Tip } from './tip.ts'

/** The sequencer's events; those that a change of the tip causes are emitted after its swap. */
export interface TipEvents {
  preconf: (payload: Payload) => void
  /** @param wasPreconfirmed - false for an external block, which no snapshot showed before. */
  block: (entry: SealedEntry, wasPreconfirmed: boolean) => void
  dropped: (hash: Hash, reason: DropReason, message?: string) => void
  /** Comes after the event of the snapshot that includes the transaction that logged it. */
  console: (entry: ConsoleEntry) => void
  /** The blocks to come have another chain id than those before. */
  chainChanged: (chainId: bigint) => void
  /** The timer has another block time, in milliseconds. */
  blockTimeChanged: (ms: number) => void
  /** Comes before the events of the replacement. */
  retracted: (retraction: TipRetraction) => void
}

/** The dependencies of a publisher. */
export interface PublisherParts {
  readonly config: PayloadConfig
  readonly ledger: Ledger
  readonly world: WorldState
  readonly onError: (error: Error) => void
}

/** What follows a block that becomes the head. */
export interface Succession {
  /** The attributes of the block after it. */
  readonly attributes: PayloadAttributes
  /** The settings of the blocks after it. */
  readonly settings: BlockSettings
  /** The block's snapshots. */
  readonly snapshots: readonly Payload[]
}

/** See the file's header. */
export class Publisher {
  readonly events: Emitter<TipEvents>
  readonly #parts: PublisherParts
  #tip: Tip

  constructor(parts: PublisherParts, tip: Tip) {
    this.#parts = parts
    this.#tip = tip
    this.events = new Emitter(parts.onError)
  }

  /** The current tip. */
  get tip(): Tip {
    return this.#tip
  }

  /**
   * Makes a payload the newest snapshot.
   *
   * @param updateMempool - called once the tip is swapped, here and below; returns the dropped transactions.
   */
  publish(payload: Payload, updateMempool: () => readonly Dropped[]): void {
    const { head, snapshots, previousSnapshots, canonical, settings } = this.#tip
    // A tick that changes nothing repeats the block under another index, and an empty snapshot only follows empty ones:
    // in both cases the new snapshot replaces the one before, so that idle ticks add none.
    const isEmpty = payload.block.transactions.length === 0
    const isSame = snapshots.at(-1)?.block === payload.block
    const others = isEmpty ? [] : isSame ? snapshots.slice(0, -1) : snapshots
    // In the order of `extend`, so that all tips have one shape: every request and every check of the mempool reads one.
    this.#tip = {
      head,
      preconf: payload,
      snapshots: [...others, payload],
      previousSnapshots,
      canonical,
      settings,
    }
    this.#emitDropped(updateMempool())
    this.events.emit('preconf', payload)
  }

  /**
   * Makes a block the head.
   *
   * @param reason - why pre-confirmed transactions are withdrawn, if the block is not the last snapshot.
   */
  async extend(
    { block, state: layers, stateTrie }: Executed,
    { attributes, settings, snapshots }: Succession,
    updateMempool: () => readonly Dropped[],
    reason?: RetractionReason,
  ): Promise<SealedEntry> {
    const { config, ledger, world } = this.#parts
    const before = this.#tip

    const canonical = before.canonical.append(block.hash)
    const hashAt = (number: bigint) => canonical.at(number)
    const onLayers: PayloadParent = { block, state: layers, stateTrie, hashAt }
    const started = startPayload(config, onLayers, attributes)
    const next = started instanceof Promise ? await started : started

    const state = world.commit(changesSince(layers, before.head.state))
    const head: SealedEntry = { block, state, stateTrie }
    const preconf = rebasePayload(next, { ...onLayers, state })
    await this.#write({ head: block.hash, added: block })
    this.#tip = { head, preconf, snapshots: [preconf], previousSnapshots: snapshots, canonical, settings }
    const oldest = ledger.append(head, (number) => canonical.sinceStart(number))
    if (oldest !== undefined) world.prune(oldest)
    const drops = updateMempool()

    if (reason !== undefined) this.#emitRetracted(this.#compare(before, this.#tip, reason))
    this.#emitDropped(drops)
    this.events.emit('block', head, reason === undefined)
    this.events.emit('preconf', preconf)
    return head
  }

  /**
   * Replaces the tip. The new head is the current one or an ancestor of it, with a state that it has or had; the blocks
   * and snapshots after it are withdrawn.
   *
   * @throws StateUnavailableError if that block was withdrawn, or if the history no longer reaches it or its state;
   *   nothing has changed then.
   */
  async replace(tip: Tip, reason: RetractionReason, updateMempool: () => readonly Dropped[]): Promise<void> {
    const { ledger, world } = this.#parts
    const before = this.#tip
    if (!ledger.holds(tip.head)) throw new StateUnavailableError()
    const retraction = this.#compare(before, tip, reason)
    const { blocks, kept } = retraction
    const { block, patches } = tip.head
    const isPatched = patches !== ledger.get(block.hash)?.patches
    if (isPatched || blocks.length > 0) {
      await this.#write({ head: block.hash, removed: blocks, ...(isPatched && { patched: { patches } }) })
    }
    world.revert(tip.head.state)
    ledger.rewind(blocks, tip.head)
    this.#tip = tip
    const drops = updateMempool()

    this.#emitRetracted(retraction)
    this.#emitDropped(drops)
    const { chainId } = tip.preconf.attributes
    if (chainId !== before.preconf.attributes.chainId) this.events.emit('chainChanged', chainId)
    if (tip.preconf !== before.preconf) this.events.emit('preconf', { ...tip.preconf, added: kept })
  }

  /** Writes a change to the database; if that fails, the state is the tip's again. */
  async #write(change: StoredChange): Promise<void> {
    const { ledger, world } = this.#parts
    try {
      await ledger.write(change)
    } catch (error) {
      world.revert(this.#tip.head.state)
      throw error
    }
  }

  #compare(before: Tip, tip: Tip, reason: RetractionReason): TipRetraction {
    return compareTips(before, tip, reason, (hash) => this.#parts.ledger.get(hash)!.block)
  }

  /** Emits a retraction, unless it only withdraws snapshots without transactions, which pre-confirmed nothing. */
  #emitRetracted(retraction: TipRetraction): void {
    const { snapshots, blocks } = retraction
    const hadTransactions = snapshots.some(({ block }) => block.transactions.length > 0)
    if (!hadTransactions && blocks.length === 0) return
    const { ledger } = this.#parts
    // After a cheat has lowered a nonce, an earlier block may include a withdrawn transaction too.
    const transactions = retraction.transactions.filter((hash) => ledger.findTransaction(hash) === undefined)
    this.events.emit('retracted', { ...retraction, transactions })
  }

  #emitDropped(drops: readonly Dropped[]): void {
    for (const { transaction, reason, message } of drops) {
      this.events.emit('dropped', transaction.hash, reason, message)
    }
  }
}
