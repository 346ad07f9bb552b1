import type { Hash } from '../../base/types.ts'
import type { Entry, Key } from './bytesDatabase.ts'
import type { BlockStore } from './ethereumjs/blockStore.ts'
import {
  type BlockChanges,
  checked,
  decodeChanges,
  encodeChanges,
  mergeBefore,
  valuesBefore,
  verified,
} from './format/records.ts'
import { type StoredAccounts, valueFromText, valueToText } from './patchEncoding.ts'
import { type EntriesChange, NOTHING, type RevertedTo, type StoredChange } from './storedChange.ts'

/** Key prefix of a snapshot. Its id follows. */
export const SNAPSHOT_KEY = 'preseal:snapshot:'
/** Key prefix of what leads from the state of a snapshot's block to the snapshot's. Its id follows. */
export const UNDO_KEY = 'preseal:undo:'

/** A snapshot as a database keeps it. */
export interface StoredSnapshot {
  /** Time of the clock, in milliseconds. */
  readonly takenAt: number
  /** The head. */
  readonly number: bigint
  readonly hash: Hash
  /** The writes to the head's state since its seal, and its root with them. Absent without writes. */
  readonly patched?: { readonly patch: StoredAccounts; readonly root: Hash }
  readonly settings: object
  /** Of the block under construction. */
  readonly attributes: object
  /** Oldest first: the index of each preconf block, and how many transactions the block has there. */
  readonly preconfBlocks: readonly { readonly index: number; readonly size: number }[]
  /** Groups of transactions in hex, as in the pool. */
  readonly preconfirmed: `0x${string}`
  readonly waiting: `0x${string}`
  readonly faults: object
}

const NO_CHANGES: BlockChanges = { accounts: new Map(), slots: new Map() }

/**
 * The stored snapshots. Writes to the head's state after a snapshot add the values before them to the newest snapshot
 * of this head: from the state of its block, they lead back to the snapshot's. Does not write: its changes are parts of
 * batches.
 */
export class SnapshotEntries {
  /** The head and its number by id, ascending; undefined if a revert to it is no longer possible. */
  readonly #taken = new Map<number, Pick<StoredSnapshot, 'number' | 'hash'> | undefined>()
  readonly #undos = new Map<number, BlockChanges>()

  get taken(): ReadonlyMap<number, Pick<StoredSnapshot, 'number'> | undefined> {
    return this.#taken
  }

  /** Reads which snapshots are stored. @throws DatabaseCorruptError */
  async read(store: BlockStore): Promise<void> {
    this.#taken.clear()
    this.#undos.clear()
    const found = await store.entriesOf(SNAPSHOT_KEY)
    const idOf = (key: string, prefix: string) => Number(key.slice(prefix.length))
    const byId = found.map(([key, bytes]) => [idOf(key, SNAPSHOT_KEY), decode(key, bytes)] as const)
    for (const [id, snapshot] of byId.sort(([a], [b]) => a - b)) {
      this.#taken.set(id, snapshot && { number: snapshot.number, hash: snapshot.hash })
    }
    for (const [key, bytes] of await store.entriesOf(UNDO_KEY)) {
      this.#undos.set(idOf(key, UNDO_KEY), decodeChanges(verified(key, bytes, `the entry ${key}`)))
    }
  }

  /** Reads a snapshot; undefined if a revert to it is not possible. @throws DatabaseCorruptError */
  async get(id: number, store: BlockStore): Promise<StoredSnapshot | undefined> {
    const key = SNAPSHOT_KEY + id
    const bytes = await store.entry(key)
    return bytes && decode(key, bytes)
  }

  /** Returns the values of the snapshot's state that differ from the current state of its block. */
  undoOf(id: number): BlockChanges {
    const hash = this.#taken.get(id)?.hash
    let undo = NO_CHANGES
    for (const [other, head] of [...this.#taken].reverse()) {
      if (other < id) break
      const own = this.#undos.get(other)
      if (head?.hash === hash && own !== undefined) undo = mergeBefore(own, undo)
    }
    return undo
  }

  /** Adds a snapshot. @param gone - the ids of snapshots to which no revert is possible any more. */
  added(id: number, snapshot: StoredSnapshot, gone: readonly number[]): EntriesChange {
    const released = this.#released(gone)
    return {
      entries: [encode(id, snapshot), ...released.entries],
      removed: released.removed,
      applied: () => {
        released.applied()
        this.#taken.set(id, { number: snapshot.number, hash: snapshot.hash })
      },
    }
  }

  /** Follows a change of the chain. @param change - undefined if it changes no block and no state. */
  change(change: StoredChange | undefined, reverted: RevertedTo | undefined): EntriesChange {
    if (reverted !== undefined) return this.#reverted(reverted)
    const withdrawn = new Set(change?.removed?.map(({ hash }) => hash))
    if (withdrawn.size > 0) {
      return this.#released(this.#idsWhere((head) => head !== undefined && withdrawn.has(head.hash)))
    }
    const newest = this.#idsWhere((head) => head?.hash === change?.head).at(-1)
    if (change?.patched === undefined || change.state === undefined || newest === undefined) return NOTHING
    const undo = mergeBefore(this.#undos.get(newest) ?? NO_CHANGES, valuesBefore(change.state))
    return {
      entries: [checked(UNDO_KEY + newest, encodeChanges(undo))],
      removed: [],
      applied: () => this.#undos.set(newest, undo),
    }
  }

  #idsWhere(isWanted: (head: Pick<StoredSnapshot, 'hash'> | undefined) => boolean): number[] {
    return [...this.#taken].flatMap(([id, head]) => (isWanted(head) ? [id] : []))
  }

  /** Removes the later snapshots. The state of the head is now the snapshot's. */
  #reverted({ id, keep }: RevertedTo): EntriesChange {
    const later = [...this.#taken.keys()].filter((other) => other > id || (other === id && !keep))
    const undone = [...this.#undos.keys()].filter((other) => other >= id)
    return {
      entries: [],
      removed: [...later.map((other) => SNAPSHOT_KEY + other), ...undone.map((other) => UNDO_KEY + other)],
      applied: () => {
        for (const other of later) this.#taken.delete(other)
        for (const other of undone) this.#undos.delete(other)
      },
    }
  }

  /** Keeps only the ids, so that a revert fails instead of answering that there is no such snapshot. */
  #released(ids: readonly number[]): EntriesChange {
    const undone = ids.filter((id) => this.#undos.has(id))
    return {
      entries: ids.map((id) => encode(id, {})),
      removed: undone.map((id): Key => UNDO_KEY + id),
      applied: () => {
        for (const id of ids) this.#taken.set(id, undefined)
        for (const id of undone) this.#undos.delete(id)
      },
    }
  }
}

function encode(id: number, snapshot: object): Entry {
  return checked(SNAPSHOT_KEY + id, new TextEncoder().encode(valueToText(snapshot)))
}

function decode(key: string, bytes: Uint8Array): StoredSnapshot | undefined {
  const text = new TextDecoder().decode(verified(key, bytes, `the entry ${key}`))
  const snapshot = valueFromText<Partial<StoredSnapshot>>(text)
  return snapshot.hash === undefined ? undefined : (snapshot as StoredSnapshot)
}
