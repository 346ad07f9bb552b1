/** What an endpoint sees: the sealed chain, and on preconf the block under construction as its tail. */
import type { Payload } from '../payload/payload.ts'
import type { ViewKind } from '../primitives/types.ts'
import type { TipRetraction } from '../sequencer/retraction.ts'
import type { ViewOptions, ViewSources } from './sources.ts'
import { ViewedTip } from './viewedTip.ts'

/** An endpoint's sight of the chain; see {@link View.capture}. */
export class View {
  readonly kind: ViewKind
  readonly #options: ViewOptions
  readonly #sources: ViewSources

  constructor(kind: ViewKind, options: ViewOptions, sources: ViewSources) {
    this.kind = kind
    this.#options = options
    this.#sources = sources
  }

  /** What one request sees: the tip of this moment, whatever happens meanwhile. */
  capture(): ViewedTip {
    return new ViewedTip(this.kind, this.#options, this.#sources)
  }

  /** The snapshot that was just published, as often as preconf tells of it, and as it does. */
  deliveries(payload: Payload): readonly Payload[] {
    const { faults, tip } = this.#sources
    return faults.deliveriesOf(payload, tip())
  }

  /** A retraction as this endpoint tells of it. */
  retracted(retraction: TipRetraction): TipRetraction {
    return this.kind === 'preconf' ? this.#sources.faults.shownRetraction(retraction) : retraction
  }

  /** Whether a request that sent a transaction is to miss its receipt; each time it is asked counts as one. */
  missesReceipt(): boolean {
    return this.kind === 'preconf' && this.#sources.faults.missesReceipt()
  }
}
