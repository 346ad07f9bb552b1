/** The keys that a version of the state has written, in lists that are short, since they live as long as their version. */
import type { Address, Hash, Hex } from '../../base/types.ts'

/** What a version has written. */
export interface WrittenKeys {
  readonly accounts: readonly Address[]
  readonly slots: WrittenSlots
  /** Codes that no earlier version had. */
  readonly codes: readonly Hash[]
}

/** The id of each storage, and after it the keys written there. */
export type WrittenSlots = readonly (number | Hex)[]

const NONE: readonly never[] = []

/** Of a version without any. */
export const NOTHING_WRITTEN: WrittenKeys = { accounts: NONE, slots: NONE, codes: NONE }

/** The same keys in lists without room for more. */
export function trimmed({ accounts, slots, codes }: WrittenKeys): WrittenKeys {
  return { accounts: trim(accounts), slots: trim(slots), codes: trim(codes) }
}

function trim<Item>(list: readonly Item[]): readonly Item[] {
  return list.length === 0 ? NONE : list.slice()
}

/** Calls `visit` for each slot, in order. */
export function eachSlot(slots: WrittenSlots, visit: (storageId: number, key: Hex) => void): void {
  let id = 0
  for (const item of slots) {
    if (typeof item === 'number') id = item
    else visit(id, item)
  }
}
