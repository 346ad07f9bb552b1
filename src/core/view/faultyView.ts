/** The preconf view of a chain with faults: the one place where faults change what a view shows. */
import type { Payload } from '../block/payload.ts'
import type { Faults } from '../sequencer/faults.ts'
import type { TipRetraction } from '../sequencer/retraction.ts'
import type { ViewOptions, ViewSources } from './sources.ts'
import { View } from './view.ts'
import { ViewedTip } from './viewedTip.ts'

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
