/** Stores snapshots in the database, and builds their tips again after a restart. Loaded only for chains that have one. */

import { bytesToHex, hexToBytes } from '../../base/bytes.ts'
import type { Hash, Hex } from '../../base/types.ts'
import { whenLoaded } from '../../base/waiting.ts'
import { extraFeesOf } from '../../ethereum/chainSpec.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import { mergePatches } from '../../ethereum/state/patch.ts'
import { stateRoot } from '../../ethereum/state/stateTrie.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { PayloadAttributes } from '../block/attributes.ts'
import { itemsByStep, toSteps } from '../block/draft.ts'
import { type Payload, repeatPayload } from '../block/payload.ts'
import type { Settings } from '../block/settings.ts'
import { decodePoolGroup, encodePoolGroup, type PoolEntry, toPoolEntry } from '../ledger/format/records.ts'
import { patchFromJson, patchToJson } from '../ledger/patchEncoding.ts'
import type { PoolStore } from '../ledger/poolStore.ts'
import type { StoredSnapshot } from '../ledger/snapshotEntries.ts'
import type { Mempool } from '../mempool/mempool.ts'
import { createEntry } from '../mempool/senderQueue.ts'
import type { Faults } from '../sequencer/faults.ts'
import type { Snapshot, SnapshotStore } from '../sequencer/reverts.ts'
import { rewindToStored } from '../sequencer/rewindToStored.ts'
import { startTip, type Tip } from '../sequencer/tip.ts'
import { buildAgain } from '../sequencer/writer.ts'

interface StoreParts {
  readonly journal: PoolStore
  readonly mempool: Mempool
  readonly faults: Faults
  /** Decodes transactions for the block under construction of a tip; leaves out ones that are no longer valid. */
  decodeAll(stored: readonly PoolEntry[], tip: Tip): ReadonlyMap<Hash, Transaction>
}

/** Creates the store of the snapshots of a chain with a database. */
export function createSnapshotStore({ journal, mempool, faults, decodeAll }: StoreParts): SnapshotStore {
  return {
    ids: journal.ids,
    taken: journal.snapshots.taken,
    store(id, { tip, takenAt }, gone) {
      const { base, head, preconf, preconfBlocks, settings } = tip
      const { patches, stateTrie } = head
      const patched = patches && {
        patch: patchToJson(mergePatches(patches)),
        root: bytesToHex(stateRoot(stateTrie!, base.config.crypto)),
      }
      const waiting = [...journal.entries.values()]
      const snapshot: StoredSnapshot = {
        takenAt,
        number: head.block.number,
        hash: head.block.hash,
        ...(patched && { patched }),
        settings,
        attributes: preconf.attributes,
        preconfBlocks: toSteps(preconfBlocks),
        preconfirmed: toHex(preconf.block.transactions.map((tx) => toPoolEntry(tx, 0))),
        waiting: toHex(waiting.map(({ transaction, arrival }) => toPoolEntry(transaction, arrival))),
        faults: faults.stored,
      }
      return journal.storeSnapshot(id, snapshot, gone)
    },
    async load(id, tip) {
      const stored = await journal.snapshot(id)
      if (stored === undefined) throw new StateUnavailableError()
      const { base, canonical } = tip
      const { number, hash, patched, attributes } = stored
      const found = await whenLoaded(() => canonical.at(number))
      const entry = found === hash ? await whenLoaded(() => base.ledger.get(hash, number)) : undefined
      if (entry === undefined) throw new StateUnavailableError()
      const undo = journal.snapshots.undoOf(id)
      const patches = patched && { last: patchFromJson(patched.patch), before: undefined }
      try {
        const head = await rewindToStored(entry, tip, { undo, patches, root: patched?.root })
        const until = await whenLoaded(() => canonical.until(number))
        const chain = { base, head, canonical: until }
        const empty = await startTip(chain, stored.settings as Settings, attributes as PayloadAttributes)
        return await toSnapshot(stored, empty)
      } catch (error) {
        // The state was committed as a new version. It stays only if the tip is replaced.
        base.world.revert(tip.head.state)
        throw error
      }
    },
  }

  async function toSnapshot(stored: StoredSnapshot, empty: Tip): Promise<Snapshot> {
    const preconfirmed = fromHex(stored.preconfirmed)
    const waiting = fromHex(stored.waiting)
    const transactions = decodeAll([...preconfirmed, ...waiting], empty)
    const steps = itemsByStep(stored.preconfBlocks, preconfirmed).map(({ index, items }) => ({
      index,
      transactions: items.flatMap(({ hash }) => transactions.get(hash) ?? []),
    }))
    const first = repeatPayload(empty.preconf, steps[0]!.index)
    const isEmpty = stored.preconfBlocks[0]!.size === 0
    const filled = await buildAgain(empty.base.config, first, isEmpty ? steps.slice(1) : steps)
    const preconfBlocks: readonly Payload[] = isEmpty ? [first, ...filled] : filled
    const preconf = preconfBlocks.at(-1)!
    const entries = waiting.flatMap(({ hash, arrival }) => {
      const transaction = transactions.get(hash)
      return transaction === undefined
        ? []
        : [createEntry(transaction, arrival, extraFeesOf(transaction, preconf))]
    })
    const restoreMempool = () => {
      mempool.restore(entries)
      mempool.preconfirmed(preconf.block.transactions)
    }
    return {
      tip: { ...empty, preconf, preconfBlocks },
      takenAt: stored.takenAt,
      restore: [restoreMempool, faults.restoring(stored.faults)],
    }
  }
}

function toHex(entries: readonly PoolEntry[]): Hex {
  return bytesToHex(encodePoolGroup(entries))
}

function fromHex(hex: Hex): PoolEntry[] {
  return decodePoolGroup(hexToBytes(hex))
}
