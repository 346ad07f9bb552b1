/**
 * What Hardhat estimates on: its pending block has all that waits, and its clients send one transaction after the other
 * without a block between them, such as a deployment and a call of what it deploys.
 *
 * Owns: by tip, the last snapshot that was made of what waits.
 */

import type { Hash } from '../../base/types.ts'
import { type Payload, PayloadDraft } from '../../core/block/payload.ts'
import type { Tip } from '../../core/sequencer/tip.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { DialectExtension, EstimateContext } from '../dialectExtension.ts'
import { includeWaiting } from '../includeWaiting.ts'
import { createPause } from '../pause.ts'

/** Snapshots as a tick would make them, which are not published. */
const aheads = new WeakMap<Tip, Payload>()

/** See `DialectExtension.estimateOn`. */
export const estimateOn: DialectExtension['estimateOn'] = async (context, { env }) => {
  const { state } = await includeAhead(context)
  return { state, env }
}

/** The newest snapshot, with what waits added. */
async function includeAhead({ view, read, control, closed }: EstimateContext): Promise<Payload> {
  const { tip } = view.capture()
  const waiting = new Map<Hash, Transaction>()
  for (const transaction of control.cheats.mempool.best()) waiting.set(transaction.hash, transaction)
  let from = aheads.get(tip) ?? tip.preconf
  // What was replaced or dropped since cannot be taken out.
  if (!addedTo(from, tip).every(({ hash }) => waiting.has(hash))) from = tip.preconf
  for (const { hash } of addedTo(from, tip)) waiting.delete(hash)
  if (waiting.size === 0) return from
  const draft = new PayloadDraft(read.config, from, createPause({ read, closed }))
  await includeWaiting(draft, waiting.values())
  if (draft.size === 0) return from
  const ahead = await draft.publish(from.index + 1)
  aheads.set(tip, ahead)
  return ahead
}

/** The transactions of a snapshot that are not pre-confirmed. */
function addedTo({ block }: Payload, { preconf }: Tip): readonly Transaction[] {
  return block.transactions.slice(preconf.block.transactions.length)
}
