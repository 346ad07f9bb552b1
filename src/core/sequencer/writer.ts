/**
 * Operations of the holder of the writer lock: rebuild the block under construction with new inputs or on an earlier
 * block, or seal given transactions.
 */

import type { RetractionReason } from '../../base/eventTypes.ts'
import type { Hash } from '../../base/types.ts'
import { createYielder, type Pause, whenLoaded } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import type { StateChanges } from '../../ethereum/state/account.ts'
import { isUnchanged, Layer } from '../../ethereum/state/layer.ts'
import { patchChanges, type StatePatch } from '../../ethereum/state/patch.ts'
import { updateStateTrie, updateStateTrieInParts } from '../../ethereum/state/stateTrie.ts'
import { type Transaction, withBundles } from '../../ethereum/transaction.ts'
import { type NextBlock, type PayloadAttributes, sameAttributes } from '../block/attributes.ts'
import { BlockBuilder } from '../block/blockBuilder.ts'
import { includeAll, rebuildPayload } from '../block/inclusion.ts'
import { type Payload, type PayloadConfig, type PayloadParent, rebasePayload } from '../block/payload.ts'
import type { Settings } from '../block/settings.ts'
import { patchedEntry, type SealedEntry } from '../ledger/ledger.ts'
import type { Dropped, Mempool } from '../mempool/mempool.ts'
import { dropOtherChain, requeue } from '../mempool/requeue.ts'
import type { Publisher } from './publisher.ts'
import { startTip, type Tip } from './tip.ts'

/** Computes the settings of the blocks to come. @throws if the change is refused; nothing has changed then. */
export type SettingsChange = (settings: Settings, next: NextBlock) => Settings

/** Changes to the block under construction, its parent's state and its transactions. Absent fields change nothing. */
export interface Change {
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

/** The block that a chain restarts from. */
export interface RewindTarget {
  /** The head or an ancestor, with its current or an earlier state. */
  readonly entry: SealedEntry
  /** The settings of the blocks after `entry`. */
  readonly settings: Settings
}

/** The dependencies of a writer. */
export interface WriterParts {
  readonly publisher: Publisher
  readonly mempool: Mempool
  /** Returns when the attributes of the block under construction are fixed, in milliseconds. */
  fixedAt(): number
  /** Returns the attributes of the block after `parent`. */
  attributes(parent: Block, settings: Settings): PayloadAttributes
  /** See {@link Writer.seal}. */
  seal(update?: SettingsChange): Promise<SealedEntry>
  /** Seals the last preconf block. */
  promote(): Promise<SealedEntry>
}

const NONE: ReadonlySet<Hash> = new Set()

/** Operations that only the holder of the lock may run. */
export class Writer {
  readonly #parts: WriterParts

  constructor(parts: WriterParts) {
    this.#parts = parts
  }

  readonly tip = (): Tip => this.#parts.publisher.tip

  /** Returns the parent and the time of the block under construction. */
  readonly next = (): NextBlock => ({ parent: this.tip().head.block, ms: this.#parts.fixedAt() })

  /** See {@link Publisher.replace}. */
  readonly replace: Publisher['replace'] = (...change) => this.#parts.publisher.replace(...change)

  /** See {@link Publisher.begin}. */
  readonly begin: Publisher['begin'] = (...change) => this.#parts.publisher.begin(...change)

  /**
   * Changes settings that do not affect the block under construction.
   *
   * @throws DatabaseWriteError; nothing has changed then.
   */
  readonly set = (change: (settings: Settings) => Settings): Promise<void> => {
    const tip = this.tip()
    return this.replace({ ...tip, settings: change(tip.settings) }, 'cheat', () => [])
  }

  /**
   * Includes waiting transactions, then seals the block.
   *
   * @param update - changes the settings of the blocks after the sealed one.
   * @throws DisconnectedError after `close`.
   */
  readonly seal = (update?: SettingsChange): Promise<SealedEntry> => this.#parts.seal(update)

  /**
   * Applies the changes, rebuilds the block under construction from the same transactions in the same order, and
   * publishes it. Transactions that can no longer be included wait again. A failure before the swap of the tip changes
   * nothing.
   */
  readonly rebuildPending = async (
    { settings, patch, drop: dropped = NONE, dropMessage, retract: retracted = NONE }: Change,
    reason: RetractionReason,
  ): Promise<void> => {
    const { publisher, mempool } = this.#parts
    const before = publisher.tip
    const { config, world } = before.base
    const { preconf, head } = before
    const all = preconf.block.transactions
    // A patch of the state does not change the attributes.
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
    const index = preconf.index + 1
    const rebuilt = { parent, attributes, transactions, index }
    const payload = isSame ? preconf : await rebuildPayload(config, rebuilt, pause)

    let changed: Pick<Tip, 'head' | 'preconf'> = { head, preconf: payload }
    if (patched !== undefined) {
      const state = world.commit(patched.changes)
      const patchedHead = patchedEntry(head, patch!, state, parent.stateTrie)
      changed = { head: patchedHead, preconf: rebasePayload(payload, { ...parent, state }) }
    }
    const preconfBlocks = isSame ? before.preconfBlocks : [changed.preconf]
    const { previousPreconfBlocks, canonical } = before
    const tip: Tip = {
      base: before.base,
      head: changed.head,
      preconf: changed.preconf,
      preconfBlocks,
      previousPreconfBlocks,
      canonical,
      settings: settings ?? before.settings,
    }
    const updateMempool = (): Dropped[] => {
      const included = new Set(payload.block.transactions.map(({ hash }) => hash))
      const excluded = all.filter(({ hash }) => !included.has(hash))
      const refused = excluded.filter(({ hash }) => !drop.has(hash))
      const { chainId } = attributes
      const fromOtherChain = chainId === preconf.attributes.chainId ? [] : dropOtherChain(mempool, chainId)
      return [
        ...fromOtherChain,
        ...requeue(mempool, refused, included),
        ...dropAll(mempool, drop, dropMessage, excluded),
      ]
    }
    await publisher.replace(tip, reason, updateMempool, drop)
  }

  /**
   * Restarts the chain from a sealed block, and withdraws the later ones.
   *
   * @param updateMempool - called after the swap of the tip; returns the dropped transactions.
   * @throws StateUnavailableError if the state of the block is no longer available; nothing has changed then.
   */
  readonly rewind = async (
    target: RewindTarget,
    reason: RetractionReason,
    updateMempool: () => readonly Dropped[],
  ): Promise<void> => {
    const { publisher } = this.#parts
    const { tip } = publisher
    const { config, world } = tip.base
    const { settings } = target
    const { number } = target.entry.block
    const attributes = this.#parts.attributes(target.entry.block, settings)
    const canonical = await whenLoaded(() => tip.canonical.until(number))
    const entry = target.entry.state.isStored
      ? await (await import('./rewindToStored.ts')).rewindToStored(target.entry, tip)
      : target.entry
    const { state } = entry
    try {
      const stateTrie =
        entry.stateTrie === undefined
          ? updateStateTrie(
              config.baseTrie ?? null,
              await whenLoaded(() => world.everythingAt(state)),
              config.crypto,
            )
          : entry.stateTrie
      const head = { ...entry, stateTrie }
      const rewound = await startTip({ base: tip.base, head, canonical }, settings, attributes)
      await publisher.replace(rewound, reason, updateMempool)
    } catch (error) {
      // A stored state was committed as a new version. It stays only if the tip was replaced.
      world.revert(publisher.tip.head.state)
      throw error
    }
  }

  /** Seals an empty block under construction with these transactions only, as far as they can be included. */
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
   *
   * @param steps - the index of each preconf block, and the transactions that it adds.
   */
  readonly includeAgain = async (
    steps: readonly { readonly index: number; readonly transactions: readonly Transaction[] }[],
  ): Promise<void> => {
    const { publisher, mempool } = this.#parts
    const { base, preconf } = publisher.tip
    const pause = createYielder(base.config.clock)
    const payloads: Payload[] = []
    for (const { index, transactions } of steps) {
      const builder = new BlockBuilder(base.config, payloads.at(-1) ?? preconf, pause)
      await includeAll(builder, transactions)
      payloads.push(await builder.end(index))
    }
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

async function patchParent(
  parent: PayloadParent,
  patch: StatePatch,
  { crypto }: PayloadConfig,
  pause: Pause,
): Promise<{ readonly parent: PayloadParent; readonly changes: StateChanges } | undefined> {
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
