/** A frozen layer of changes over a parent state: an immutable value, readable while its base version is retained. */
import type { Address, Hash, Hex } from '../../base/types.ts'
import {
  type AccountRecord,
  countChanges,
  EMPTY_CODE_HASH,
  NO_CODE,
  type StateChanges,
  type StateReader,
} from './account.ts'

/** A frozen set of changes as a state: reads its changes, then its parent. */
export class Layer implements StateReader {
  readonly parent: StateReader
  readonly changes: StateChanges

  constructor(parent: StateReader, changes: StateChanges) {
    this.parent = parent
    this.changes = changes
  }

  get lastStorageId(): number {
    return this.changes.lastStorageId ?? this.parent.lastStorageId
  }

  account(address: Address): AccountRecord | undefined {
    const own = this.changes.accounts.get(address)
    if (own !== undefined) return own ?? undefined
    return this.parent.account(address)
  }

  slot(storageId: number, key: Hex): bigint {
    return this.changes.slots.get(storageId)?.get(key) ?? this.parent.slot(storageId, key)
  }

  code(codeHash: Hash): Uint8Array {
    if (codeHash === EMPTY_CODE_HASH) return NO_CODE
    return this.changes.codes.get(codeHash) ?? this.parent.code(codeHash)
  }
}

/**
 * Puts `changes` on top of `parent`, merging layers until each is more than twice as large as the one above it: n
 * changes are read through O(log n) layers. `base`, the state at the start of the block, is never merged.
 */
export function stackLayer(parent: StateReader, changes: StateChanges, base: StateReader): Layer {
  let below = parent
  let merged = changes
  while (
    below !== base &&
    below instanceof Layer &&
    countChanges(below.changes) <= 2 * countChanges(merged)
  ) {
    merged = mergeChanges(below.changes, merged)
    below = below.parent
  }
  return new Layer(below, merged)
}

/** Merges the changes of the layers from `top` down to `base`, which is excluded. */
export function changesSince(top: StateReader, base: StateReader): StateChanges {
  let changes: StateChanges = NO_CHANGES
  for (let at = top; at !== base && at instanceof Layer; at = at.parent) {
    changes = changes === NO_CHANGES ? at.changes : mergeChanges(at.changes, changes)
  }
  return changes
}

/** Whether there are no changes. Testing the accounts suffices: a changed slot or code always lists its account. */
export function isUnchanged(changes: StateChanges): boolean {
  return changes.accounts.size === 0
}

const NO_CHANGES: StateChanges = { accounts: new Map(), slots: new Map(), codes: new Map() }

function mergeChanges(older: StateChanges, newer: StateChanges): StateChanges {
  const accounts = mergeMaps(older.accounts, newer.accounts)
  const codes = mergeMaps(older.codes, newer.codes)
  const slots = new Map(older.slots)
  for (const [id, entries] of newer.slots) {
    const before = slots.get(id)
    slots.set(id, before === undefined ? entries : mergeMaps(before, entries))
  }
  return { accounts, slots, codes, lastStorageId: newer.lastStorageId ?? older.lastStorageId }
}

/** `new Map(older)` takes a tenth of the time that copying entry by entry takes. */
function mergeMaps<Key, Value>(
  older: ReadonlyMap<Key, Value>,
  newer: ReadonlyMap<Key, Value>,
): ReadonlyMap<Key, Value> {
  if (newer.size === 0) return older
  const merged = new Map(older)
  for (const [key, value] of newer) merged.set(key, value)
  return merged
}
