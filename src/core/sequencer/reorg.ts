/** Reorgs and retractions on request: sealed blocks are replaced, pre-confirmed transactions withdrawn. */

import { hexToBytes } from '../../base/bytes.ts'
import type { Clock } from '../../base/clock.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { InvalidParamsError } from '../../base/errors.ts'
import type { Hash } from '../../base/types.ts'
import { createYielder, whenLoaded } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Mempool } from '../mempool/mempool.ts'
import { requeue } from '../mempool/requeue.ts'
import { NotPreconfirmedError } from './errors.ts'
import type { Sequencer } from './sequencer.ts'
import type { Writer } from './writer.ts'

/** The dependencies of the functions below. */
export interface ReorgParts {
  readonly sequencer: Sequencer
  readonly mempool: Mempool
  readonly ledger: Ledger
  readonly crypto: Crypto
  readonly clock: Pick<Clock, 'yield'>
}

/**
 * Withdraws the last sealed blocks. What they and the block under construction included waits again.
 *
 * @param depth - how many: from 1 to the number of blocks after genesis, and at most {@link MAX_REORG_DEPTH}.
 * @throws InvalidParamsError for another depth; StateUnavailableError beyond the history. Nothing has changed then.
 */
export function rollback(parts: ReorgParts, depth: number): Promise<void> {
  return parts.sequencer.exclusive(async (writer) => {
    await withdraw(parts, writer, depth)
  })
}

/** The most blocks withdrawn at once, since the writer lock is held meanwhile. */
export const MAX_REORG_DEPTH = 1000

/**
 * Replaces the last sealed blocks with as many others, each with just the transactions given for it: what
 * cannot be included there is left out, and what the old blocks included waits again.
 *
 * @param replace - the transactions per block, oldest first; further blocks are empty.
 * @throws as {@link rollback} does.
 */
export function reorg(
  parts: ReorgParts,
  depth: number,
  replace: readonly (readonly Transaction[])[],
): Promise<void> {
  return parts.sequencer.exclusive(async (writer) => {
    if (replace.length > depth) throw new InvalidParamsError('replace', `at most ${depth} blocks`)
    const pause = createYielder(parts.clock)
    const old = await withdraw(parts, writer, depth)
    for (const [index, { hash }] of old.entries()) {
      // Otherwise the same transactions, or none, could give the same block if its timestamp is equal.
      const nextPrevRandao = parts.crypto.keccak256Hex(hexToBytes(hash))
      await writer.rebuildPending({ settings: { ...writer.tip().settings, nextPrevRandao } }, 'reorg')
      await writer.sealExactly(replace[index] ?? [])
      await pause()
    }
  })
}

/**
 * Withdraws pre-confirmed transactions, each with what cannot be included without it. They wait again.
 *
 * @throws NotPreconfirmedError if one is not pre-confirmed; nothing has changed then.
 */
export function retractTransactions(
  { sequencer }: Pick<ReorgParts, 'sequencer'>,
  hashes: readonly Hash[],
): Promise<void> {
  return sequencer.exclusive(({ tip, rebuildPending }) => {
    const included = new Set(tip().preconf.block.transactions.map(({ hash }) => hash))
    const missing = hashes.find((hash) => !included.has(hash))
    if (missing !== undefined) throw new NotPreconfirmedError(missing)
    return rebuildPending({ retract: new Set(hashes) }, 'retract')
  })
}

/**
 * Withdraws the last snapshots of the block under construction; what they added waits again.
 *
 * @param count - at most as many as there are after the first.
 * @throws InvalidParamsError for more; nothing has changed then.
 */
export function retractSnapshots({ sequencer }: Pick<ReorgParts, 'sequencer'>, count: number): Promise<void> {
  return sequencer.exclusive(({ tip, rebuildPending }) => {
    const { snapshots, preconf } = tip()
    const last = snapshots.at(-1 - count)
    if (last === undefined) throw new InvalidParamsError('snapshots', `at most ${snapshots.length - 1}`)
    const added = preconf.block.transactions.slice(last.block.transactions.length)
    return rebuildPending({ retract: new Set(added.map(({ hash }) => hash)) }, 'retract')
  })
}

/** @returns what was withdrawn, oldest first. */
async function withdraw(
  { mempool, ledger }: ReorgParts,
  { tip, rewind }: Writer,
  depth: number,
): Promise<Block[]> {
  const { head, canonical, preconf, settings } = tip()
  const { number } = head.block
  if (depth > MAX_REORG_DEPTH) throw new InvalidParamsError('depth', `at most ${MAX_REORG_DEPTH}`)
  if (depth < 1 || BigInt(depth) > number) {
    throw new InvalidParamsError(
      'depth',
      `an integer >= 1 and at most ${number}, the number of blocks after genesis`,
    )
  }
  const entryAt = async (at: bigint) => {
    const entry = await whenLoaded(() => ledger.get(canonical.at(at)!, at))
    if (entry === undefined) throw new StateUnavailableError()
    return entry
  }
  const fork = await entryAt(number - BigInt(depth))
  const old: Block[] = []
  for (let at = fork.block.number + 1n; at <= number; at += 1n) old.push((await entryAt(at)).block)
  const retracted = [...old, preconf.block].flatMap(({ transactions }) => transactions)
  await rewind({ entry: fork, settings }, 'reorg', () => requeue(mempool, retracted, new Set()))
  return old
}
