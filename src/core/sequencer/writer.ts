/** The operations under the writer lock. Most of them replace the tip instead of extending it. */

import type { RetractionReason } from '../../base/eventTypes.ts'
import type { Hash } from '../../base/types.ts'
import { createYielder, type Pause, whenLoaded } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import { isUnchanged, Layer } from '../../ethereum/state/layer.ts'
import { patchChanges, type StatePatch } from '../../ethereum/state/patch.ts'
import { updateStateTrie, updateStateTrieInParts } from '../../ethereum/state/stateTrie.ts'
import { type Transaction, withBundles } from '../../ethereum/transaction.ts'
import { type NextBlock, type PayloadAttributes, sameAttributes } from '../block/attributes.ts'
import { BlockBuilder } from '../block/blockBuilder.ts'
import { includeAll, rebuildPayload } from '../block/inclusion.ts'
import {
  openBlock,
  type Payload,
  type PayloadConfig,
  type PayloadParent,
  rebasePayload,
} from '../block/payload.ts'
import type { Settings } from '../block/settings.ts'
import { patchedEntry, type SealedEntry } from '../ledger/ledger.ts'
import type { RevertedTo } from '../ledger/storedChange.ts'
import type { Dropped, Mempool } from '../mempool/mempool.ts'
import { dropOtherChain, requeue } from '../mempool/requeue.ts'
import type { Publisher } from './publisher.ts'
import { startTip, type Tip } from './tip.ts'

/** Computes the settings of the blocks to come. May throw to refuse the change. */
export type SettingsChange = (settings: Settings, next: NextBlock) => Settings

/** Changes to the block under construction, its parent's state and its transactions. Absent fields change nothing. */
interface Change {
  /** The settings of the blocks to come. */
  readonly settings?: Settings
  /** A patch of the head's state, which reads of the head show from then on. The head's header does not change. */
  readonly patch?: StatePatch
  /** Waiting or pre-confirmed transactions to drop. With one transaction of a bundle, the whole bundle is dropped. */
  readonly drop?: ReadonlySet<Hash>
  /** The `message` in the `dropped` events of these transactions. */
  readonly dropMessage?: string
  /** Pre-confirmed transactions to withdraw, with whole bundles as in `drop`. They wait again. */
  readonly retract?: ReadonlySet<Hash>
}

interface WriterParts {
  readonly publisher: Publisher
  readonly mempool: Mempool
  /** Returns when the attributes of the block under construction are fixed, in milliseconds. */
  fixedAt(): number
  attributes(parent: Block, settings: Settings): PayloadAttributes
  /** See {@link Writer.seal}. */
  seal(update?: SettingsChange): Promise<SealedEntry>
  /** Seals the last preconf block. */
  promote(): Promise<SealedEntry>
}

const NONE: ReadonlySet<Hash> = new Set()

/** See the file's header. */
export class Writer {
  readonly #parts: WriterParts

  constructor(parts: WriterParts) {
    this.#parts = parts
  }

  readonly tip = (): Tip => this.#parts.publisher.tip

  /** Returns the parent and the time of the block under construction. */
  readonly next = (): NextBlock => ({ parent: this.tip().head.block, ms: this.#parts.fixedAt() })

  readonly replace: Publisher['replace'] = (...change) => this.#parts.publisher.replace(...change)

  readonly begin: Publisher['begin'] = (...change) => this.#parts.publisher.begin(...change)

  /** Changes settings that do not affect the block under construction. @throws DatabaseWriteError */
  readonly set = (change: (settings: Settings) => Settings): Promise<void> => {
    const tip = this.tip()
    return this.replace({ ...tip, settings: change(tip.settings) }, 'cheat', () => [])
  }

  /** Includes waiting transactions, then seals the block. @throws DisconnectedError after `close`. */
  readonly seal = (update?: SettingsChange): Promise<SealedEntry> => this.#parts.seal(update)

  /**
   * Applies the changes, rebuilds the block under construction from the same transactions in the same order, and
   * publishes it. Transactions that can no longer be included wait again.
   */
  readonly rebuildPending = async (
    { settings, patch, drop: dropped = NONE, dropMessage, retract: retracted = NONE }: Change,
    reason: RetractionReason,
  ): Promise<void> => {
    const { publisher, mempool } = this.#parts
    const before = publisher.tip
    const { base, preconf, head, canonical, previousPreconfBlocks } = before
    const { config, world } = base
    const all = preconf.block.transactions
    // Only new settings change the attributes; a patch of the state does not.
    const attributes = settings
      ? this.#parts.attributes(preconf.base.parent.block, settings)
      : preconf.attributes
    const drop = dropped.size > 0 ? withBundles(dropped, [...all, ...mempool.transactions()]) : NONE
    const retract = retracted.size > 0 ? withBundles(retracted, all) : NONE
    const transactions = all.filter(({ hash }) => !drop.has(hash) && !retract.has(hash))
    const pause = createYielder(config.clock)
    const patched = patch && (await patchParent(preconf.base.parent, patch, config, pause))
    const parent = patched?.parent ?? preconf.base.parent
    const isSame =
      patched === undefined &&
      transactions.length === all.length &&
      sameAttributes(attributes, preconf.attributes)
    const opened = openBlock(config, parent, attributes)
    const payload = isSame
      ? preconf
      : await rebuildPayload(config, opened, transactions, preconf.index + 1, pause)
    const changed = { head, preconf: payload }
    if (patched !== undefined) {
      const state = world.commit(patched.changes)
      changed.head = patchedEntry(head, patch!, state, parent.stateTrie)
      changed.preconf = rebasePayload(payload, { ...parent, state })
    }
    const tip: Tip = {
      base,
      head: changed.head,
      preconf: changed.preconf,
      preconfBlocks: isSame ? before.preconfBlocks : [changed.preconf],
      previousPreconfBlocks,
      canonical,
      settings: settings ?? before.settings,
    }
    const updateMempool = (): Dropped[] => {
      const included = new Set(payload.block.transactions.map(({ hash }) => hash))
      const excluded = all.filter(({ hash }) => !included.has(hash))
      const refused = excluded.filter(({ hash }) => !drop.has(hash))
      const { chainId } = attributes
      return [
        ...(chainId === preconf.attributes.chainId ? [] : dropOtherChain(mempool, chainId)),
        ...requeue(mempool, refused, included),
        ...dropAll(mempool, drop, dropMessage, excluded),
      ]
    }
    await publisher.replace(tip, reason, updateMempool, { dropped: drop })
  }

  /**
   * Makes a sealed block the head again, and withdraws the later ones.
   *
   * @param reverted - the stored snapshots to remove; only for a reset, which goes back to the first block.
   * @throws StateUnavailableError
   */
  readonly rewind = async (
    { entry: target, settings }: { readonly entry: SealedEntry; readonly settings: Settings },
    reason: RetractionReason,
    updateMempool: () => readonly Dropped[],
    reverted?: RevertedTo,
  ): Promise<void> => {
    const { publisher } = this.#parts
    const { tip } = publisher
    const { config, world } = tip.base
    const attributes = this.#parts.attributes(target.block, settings)
    const canonical = await whenLoaded(() => tip.canonical.until(target.block.number))
    const entry = target.state.isStored
      ? await (await import('./rewindToStored.ts')).rewindToStored(target, tip)
      : target
    try {
      let { stateTrie } = entry
      if (stateTrie === undefined) {
        const everything = await whenLoaded(() => world.everythingAt(entry.state))
        stateTrie = updateStateTrie(config.baseTrie ?? null, everything, config.crypto)
      }
      const chain = { base: tip.base, head: { ...entry, stateTrie }, canonical }
      const rewound = await startTip(chain, settings, attributes)
      await publisher.replace(rewound, reason, updateMempool, { reverted })
    } catch (error) {
      // Removes the version to which a stored state was committed, unless the tip was replaced by then.
      world.revert(publisher.tip.head.state)
      throw error
    }
  }

  /** Seals the block under construction, which must be empty, with as many of these transactions as it can include. */
  readonly sealExactly = async (transactions: readonly Transaction[]): Promise<SealedEntry> => {
    const { publisher, mempool } = this.#parts
    const { base, preconf } = publisher.tip
    const builder = new BlockBuilder(base.config, preconf)
    await includeAll(builder, transactions)
    if (builder.size > 0) {
      const payload = await builder.end(preconf.index + 1)
      await publisher.record([payload])
      publisher.publish(payload, () => [
        ...mempool.preconfirmed(payload.block.transactions),
        ...mempool.prune(),
      ])
    }
    return this.#parts.promote()
  }

  /**
   * Builds preconf blocks again in the empty block under construction, and publishes them. Includes bundles whole or not
   * at all. Transactions that cannot be included wait again, or are dropped.
   */
  readonly includeAgain = async (steps: readonly PreconfStep[]): Promise<void> => {
    const { publisher, mempool } = this.#parts
    const { base, preconf } = publisher.tip
    const payloads = await buildAgain(base.config, preconf, steps)
    await publisher.record(payloads)
    const last = payloads.at(-1)!
    const hashes = new Set(last.block.transactions.map(({ hash }) => hash))
    const excluded = steps.flatMap(({ transactions }) => transactions.filter(({ hash }) => !hashes.has(hash)))
    for (const payload of payloads) {
      publisher.publish(payload, () => {
        const drops = mempool.preconfirmed(payload.block.transactions.slice(payload.added))
        return payload === last ? [...drops, ...requeue(mempool, excluded, hashes)] : drops
      })
    }
  }
}

/** The index of a preconf block, and the transactions that it adds. */
interface PreconfStep {
  readonly index: number
  readonly transactions: readonly Transaction[]
}

/** Builds preconf blocks again after an empty one, as far as their transactions can be included. */
export async function buildAgain(
  config: PayloadConfig,
  empty: Payload,
  steps: readonly PreconfStep[],
): Promise<Payload[]> {
  const pause = createYielder(config.clock)
  const payloads: Payload[] = []
  for (const { index, transactions } of steps) {
    const builder = new BlockBuilder(config, payloads.at(-1) ?? empty, pause)
    await includeAll(builder, transactions)
    payloads.push(await builder.end(index))
  }
  return payloads
}

/** @returns undefined if the patch changes nothing. */
async function patchParent(
  parent: PayloadParent,
  patch: StatePatch,
  { crypto }: PayloadConfig,
  pause: Pause,
) {
  const changes = await whenLoaded(() => patchChanges(parent.state, patch, crypto))
  if (isUnchanged(changes)) return undefined
  const state = new Layer(parent.state, changes)
  const stateTrie = await updateStateTrieInParts(parent.stateTrie, changes, crypto, pause)
  return { parent: { ...parent, state, stateTrie }, changes }
}

/** @param excluded - the transactions that are no longer pre-confirmed. */
function dropAll(
  mempool: Mempool,
  drop: ReadonlySet<Hash>,
  message: string | undefined,
  excluded: readonly Transaction[],
): Dropped[] {
  const drops: Dropped[] = []
  for (const hash of drop) {
    const transaction = mempool.drop(hash, 'removed') ?? excluded.find((one) => one.hash === hash)
    if (transaction === undefined) continue
    mempool.sealed([{ hash }])
    mempool.lost(transaction, 'removed')
    drops.push({ transaction, reason: 'removed', ...(message !== undefined && { message }) })
  }
  return drops
}
