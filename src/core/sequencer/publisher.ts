/**
 * Owns: the tip, and the events of its swap. Only the holder of the writer lock calls the publisher. The write to the
 * database is one batch, after everything else that can fail. A failure changes nothing.
 *
 *   extend    (1) build preconf block 0 on the new head, commit the state
 *             (2) write to the database   (3) swap the tip, prune   (4) emit
 *   replace   (1) compare the tips
 *             (2) write to the database   (3) revert the state, swap the tip   (4) emit
 */

import { bytesToHex } from '../../base/bytes.ts'
import { Emitter } from '../../base/emitter.ts'
import type { DropReason, RetractionReason } from '../../base/eventTypes.ts'
import type { Hash } from '../../base/types.ts'
import { whenLoaded } from '../../base/waiting.ts'
import type { ConsoleEntry } from '../../ethereum/evm/hooks.ts'
import type { StateDifference } from '../../ethereum/state/difference.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import { changesSince } from '../../ethereum/state/layer.ts'
import { stateRoot } from '../../ethereum/state/stateTrie.ts'
import type { PayloadAttributes } from '../block/attributes.ts'
import { startPayload } from '../block/blockBuilder.ts'
import { toDraft } from '../block/draft.ts'
import { type Executed, type Payload, type PayloadParent, rebasePayload } from '../block/payload.ts'
import type { Settings } from '../block/settings.ts'
import type { SealedEntry } from '../ledger/ledger.ts'
import type { PoolStore } from '../ledger/poolStore.ts'
import type { JournalTip, StoredChange } from '../ledger/storedChange.ts'
import type { Dropped } from '../mempool/mempool.ts'
import { compareTips, type Tip, type TipRetraction } from './tip.ts'

/** The sequencer's events; a change of the tip emits its events after the swap. */
export interface TipEvents {
  preconf: (payload: Payload) => void
  /** @param wasPreconfirmed - false for an imported block, which no preconf block showed. */
  block: (entry: SealedEntry, wasPreconfirmed: boolean) => void
  dropped: (hash: Hash, reason: DropReason, message?: string) => void
  /** A transaction logged to the console. Emitted after the `preconf` event of the block that includes it. */
  console: (entry: ConsoleEntry) => void
  /** The impersonated accounts have changed. @param before - the previous settings. */
  impersonationChanged: (before: Settings) => void
  /** The chain id of the blocks to come has changed. */
  chainChanged: (chainId: bigint) => void
  /** The block time of the timer has changed. @param ms - the new block time, in milliseconds. */
  blockTimeChanged: (ms: number) => void
  /** A change of the tip withdraws blocks. Emitted before `dropped`, `block` and `preconf` of the same change. */
  retracted: (retraction: TipRetraction) => void
  /** The chain has fallen asleep. */
  sleep: () => void
  /** A request wakes the chain. Emitted before the events of the slots that it catches up with. */
  wake: () => void
}

/** The dependencies of a publisher. */
export interface PublisherParts {
  /** Undefined unless the chain has a database. */
  readonly journal?: PoolStore | undefined
  readonly onError: (error: Error) => void
  /** Returns when the slot started, in milliseconds; undefined while the timer is stopped. */
  readonly slotStart: () => number | undefined
}

/** How the chain continues after a new head. `preconfBlocks` are the preconf blocks that became the head. */
interface Succession extends Pick<Tip, 'settings' | 'preconfBlocks'> {
  /** Of the block after the new head. */
  readonly attributes: PayloadAttributes
  /** When the slot after the new head starts, in milliseconds; undefined while the timer is stopped. */
  readonly slotStart: number | undefined
}

/** What the journal stores with a replaced tip. */
type ReplacedTip = Pick<JournalTip, 'dropped' | 'reverted'>

/** Holds the tip, and replaces it. */
export class Publisher {
  readonly events: Emitter<TipEvents>
  readonly #journal: PoolStore | undefined
  readonly #slotStart: () => number | undefined
  #tip: Tip

  constructor({ journal, onError, slotStart }: PublisherParts, tip: Tip) {
    this.#journal = journal
    this.#slotStart = slotStart
    this.#tip = tip
    this.events = new Emitter(onError)
  }

  get tip(): Tip {
    return this.#tip
  }

  /**
   * Writes payloads to the database before they are published in turn, and removes the dropped transactions from it.
   * Returns undefined without a database. @throws DatabaseWriteError
   */
  record(payloads: readonly Payload[], dropped?: readonly Dropped[]): Promise<void> | undefined {
    const { preconfBlocks, settings } = this.#tip
    return this.#journal?.write(undefined, {
      preconfirmed: payloads.at(-1)!.block.transactions,
      settings,
      draft: toDraft(payloads.reduce(withPayload, preconfBlocks), this.#slotStart()),
      dropped: dropped?.map(({ transaction }) => transaction.hash),
    })
  }

  /** Writes the changes of the mempool that followed a swap of the tip. Undefined if there are none to write. */
  settle(): Promise<void> | undefined {
    return this.#journal?.settle()
  }

  /** Makes a payload the newest preconf block. @param updateMempool - called after the swap; returns what it drops. */
  publish(payload: Payload, updateMempool: () => readonly Dropped[]): void {
    const { base, head, preconfBlocks, previousPreconfBlocks, canonical, settings } = this.#tip
    // Fields in the order of `extend`, so that all tips share one hidden class: every request reads a tip.
    this.#tip = {
      base,
      head,
      preconf: payload,
      preconfBlocks: withPayload(preconfBlocks, payload),
      previousPreconfBlocks,
      canonical,
      settings,
    }
    this.#emitDropped(this.#update(updateMempool))
    this.events.emit('preconf', payload)
  }

  /**
   * Makes a block the head. If it is not the last preconf block, `reason` says why pre-confirmed transactions are
   * withdrawn.
   *
   * @throws DatabaseWriteError
   */
  async extend(
    { block, state: layers, stateTrie }: Executed,
    { attributes, settings, preconfBlocks, slotStart }: Succession,
    updateMempool: () => readonly Dropped[],
    reason?: RetractionReason,
  ): Promise<SealedEntry> {
    const before = this.#tip
    const { base } = before
    const { config, ledger, world } = base

    const canonical = before.canonical.append(block.hash)
    const hashAt = (number: bigint) => canonical.at(number)
    const onLayers: PayloadParent = { block, state: layers, stateTrie, hashAt }
    const started = startPayload(config, onLayers, attributes)
    const next = started instanceof Promise ? await started : started

    const state = world.commit(changesSince(layers, before.head.state))
    const head: SealedEntry = { block, state, stateTrie }
    const preconf = rebasePayload(next, { ...onLayers, state })
    try {
      const change = { head: block.hash, added: block, state: this.#difference(before.head, head) }
      await this.#write(change, { preconfBlocks: [preconf], settings }, slotStart)
    } catch (error) {
      world.revert(before.head.state)
      throw error
    }
    this.#tip = {
      base,
      head,
      preconf,
      preconfBlocks: [preconf],
      previousPreconfBlocks: preconfBlocks,
      canonical,
      settings,
    }
    const oldest = ledger.append(head, (number) => canonical.sinceStart(number))
    if (oldest !== undefined) world.prune(oldest)
    const drops = this.#update(updateMempool)

    if (reason !== undefined) this.#emitRetracted(this.#compare(before, this.#tip, reason))
    this.#emitDropped(drops)
    this.events.emit('block', head, reason === undefined)
    this.events.emit('preconf', preconf)
    const settled = this.settle()
    if (settled !== undefined) await settled
    return head
  }

  /**
   * Replaces the tip. The new head is the current head, whose state may differ, or an ancestor. Blocks and preconf
   * blocks that the new tip lacks are withdrawn.
   *
   * @param stored - the values that the journal stores beside the tip.
   * @throws DatabaseWriteError; StateUnavailableError if the new head was withdrawn, or has left the history.
   */
  async replace(
    tip: Tip,
    reason: RetractionReason,
    updateMempool: () => readonly Dropped[],
    stored: ReplacedTip = {},
  ): Promise<void> {
    const before = this.#tip
    const { ledger, world } = before.base
    let retraction: TipRetraction
    try {
      retraction = await this.#replaceStored(tip, reason, stored)
    } catch (error) {
      // Drops the new head's state, which the caller may have committed.
      world.revert(before.head.state)
      throw error
    }
    world.revert(tip.head.state)
    ledger.rewind(retraction.blocks, tip.head)
    this.#tip = tip
    const drops = this.#update(updateMempool)

    this.#emitReplaced(before, retraction, drops)
    const settled = this.settle()
    if (settled !== undefined) await settled
  }

  /** Replaces the tip by the first one on a new base. Only for chains without a database. */
  begin(retraction: TipRetraction, updateMempool: () => readonly Dropped[]): void {
    const before = this.#tip
    this.#tip = retraction.tip
    this.#emitReplaced(before, retraction, updateMempool())
  }

  #update(updateMempool: () => readonly Dropped[]): readonly Dropped[] {
    const drops = updateMempool()
    this.#journal?.announceGone()
    return drops
  }

  /** Returns how the state differs between two heads; undefined if the database does not keep the state. */
  #difference(before: SealedEntry, after: SealedEntry): StateDifference | undefined {
    const { ledger, world } = this.#tip.base
    return ledger.keepsState ? world.difference(before.state, after.state) : undefined
  }

  /** Compares the tips, and writes the replacement to the database. */
  async #replaceStored(tip: Tip, reason: RetractionReason, stored: ReplacedTip): Promise<TipRetraction> {
    const before = this.#tip
    const { ledger, config } = before.base
    if (!ledger.holds(tip.head)) throw new StateUnavailableError()
    const compared = whenLoaded(() => this.#compare(before, tip, reason))
    const retraction = compared instanceof Promise ? await compared : compared
    const { block, patches, stateTrie } = tip.head
    const isPatched = patches !== ledger.get(block.hash)?.patches
    const isChanged = isPatched || retraction.blocks.length > 0
    if (!isChanged && this.#journal === undefined) return retraction
    const hasRoot = ledger.keepsState && patches !== undefined && stateTrie !== undefined
    const change: StoredChange = {
      head: block.hash,
      removed: retraction.blocks,
      ...(isPatched && { patched: { number: block.number, patches } }),
      state: this.#difference(before.head, tip.head),
      root: hasRoot ? bytesToHex(stateRoot(stateTrie, config.crypto)) : undefined,
    }
    await this.#write(isChanged ? change : undefined, tip, this.#slotStart(), stored)
    return retraction
  }

  async #write(
    change: StoredChange | undefined,
    { preconfBlocks, settings }: Pick<Tip, 'preconfBlocks' | 'settings'>,
    slotStart: number | undefined,
    replaced: ReplacedTip = {},
  ): Promise<void> {
    const { ledger } = this.#tip.base
    if (this.#journal === undefined) return ledger.write(change!)
    const stored = change && ledger.withPruned(change)
    const preconfirmed = preconfBlocks.at(-1)!.block.transactions
    const draft = toDraft(preconfBlocks, slotStart)
    return this.#journal.write(stored, { preconfirmed, settings, draft, ...replaced })
  }

  #compare(before: Tip, tip: Tip, reason: RetractionReason): TipRetraction {
    return compareTips(before, tip, reason, (hash, number) => {
      const entry = tip.base.ledger.get(hash, number)
      if (entry === undefined) throw new StateUnavailableError()
      return entry.block
    })
  }

  #emitReplaced(before: Tip, retraction: TipRetraction, drops: readonly Dropped[]): void {
    const { kept, tip } = retraction
    if (tip.settings.impersonated !== before.settings.impersonated) {
      this.events.emit('impersonationChanged', before.settings)
    }
    this.#emitRetracted(retraction)
    this.#emitDropped(drops)
    const { chainId } = tip.preconf.attributes
    if (chainId !== before.preconf.attributes.chainId) this.events.emit('chainChanged', chainId)
    if (tip.preconf !== before.preconf) this.events.emit('preconf', { ...tip.preconf, added: kept })
  }

  /** Emits a retraction, unless it only withdraws preconf blocks without transactions. */
  #emitRetracted(retraction: TipRetraction): void {
    const { preconfBlocks, blocks } = retraction
    const hadTransactions = preconfBlocks.some(({ block }) => block.transactions.length > 0)
    if (!hadTransactions && blocks.length === 0) return
    const { ledger } = retraction.tip.base
    // Leaves out transactions that an earlier block includes too, as is possible after a cheat has lowered a nonce.
    const transactions = retraction.transactions.filter((hash) => ledger.findTransaction(hash) === undefined)
    this.events.emit('retracted', { ...retraction, transactions })
  }

  #emitDropped(drops: readonly Dropped[]): void {
    for (const { transaction, reason, message } of drops) {
      this.events.emit('dropped', transaction.hash, reason, message)
    }
  }
}

/**
 * Adds a payload to the preconf blocks of the slot. Idle ticks do not lengthen the list: an empty preconf block
 * replaces the previous ones, which are empty too, and a repetition under a new index replaces its predecessor.
 */
function withPayload(preconfBlocks: readonly Payload[], payload: Payload): readonly Payload[] {
  if (payload.block.transactions.length === 0) return [payload]
  const isSame = preconfBlocks.at(-1)?.block === payload.block
  return [...(isSame ? preconfBlocks.slice(0, -1) : preconfBlocks), payload]
}
