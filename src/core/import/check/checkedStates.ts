/**
 * The states of a database: that at the head, and those that the changes of the blocks lead back to, by their roots.
 *
 *   entries ─► state at the head ─► changes undone, back to the first ─► its trie ─► the tries of all up to the head
 */

import { bytesToHex } from '../../../base/bytes.ts'
import type { Address, Hash, Hex } from '../../../base/types.ts'
import { createYielder, whenLoaded } from '../../../base/waiting.ts'
import {
  type AccountRecord,
  EMPTY_CODE_HASH,
  NO_CODE,
  type StateChanges,
} from '../../../ethereum/state/account.ts'
import { ownersOf, type StorageOwners, withOwners } from '../../../ethereum/state/difference.ts'
import { type StateTrie, stateRoot, updateStateTrieInParts } from '../../../ethereum/state/stateTrie.ts'
import { StateVersion } from '../../../ethereum/state/worldState.ts'
import { DatabaseCorruptError } from '../../ledger/errors.ts'
import { HEAD_KEY } from '../../ledger/format/databaseFormat.ts'
import { accountKey, codeKey, KIND, numberedKey, slotKey } from '../../ledger/format/records.ts'
import type { Problem, Scan } from '../../ledger/format/scanDatabase.ts'
import { StoredVersions } from '../../ledger/storedHistory.ts'
import { type CheckedBlocks, type CheckParts, textOf } from './checkedBlocks.ts'

/** The state after a block. */
export interface CheckedState {
  readonly version: StateVersion
  readonly trie: StateTrie
  /** Whether it has the root that is expected; undefined if only executing the block can tell. */
  readonly isSound: boolean | undefined
}

/** The states by the number of their block, from the first that can be read to the head. */
export type CheckedStates = ReadonlyMap<number, CheckedState>

/** Checks the states. @param report - receives what is wrong. */
export async function checkStates(
  scan: Scan,
  blocks: CheckedBlocks,
  { crypto, clock }: CheckParts,
  report: (problem: Problem) => void,
): Promise<CheckedStates> {
  const { head } = blocks
  const states = new Map<number, CheckedState>()
  if (head < 0) return states
  checkHistory(scan, head, report)
  checkEntries(scan, report)
  let first = head
  while (first > 0 && scan.changes.has(first)) first -= 1
  const base = { number: head, state: stateOf(scan) }
  const versions = new StoredVersions(formatOf(scan), base, first)
  const pause = createYielder(clock)
  const versionAt = (number: number) => (number === head ? base.state : versions.versionAt(number))
  // Also of the storages that accounts no longer have.
  const owners = ownersOf(recordsOf(scan))
  const whole = await whenLoaded(() => versionAt(first).everything())
  let trie = await updateStateTrieInParts(null, whole, crypto, pause)
  for (let number = first; number <= head; number++) {
    const version = versionAt(number)
    if (number > first)
      trie = await updateStateTrieInParts(trie, changesAt(scan, number, version, owners), crypto, pause)
    const root = bytesToHex(stateRoot(trie, crypto))
    const expected = expectedRoot(scan, blocks, number)
    states.set(number, { version, trie, isSound: expected && root === expected })
    await pause()
  }
  const wrong = [...states].filter(([, { isSound }]) => isSound === false).map(([number]) => number)
  if (wrong.length > 0) {
    const [from, to] = [wrong[0]!, wrong.at(-1)!]
    const named =
      from === to ? `block ${to} does not match its` : `blocks ${from} to ${to} does not match their`
    report({ block: to, text: `the state of ${named} state root` })
  }
  const { head: entry } = scan
  if (entry !== undefined && scan.patches.has(head) !== (entry.root !== undefined))
    report({ block: head, key: HEAD_KEY, text: `the head does not match the patch of block ${head}` })
  return states
}

/** The root that a state must have; undefined if it was written to after its block by a version that stored no root of that. */
function expectedRoot(scan: Scan, { head, headers }: CheckedBlocks, number: number): Hash | undefined {
  if (number === head && scan.head?.root !== undefined) return scan.head.root
  return scan.patches.has(number) ? scan.patchedRoots.get(number) : headers.get(number)?.stateRoot
}

/** The state at the head, of the entries that are not damaged. */
function stateOf(scan: Scan): StateVersion {
  const lastStorageId = highestStorageId(scan)
  const reads = {
    account: (address: Hex) => scan.accounts.get(address),
    slot: (id: number, key: Hex) => scan.slots.get(id)?.get(key) ?? 0n,
    code: (hash: Hash) => (hash === EMPTY_CODE_HASH ? NO_CODE : (scan.codes.get(hash) ?? NO_CODE)),
    everything: (): StateChanges => ({
      accounts: scan.accounts,
      slots: scan.slots,
      codes: scan.codes,
      lastStorageId,
    }),
  }
  return new StateVersion(reads, 0, lastStorageId)
}

/** The highest storage id that is known to be assigned. */
export function highestStorageId({ head, accounts, slots, changes }: Scan): number {
  let highest = head?.lastStorageId ?? 0
  const add = (record: AccountRecord | null) => {
    if (record !== null && record.storageId > highest) highest = record.storageId
  }
  for (const record of accounts.values()) add(record)
  for (const id of slots.keys()) if (id > highest) highest = id
  for (const { accounts: before } of changes.values()) for (const record of before.values()) add(record)
  return highest
}

/** What the states before the head are read with. */
function formatOf({ changes, codes }: Scan): ConstructorParameters<typeof StoredVersions>[0] {
  return {
    async changes(from, to) {
      return Array.from({ length: to - from + 1 }, (_, i) => {
        const found = changes.get(from + i)
        if (found === undefined) throw new DatabaseCorruptError(`the changes of block ${from + i}`)
        return found
      })
    },
    // One that is missing is reported with the entry that refers to it.
    code: async (hash) => codes.get(hash) ?? NO_CODE,
  }
}

/** The records of all accounts, in the history and at the head. */
function* recordsOf({ accounts, changes }: Scan): Iterable<readonly [Address, AccountRecord | null]> {
  for (const { accounts: before } of changes.values()) yield* before
  yield* accounts
}

/** What a block changed, with the values after it. */
function changesAt(
  { changes }: Scan,
  number: number,
  version: StateVersion,
  owners: StorageOwners,
): StateChanges {
  const { accounts, slots } = changes.get(number)!
  const after: StateChanges = {
    accounts: new Map([...accounts.keys()].map((address) => [address, version.account(address) ?? null])),
    slots: new Map(
      [...slots].map(([id, values]) => [
        id,
        new Map([...values.keys()].map((key) => [key, version.slot(id, key)])),
      ]),
    ),
    codes: new Map(),
  }
  return withOwners(after, owners, version)
}

/** That the changes and receipts of the history have no gaps. */
function checkHistory(scan: Scan, head: number, report: (problem: Problem) => void): void {
  const damaged = new Set(scan.damaged.map(textOf))
  const gap = (kind: 'changes' | 'receipts', block: number) => {
    const key = numberedKey(KIND[kind], block)
    if (!damaged.has(textOf(key))) report({ block, key, text: `the ${kind} of block ${block} are missing` })
  }
  const numbers = [...scan.changes.keys(), ...scan.receipts.keys()].filter((number) => number <= head)
  const oldest = numbers.reduce((least, number) => Math.min(least, number), head)
  // After a repair the history can begin after the head.
  const isOnlyHead = scan.changes.size === 0 && oldest === head
  for (let number = oldest; number <= head; number++) {
    if (!scan.changes.has(number) && !isOnlyHead) gap('changes', number)
    if (!scan.receipts.has(number)) gap('receipts', number)
  }
}

/** What entries of the state say of each other. */
function checkEntries(scan: Scan, report: (problem: Problem) => void): void {
  const owned = new Set<number>()
  for (const [address, { storageId, slotCount, codeHash }] of scan.accounts) {
    if (storageId !== 0) owned.add(storageId)
    if ((scan.slots.get(storageId)?.size ?? 0) !== slotCount)
      report({ key: accountKey(address), text: `the account ${address} has another number of slots` })
    if (codeHash !== EMPTY_CODE_HASH && !scan.codes.has(codeHash))
      report({ key: accountKey(address), text: `the code ${codeHash} of the account ${address} is missing` })
  }
  for (const [block, { accounts }] of scan.changes) {
    for (const record of accounts.values()) {
      const hash = record?.codeHash ?? EMPTY_CODE_HASH
      if (hash === EMPTY_CODE_HASH || scan.codes.has(hash)) continue
      report({
        block,
        key: codeKey(hash),
        text: `the code ${hash} of a state before block ${block} is missing`,
      })
    }
  }
  for (const [id, values] of scan.slots) {
    if (owned.has(id)) continue
    for (const slot of values.keys())
      report({ key: slotKey(id, slot), text: `the slot ${slot} of storage ${id} is of no account` })
  }
  if (scan.head !== undefined && highestStorageId(scan) > scan.head.lastStorageId)
    report({ key: HEAD_KEY, text: 'the head states a storage id that is lower than one in use' })
}
