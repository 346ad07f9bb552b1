/** The preconf view of a chain with faults: the one place where they change what is seen. */
import type { Payload } from '../payload/payload.ts'
import type { Faults } from '../sequencer/faults.ts'
import type { TipRetraction } from '../sequencer/retraction.ts'
import type { ViewOptions, ViewSources } from './sources.ts'
import { View } from './view.ts'
import { ViewedTip } from './viewedTip.ts'

/** What of the faults a view shows. */
export type SeenFaults = Pick<
  Faults,
  'pendingOf' | 'contextOf' | 'deliveriesOf' | 'shownRetraction' | 'missesReceipt'
>

/** The preconf view, as the faults that are on have it. */
export class FaultyView extends View {
  readonly #faults: SeenFaults

  constructor(options: ViewOptions, sources: ViewSources, faults: SeenFaults) {
    super('preconf', options, sources)
    this.#faults = faults
  }

  override capture(): ViewedTip {
    const tip = this.sources.tip()
    const { options, sources } = this
    const shown = this.#faults.pendingOf(tip)
    return new ViewedTip('preconf', tip, options, sources, shown, this.#faults.contextOf(tip))
  }

  override deliveries(payload: Payload): readonly Payload[] {
    return this.#faults.deliveriesOf(payload, this.sources.tip())
  }

  override retracted(retraction: TipRetraction): TipRetraction {
    return this.#faults.shownRetraction(retraction)
  }

  /** Each time it is asked counts as one. */
  override missesReceipt(): boolean {
    return this.#faults.missesReceipt()
  }
}
