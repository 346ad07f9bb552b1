/**
 * What Hardhat estimates on: its pending block has all that waits, and its clients send one transaction after the other
 * without a block between them, such as a deployment and a call of what it deploys.
 *
 * Owns: by tip, the state after what waits.
 */
import { type Payload, PayloadDraft } from '../../payload/payload.ts'
import type { Hash } from '../../primitives/types.ts'
import { createYielder } from '../../primitives/yielder.ts'
import type { Tip } from '../../sequencer/tip.ts'
import type { DialectExtension, EstimateContext } from '../dialectExtension.ts'
import { includeWaiting } from '../includeWaiting.ts'

/** A snapshot as a tick would make it, which is not published. */
interface Ahead {
  readonly payload: Payload
  /** What it was made of, whether or not it could be included. */
  readonly hashes: ReadonlySet<Hash>
}

const aheads = new WeakMap<Tip, Ahead>()

/** See `DialectExtension.estimateOn`. */
export const estimateOn: DialectExtension['estimateOn'] = async (context, block) => {
  const { tip } = context.view.capture()
  const ahead = await includeAhead(context, tip)
  if (ahead === undefined) return block
  return { state: ahead.state, env: block.env }
}

/** The state of the newest tip after all that waits; undefined if nothing does. */
async function includeAhead({ read, control }: EstimateContext, tip: Tip): Promise<Payload | undefined> {
  const { mempool } = control.cheats
  const best = [...mempool.best()]
  if (best.length === 0) return undefined
  let from: Ahead = aheads.get(tip) ?? { payload: tip.preconf, hashes: new Set() }
  const hashes = new Set(best.map(({ hash }) => hash))
  // What was replaced or dropped since cannot be undone.
  if (![...from.hashes].every((hash) => hashes.has(hash))) from = { payload: tip.preconf, hashes: new Set() }
  const added = best.filter(({ hash }) => !from.hashes.has(hash))
  if (added.length === 0) return from.payload
  const draft = new PayloadDraft(read.config, from.payload, createYielder(read.clock))
  await includeWaiting(draft, added)
  const payload = await draft.publish(from.payload.index + 1)
  aheads.set(tip, { payload, hashes })
  return payload
}
