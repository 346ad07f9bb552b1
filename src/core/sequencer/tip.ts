/** The tip is the current position of the chain: one immutable value, which one assignment replaces. */

import type { RetractionReason } from '../../base/eventTypes.ts'
import type { GethGenesis, Hash } from '../../base/types.ts'
import { whenLoaded } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import type { StateChanges } from '../../ethereum/state/account.ts'
import type { WorldState } from '../../ethereum/state/worldState.ts'
import type { CoreOptions, PayloadAttributes } from '../block/attributes.ts'
import { startPayload } from '../block/blockBuilder.ts'
import type { Payload, PayloadConfig } from '../block/payload.ts'
import type { Settings } from '../block/settings.ts'
import type { Fork } from '../fork/remote.ts'
import type { BlockImporter } from '../import/importBlocks.ts'
import { toParent } from '../import/start.ts'
import type { Canonical } from '../ledger/canonical.ts'
import type { Ledger, SealedEntry } from '../ledger/ledger.ts'
import { type IndexedLog, indexLogs } from '../ledger/logIndex.ts'
import type { Reexecutions } from '../trace/reexecution.ts'

/** The parts that all tips share until the chain begins again: on a fork, at its genesis or on loaded blocks. */
export interface ChainBase {
  readonly options: CoreOptions
  readonly config: PayloadConfig
  readonly world: WorldState
  readonly ledger: Ledger
  readonly importer: BlockImporter
  readonly reexecutions: Reexecutions
  /** The first block, which is the genesis block or the first one of a fork, with its state before any cheat. */
  readonly first: SealedEntry
  /** Returns the settings that the chain would have if it began now. */
  firstSettings(): Settings
  /** The genesis of the chain's blocks, unless {@link isLoaded}. */
  readonly geth: GethGenesis
  /** The accounts of {@link geth} and of the options. */
  readonly genesisAccounts: StateChanges['accounts']
  /** Undefined if the chain is not a fork. */
  readonly fork: Fork | undefined
  /** Whether the blocks were loaded and not executed. A reset discards such blocks, and an export is refused. */
  readonly isLoaded: boolean
}

/** The part of the chain that a request captures once and then reads. The mempool is not captured, but read live. */
export interface Tip {
  readonly base: ChainBase
  readonly head: SealedEntry
  readonly preconf: Payload
  /** The preconf blocks of this slot, oldest first, `preconf` included. */
  readonly preconfBlocks: readonly Payload[]
  /** The preconf blocks of the previous slot. */
  readonly previousPreconfBlocks: readonly Payload[]
  readonly canonical: Canonical
  readonly settings: Settings
}

/** Returns the first tip after a head, with an empty block under construction. @param attributes - of that block. */
export async function startTip(
  chain: Pick<Tip, 'base' | 'head' | 'canonical'>,
  settings: Settings,
  attributes: PayloadAttributes,
): Promise<Tip> {
  const { base, head, canonical } = chain
  const preconf = await startPayload(base.config, toParent(chain), attributes)
  return { base, head, preconf, preconfBlocks: [preconf], previousPreconfBlocks: [], canonical, settings }
}

/** Whether the block after the head has no transaction, and no timestamp was set for it. */
export function isEmpty({ preconf, settings }: Tip): boolean {
  const isTimed = settings.nextTimestamp !== undefined || settings.timestampInterval !== undefined
  return !isTimed && preconf.block.transactions.length === 0
}

/** Returns the sealed blocks of a tip from genesis on. If one has left the history, returns its number instead. */
export async function sealedEntries({
  base,
  head,
  canonical,
}: Tip): Promise<readonly SealedEntry[] | bigint> {
  const entries: SealedEntry[] = []
  for (let number = 0n; number < head.block.number; number += 1n) {
    // Most entries are in memory. They are read without `await`, so that nothing changes meanwhile.
    const read = whenLoaded(() => base.ledger.get(canonical.at(number)!, number))
    const entry = read instanceof Promise ? await read : read
    if (entry === undefined) return number
    entries.push(entry)
  }
  return [...entries, head]
}

/** The blocks and transactions that a new tip withdraws. */
export interface TipRetraction {
  readonly reason: RetractionReason
  /** Preconf blocks of the slot, oldest first. */
  readonly preconfBlocks: readonly { readonly block: Pick<Block, 'hash' | 'transactions'> }[]
  /** Sealed blocks, newest first. */
  readonly blocks: readonly Block[]
  /** Transactions that were sealed or pre-confirmed, and no longer are. */
  readonly transactions: readonly Hash[]
  /** The previous block under construction. */
  readonly pending: Block
  /** The number of leading transactions that the new block under construction kept unchanged. */
  readonly kept: number
  readonly tip: Tip
}

/** @param blockOf - returns a sealed block of either tip; throws Missing if the block is not loaded. */
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
  const current = new Set(tip.preconfBlocks.map(({ block }) => block))
  const pending = before.preconf.block
  const withdrawn = [pending, ...blocks]
  const hashes = withdrawn.toReversed().flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
  const { block } = tip.preconf
  const replaced = withdrawn.find(({ number }) => number === block.number)
  // Each execution makes a new receipt object, so blocks that share one also share every transaction before it.
  const changed = block.receipts.findIndex((receipt, i) => receipt !== replaced?.receipts[i])
  return {
    reason,
    preconfBlocks: before.preconfBlocks.filter(({ block }) => !current.has(block)),
    blocks,
    transactions: hashes.filter((hash) => !included.has(hash)),
    pending,
    kept: changed < 0 ? block.receipts.length : changed,
    tip,
  }
}

/** Returns the logs of the withdrawn sealed blocks, newest first. */
export function withdrawnLogs({ blocks }: Pick<TipRetraction, 'blocks'>): IndexedLog[] {
  return blocks.flatMap((block) => indexLogs(block).reverse())
}

/**
 * Returns the withdrawn logs of the block under construction and of sealed blocks, newest first. Returns none for a
 * fault: nodes that lose pre-confirmations do not announce the loss.
 */
export function withdrawnPendingLogs({ reason, pending, blocks, kept, tip }: TipRetraction): IndexedLog[] {
  if (reason === 'fault') return []
  const { number } = tip.preconf.block
  return withdrawnLogs({ blocks: [pending, ...blocks] }).filter(
    ({ blockNumber, transactionIndex }) => blockNumber !== number || transactionIndex >= kept,
  )
}
