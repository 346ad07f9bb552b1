/** Snapshots of given transactions, instead of those that wait. */

import type { Clock } from '../../base/clock.ts'
import { createYielder } from '../../base/waiting.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { rebuildPayload } from '../block/inclusion.ts'
import { type PayloadConfig, PayloadDraft } from '../block/payload.ts'
import type { Mempool } from '../mempool/mempool.ts'
import { requeue } from '../mempool/requeue.ts'
import type { Publisher } from './publisher.ts'

/** The dependencies of the functions below. */
export interface IncludeParts {
  readonly config: PayloadConfig
  readonly clock: Pick<Clock, 'yield'>
  readonly mempool: Mempool
  readonly publisher: Publisher
}

/** Publishes a snapshot with just these transactions added; what cannot be included is left out. */
export async function includeExactly(
  { config, mempool, publisher }: IncludeParts,
  transactions: readonly Transaction[],
): Promise<void> {
  const { preconf } = publisher.tip
  const draft = new PayloadDraft(config, preconf)
  for (const tx of transactions) if (draft.hasRoomFor(tx)) await draft.add(tx)
  if (draft.size === 0) return
  const payload = await draft.publish(preconf.index + 1)
  await publisher.record(payload)
  publisher.publish(payload, () => [...mempool.preconfirmed(payload.block.transactions), ...mempool.prune()])
}

/**
 * Publishes a snapshot of an empty block under construction with transactions that were pre-confirmed before, bundles
 * as a whole. What cannot be included waits again, or is dropped.
 */
export async function includeAgain(
  { config, clock, mempool, publisher }: IncludeParts,
  transactions: readonly Transaction[],
): Promise<void> {
  const { base, attributes, index } = publisher.tip.preconf
  const rebuilt = { parent: base.parent, attributes, transactions, index: index + 1 }
  const payload = await rebuildPayload(config, rebuilt, createYielder(clock))
  await publisher.record(payload)
  publisher.publish(payload, () => {
    const included = payload.block.transactions
    const hashes = new Set(included.map(({ hash }) => hash))
    const excluded = transactions.filter(({ hash }) => !hashes.has(hash))
    return [...mempool.preconfirmed(included), ...requeue(mempool, excluded, hashes)]
  })
}
