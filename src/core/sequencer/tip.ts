/** The tip: the chain's current position as one immutable value, replaced by one assignment; and what a replacement withdraws. */

import type { RetractionReason } from '../../base/eventTypes.ts'
import type { GethGenesis, Hash } from '../../base/types.ts'
import { whenLoaded } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import type { StateChanges } from '../../ethereum/state/account.ts'
import type { WorldState } from '../../ethereum/state/worldState.ts'
import type { CoreOptions } from '../block/attributes.ts'
import type { Payload, PayloadConfig } from '../block/payload.ts'
import type { Settings } from '../block/settings.ts'
import type { Fork } from '../fork/remote.ts'
import type { BlockImporter } from '../import/importBlocks.ts'
import type { Canonical } from '../ledger/canonical.ts'
import type { Ledger, SealedEntry } from '../ledger/ledger.ts'
import { type IndexedLog, indexLogs } from '../ledger/logIndex.ts'
import type { Reexecutions } from '../trace/reexecution.ts'

/**
 * The base of a tip: options, rules, state, ledger and fork, on which its blocks are built. A chain that begins again, on another fork,
 * on its genesis or on loaded blocks, publishes a tip with another base. All other tips have the base of the tip before.
 */
export interface ChainBase {
  /** The options of the chain; some of them follow from the fork. */
  readonly options: CoreOptions
  readonly config: PayloadConfig
  readonly world: WorldState
  readonly ledger: Ledger
  readonly importer: BlockImporter
  /** Re-executions of its blocks, for traces. */
  readonly reexecutions: Reexecutions
  /** The first block, of genesis or of a fork, with its state before any cheat wrote to it. */
  readonly first: SealedEntry
  /** The settings of the blocks after the first one, now. */
  firstSettings(): Settings
  /** The genesis that the blocks follow, unless they were loaded. */
  readonly geth: GethGenesis
  /** The accounts of {@link geth} and of the options. */
  readonly genesisAccounts: StateChanges['accounts']
  /** Undefined for a chain that is no fork. */
  readonly fork: Fork | undefined
  /** Whether the blocks were loaded and not executed, so that neither a reset nor an export has them. */
  readonly isLoaded: boolean
}

/** The part of the chain that a request reads, captured once per request; the mempool is read as it is. */
export interface Tip {
  readonly base: ChainBase
  /** The newest sealed block. */
  readonly head: SealedEntry
  /** The newest snapshot of the block after it. */
  readonly preconf: Payload
  /** The snapshots of this slot, oldest first, `preconf` included. */
  readonly snapshots: readonly Payload[]
  /** The snapshots of the slot before. */
  readonly previousSnapshots: readonly Payload[]
  readonly canonical: Canonical
  /** What requests have changed. */
  readonly settings: Settings
}

/** Whether the block after the head has no transaction, and no timestamp was set for it. */
export function isEmpty({ preconf, settings }: Tip): boolean {
  const isTimed = settings.nextTimestamp !== undefined || settings.timestampInterval !== undefined
  return !isTimed && preconf.block.transactions.length === 0
}

/** The sealed blocks of a tip from genesis on; if the history does not reach back to one, its number. */
export async function sealedEntries({
  base: { ledger },
  head,
  canonical,
}: Tip): Promise<readonly SealedEntry[] | bigint> {
  const entries: SealedEntry[] = []
  for (let number = 0n; number < head.block.number; number += 1n) {
    // Most entries are in memory; then nothing changes meanwhile.
    const read = whenLoaded(() => ledger.get(canonical.at(number)!, number))
    const entry = read instanceof Promise ? await read : read
    if (entry === undefined) return number
    entries.push(entry)
  }
  return [...entries, head]
}

/** What a new tip withdraws from the one before. */
export interface TipRetraction {
  readonly reason: RetractionReason
  /** Snapshots of the slot, oldest first. */
  readonly snapshots: readonly Payload[]
  /** Sealed blocks, newest first. */
  readonly blocks: readonly Block[]
  /** Transactions that were included, sealed or pre-confirmed, and no longer are. */
  readonly transactions: readonly Hash[]
  /** The previous block under construction. */
  readonly pending: Block
  /** The number of transactions that the new block under construction kept unchanged, from its first on. */
  readonly kept: number
  /** The new tip. */
  readonly tip: Tip
}

/**
 * Compares two tips.
 *
 * @param blockOf - the sealed blocks of both tips by hash and number. @throws Missing for one that is not read yet.
 */
export function compareTips(
  before: Tip,
  tip: Tip,
  reason: RetractionReason,
  blockOf: (hash: Hash, number: bigint) => Block,
): TipRetraction {
  const blocks: Block[] = []
  let fork = before.head.block.number
  for (; before.canonical.at(fork) !== tip.canonical.at(fork); fork -= 1n) {
    blocks.push(blockOf(before.canonical.at(fork)!, fork))
  }
  const included = new Set(tip.preconf.block.transactions.map(({ hash }) => hash))
  for (let number = fork + 1n; number <= tip.head.block.number; number += 1n) {
    for (const { hash } of blockOf(tip.canonical.at(number)!, number).transactions) included.add(hash)
  }
  const current = new Set(tip.snapshots.map(({ block }) => block))
  const pending = before.preconf.block
  const withdrawn = [pending, ...blocks]
  const hashes = withdrawn.toReversed().flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
  return {
    reason,
    snapshots: before.snapshots.filter(({ block }) => !current.has(block)),
    blocks,
    transactions: hashes.filter((hash) => !included.has(hash)),
    pending,
    kept: countKept(
      withdrawn.find(({ number }) => number === tip.preconf.block.number),
      tip.preconf.block,
    ),
    tip,
  }
}

/** The sealed logs that are withdrawn, newest first. */
export function withdrawnLogs({ blocks }: Pick<TipRetraction, 'blocks'>): IndexedLog[] {
  return blocks.flatMap((block) => indexLogs(block).reverse())
}

/**
 * The withdrawn logs that were pre-confirmed, including those sealed since, newest first; none if a fault withdraws
 * them, since nodes that lose pre-confirmations do not announce it.
 */
export function withdrawnPendingLogs({ reason, pending, blocks, kept, tip }: TipRetraction): IndexedLog[] {
  if (reason === 'fault') return []
  const { number } = tip.preconf.block
  return withdrawnLogs({ blocks: [pending, ...blocks] }).filter(
    ({ blockNumber, transactionIndex }) => blockNumber !== number || transactionIndex >= kept,
  )
}

/** A receipt comes from one execution: if two blocks share it, they share every transaction before it. */
function countKept(before: Block | undefined, now: Block): number {
  const changed = now.receipts.findIndex((receipt, i) => receipt !== before?.receipts[i])
  return changed < 0 ? now.receipts.length : changed
}
