/** What an endpoint sees: the sealed chain, and on preconf the block under construction as its tail. */

import type { ViewKind } from '../../base/types.ts'
import type { Payload } from '../block/payload.ts'
import type { Faults } from '../sequencer/faults.ts'
import type { TipRetraction } from '../sequencer/retraction.ts'
import type { ViewOptions, ViewSources } from './sources.ts'
import { ViewedTip } from './viewedTip.ts'

/** An endpoint's view of the chain, one capture per request. */
export class View {
  readonly kind: ViewKind
  protected readonly options: ViewOptions
  readonly #sources: () => ViewSources

  /** @param sources - those of the chain now: others once it has begun again on another block. */
  constructor(kind: ViewKind, options: ViewOptions, sources: () => ViewSources) {
    this.kind = kind
    this.options = options
    this.#sources = sources
  }

  protected get sources(): ViewSources {
    return this.#sources()
  }

  /** Captures the current tip for one request; later changes do not affect it. */
  capture(): ViewedTip {
    const { sources } = this
    const tip = sources.tip()
    return new ViewedTip(
      this.kind,
      tip,
      this.options,
      sources,
      this.kind === 'preconf' ? tip.preconf : undefined,
    )
  }

  /** The snapshots that subscriptions receive for one that was just published, one per delivery. */
  deliveries(payload: Payload): readonly Payload[] {
    return [payload]
  }

  /** A retraction as this view announces it. */
  retracted(retraction: TipRetraction): TipRetraction {
    return retraction
  }

  /** Whether a request that sent a transaction misses its receipt. */
  missesReceipt(): boolean {
    return false
  }
}

// The preconf view of a chain with faults: the one place where faults change what a view shows.

/** The faults that affect a view. */
export type ViewFaults = Pick<
  Faults,
  'pendingOf' | 'contextOf' | 'deliveriesOf' | 'shownRetraction' | 'missesReceipt'
>

/** The preconf view, changed by the faults that are on. */
export class FaultyView extends View {
  readonly #faults: ViewFaults

  constructor(options: ViewOptions, sources: () => ViewSources, faults: ViewFaults) {
    super('preconf', options, sources)
    this.#faults = faults
  }

  override capture(): ViewedTip {
    const { options, sources } = this
    const tip = sources.tip()
    const shown = this.#faults.pendingOf(tip)
    return new ViewedTip('preconf', tip, options, sources, shown, this.#faults.contextOf(tip))
  }

  override deliveries(payload: Payload): readonly Payload[] {
    return this.#faults.deliveriesOf(payload, this.sources.tip())
  }

  override retracted(retraction: TipRetraction): TipRetraction {
    return this.#faults.shownRetraction(retraction)
  }

  /** Every call counts as one request. */
  override missesReceipt(): boolean {
    return this.#faults.missesReceipt()
  }
}
