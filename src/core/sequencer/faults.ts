/**
 * Fault injection. Owns: the faults that are on, and the counts since they were set. Does not own their effects: the
 * timer and the sequencer check the faults before they act, and the preconf view filters the tip.
 */

import { ZERO_HASH } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import { type FaultSettings, NO_FAULTS } from '../../base/options/faultSettings.ts'
import type { Hash } from '../../base/types.ts'
import type { Block } from '../../ethereum/block.ts'
import type { Payload } from '../block/payload.ts'
import type { Tip, TipRetraction } from './tip.ts'
import type { Writer } from './writer.ts'

interface State {
  readonly settings: FaultSettings
  /** Ticks of the timer that came due. */
  readonly ticks: number
  /** Preconf blocks that ticks published. */
  readonly preconfBlocks: number
  /** Transactions that ticks pre-confirmed. */
  readonly transactions: number
  /** Requests that have waited for the receipt of the transaction that they sent. */
  readonly waits: number
  /** Pre-confirmed transactions that the next tick or seal drops. */
  readonly scheduled: readonly Hash[]
  /** The last lost preconf block: its index, and the hash of the head before it. */
  readonly lost: { readonly head: Hash; readonly index: number } | undefined
}

/** The faults that are on, and the counts that decide when each happens. */
export class Faults {
  #state: State
  /** The preconf block that is delivered twice. */
  #repeated: Payload | undefined

  constructor(settings: FaultSettings = NO_FAULTS) {
    this.#state = begin(settings)
  }

  get current(): FaultSettings {
    return this.#state.settings
  }

  /** Replaces the faults, and resets the counts. */
  set(settings: FaultSettings): void {
    this.#state = begin(settings)
  }

  /** See `SnapshotPart.capture`. */
  capture(): () => void {
    const state = this.#state
    return () => {
      this.#state = state
    }
  }

  /** The state as JSON. */
  get stored(): object {
    return this.#state
  }

  /** Returns a function that restores a stored state. */
  restoring(stored: object): () => void {
    const { settings, ...counts } = stored as State
    const on = Object.keys(settings).length === 0 ? NO_FAULTS : settings
    return () => {
      this.#state = { ...begin(on), ...counts }
    }
  }

  /** Counts a due tick; returns whether it is missed. */
  missesTick(): boolean {
    const { settings, ticks } = this.#state
    if (settings.missTickEvery === undefined) return false
    this.#state = { ...this.#state, ticks: ticks + 1 }
    return isNth(ticks + 1, settings.missTickEvery)
  }

  /** Counts a preconf block before it is published, and schedules the transactions to drop. */
  countPreconfBlock(payload: Payload): void {
    const { settings, preconfBlocks, transactions, scheduled, lost } = this.#state
    if (settings === NO_FAULTS) return
    const { index, block, added, base } = payload
    const fresh = block.transactions.slice(added)
    const isScheduled = (_: unknown, i: number) => isNth(transactions + i + 1, settings.dropEvery)
    const isLost = isNth(preconfBlocks + 1, settings.losePreconfBlockEvery)
    // An index up to the lost one shows that a new block has begun, of which no preconf block is lost yet.
    const gap = lost !== undefined && lost.index < index ? lost : undefined
    this.#state = {
      ...this.#state,
      preconfBlocks: preconfBlocks + 1,
      transactions: transactions + fresh.length,
      scheduled: [...scheduled, ...fresh.filter(isScheduled).map(({ hash }) => hash)],
      lost: isLost ? { head: base.parent.block.hash, index } : gap,
    }
    this.#repeated = isNth(preconfBlocks + 1, settings.repeatPreconfBlockEvery) ? payload : undefined
  }

  /** Whether {@link dropScheduled} has transactions to drop. */
  get hasScheduled(): boolean {
    return this.#state.scheduled.length > 0
  }

  /** Drops the scheduled transactions that are still pre-confirmed. */
  async dropScheduled({ tip, rebuildPending }: Pick<Writer, 'tip' | 'rebuildPending'>): Promise<void> {
    const { scheduled } = this.#state
    const included = new Set(tip().preconf.block.transactions.map(({ hash }) => hash))
    const drop = new Set(scheduled.filter((hash) => included.has(hash)))
    const dropMessage = 'dropped by the fault dropEvery'
    if (drop.size > 0) await rebuildPending({ drop, dropMessage }, 'fault')
    this.#state = { ...this.#state, scheduled: [] }
  }

  /** Counts a request that waits for the receipt of its transaction; returns whether it misses the receipt. */
  missesReceipt(): boolean {
    const { settings, waits } = this.#state
    if (settings.missReceiptEvery === undefined) return false
    this.#state = { ...this.#state, waits: waits + 1 }
    return isNth(waits + 1, settings.missReceiptEvery)
  }

  /** Returns the block that the preconf view shows as `pending`: a preconf block, or the number of a sealed block. */
  pendingOf({ head, preconf }: Tip): Payload | bigint {
    const { settings, lost } = this.#state
    if (settings === NO_FAULTS) return preconf
    const { hash, number } = head.block
    const { pendingBehind, headAtBoundary, zeroHash } = settings
    if (pendingBehind !== undefined) return before(preconf, pendingBehind)
    if (lost?.head === hash && lost.index <= preconf.index) return number
    if (headAtBoundary && preconf.index === 0) return number
    return zeroHash ? hidePayload(preconf) : preconf
  }

  /** Returns the number of the block in whose context calls on `pending` execute; undefined for `pending` itself. */
  contextOf({ preconf }: Tip): bigint | undefined {
    const { contextBehind } = this.#state.settings
    return contextBehind === undefined ? undefined : before(preconf, contextBehind)
  }

  /** Returns the preconf blocks that the preconf view delivers when one is published: none, one, or one twice. */
  deliveriesOf(payload: Payload, tip: Tip): readonly Payload[] {
    const { settings } = this.#state
    if (settings === NO_FAULTS) return [payload]
    if (typeof this.pendingOf(tip) === 'bigint') return []
    const shown = settings.zeroHash ? hidePayload(payload) : payload
    return payload === this.#repeated ? [shown, shown] : [shown]
  }

  /** Returns a retraction as the preconf view announces it. */
  shownRetraction(retraction: TipRetraction): TipRetraction {
    if (!this.current.zeroHash) return retraction
    return hide(retraction, (one) => ({ ...one, pending: hideBlock(one.pending) }))
  }
}

function begin(settings: FaultSettings): State {
  return { settings, ticks: 0, preconfBlocks: 0, transactions: 0, waits: 0, scheduled: [], lost: undefined }
}

function isNth(count: number, every: number | undefined): boolean {
  return every !== undefined && count % every === 0
}

function before({ block }: Payload, blocks: number): bigint {
  const number = block.number - BigInt(blocks)
  return number < 0n ? 0n : number
}

const hidden = new WeakMap<object, object>()

/** Returns the altered copy of an object, always the same one, so that values cached by object are reused. */
function hide<T extends object>(source: T, make: (source: T) => T): T {
  return getOrInsert(hidden, source, () => make(source)) as T
}

function hideBlock(block: Block): Block {
  // A spread skips the header and the size of a block under construction, which are getters.
  return hide(block, (one) => ({ ...one, header: one.header, size: one.size, hash: ZERO_HASH }))
}

function hidePayload(payload: Payload): Payload {
  return hide(payload, (one) => ({ ...one, block: hideBlock(one.block) }))
}
