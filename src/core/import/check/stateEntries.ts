import { bigintToBytes, bytesToHex } from '../../../base/bytes.ts'
import type { AccountRecord, StateChanges } from '../../../ethereum/state/account.ts'
import type { Entry, Key } from '../../ledger/bytesDatabase.ts'
import { accountKey, checked, slotKey } from '../../ledger/format/entries.ts'
import { encodeAccount } from '../../ledger/format/records.ts'
import type { Scan } from '../../ledger/format/scanDatabase.ts'

/** The entries to write and to remove so that a database has a state. @param state - all of it, as changes to an empty one. */
export function differingState(
  { accounts, slots }: Pick<Scan, 'accounts' | 'slots'>,
  state: StateChanges,
): { entries: Entry[]; removed: Key[] } {
  const entries: Entry[] = []
  const removed: Key[] = []
  const owned = new Set<number>()
  for (const [address, record] of state.accounts) {
    if (record === null) continue
    owned.add(record.storageId)
    const known = accounts.get(address)
    if (known === undefined || !sameRecord(known, record))
      entries.push(checked(accountKey(address), encodeAccount(record)))
  }
  for (const address of accounts.keys()) {
    if ((state.accounts.get(address) ?? null) === null) removed.push(accountKey(address))
  }
  for (const [id, values] of state.slots) {
    if (!owned.has(id)) continue
    for (const [slot, value] of values) {
      if (value !== 0n && slots.get(id)?.get(slot) !== value)
        entries.push(checked(slotKey(id, slot), bigintToBytes(value)))
    }
  }
  for (const [id, values] of slots) {
    for (const slot of values.keys()) {
      if (!owned.has(id) || (state.slots.get(id)?.get(slot) ?? 0n) === 0n) removed.push(slotKey(id, slot))
    }
  }
  return { entries, removed }
}

function sameRecord(a: AccountRecord, b: AccountRecord): boolean {
  return bytesToHex(encodeAccount(a)) === bytesToHex(encodeAccount(b))
}
