import type { Yielder } from '../../base/yielder.ts'
import { unitsOf } from '../../ethereum/bundle.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { PayloadAttributes } from './attributes.ts'
import { includeUnit } from './includeUnit.ts'
import {
  type Payload,
  type PayloadConfig,
  PayloadDraft,
  type PayloadParent,
  startPayload,
} from './payload.ts'

/** What a block under construction is rebuilt from. */
export interface RebuildParts {
  readonly parent: PayloadParent
  readonly attributes: PayloadAttributes
  /** In this order; those that cannot be included are omitted. */
  readonly transactions: readonly Transaction[]
  /** The index of the resulting snapshot. */
  readonly index: number
}

/** Executes transactions again, as one snapshot of a new block. @param pause - called during them, and after each unit. */
export async function rebuildPayload(
  config: PayloadConfig,
  { parent, attributes, transactions, index }: RebuildParts,
  pause: Yielder,
): Promise<Payload> {
  const draft = new PayloadDraft(config, await startPayload(config, parent, attributes, pause), pause)
  for (const unit of unitsOf(transactions)) {
    if (draft.hasRoomFor(...unit)) await includeUnit(draft, unit)
    await pause()
  }
  return draft.publish(index)
}
