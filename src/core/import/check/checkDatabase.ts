/** Checks a database of format 1: each entry, the consistency of entries, and the execution of blocks. */

import { bytesToHex, equalBytes } from '../../../base/bytes.ts'
import { getOrInsert } from '../../../base/collections.ts'
import { PresealError } from '../../../base/errors.ts'
import type { Address, Hash, Hex } from '../../../base/types.ts'
import { createYielder, whenLoaded } from '../../../base/waiting.ts'
import type { Block, Receipt } from '../../../ethereum/block.ts'
import type { ChainRules } from '../../../ethereum/rules.ts'
import {
  type AccountRecord,
  EMPTY_CODE_HASH,
  NO_CODE,
  type StateChanges,
  type StateReader,
} from '../../../ethereum/state/account.ts'
import { ownersOf, type StorageOwners, withOwners } from '../../../ethereum/state/difference.ts'
import { patchChanges } from '../../../ethereum/state/patch.ts'
import {
  type StateTrie,
  stateRoot,
  updateStateTrie,
  updateStateTrieInParts,
} from '../../../ethereum/state/stateTrie.ts'
import { StateVersion } from '../../../ethereum/state/worldState.ts'
import type { Executed, PayloadConfig, PayloadParent } from '../../block/payload.ts'
import { DatabaseCorruptError } from '../../ledger/errors.ts'
import { HEAD_KEY } from '../../ledger/format/databaseFormat.ts'
import {
  accountKey,
  codeKey,
  encodeReceipts,
  KIND,
  numberedKey,
  ownFields,
  slotKey,
} from '../../ledger/format/records.ts'
import { type Problem, type Scan, scanDatabase, textOf } from '../../ledger/format/scanDatabase.ts'
import { StoredVersions } from '../../ledger/storedHistory.ts'
import { resolveOptions } from '../../options.ts'
import { executeAgain } from '../executeAgain.ts'
import { BlockImporter } from '../importBlocks.ts'
import { type CheckedBlocks, type CheckParts, checkBlocks, rulesAt } from './checkedBlocks.ts'

/** The result of a check. `executed` is the number of blocks that were executed again. */
export interface CheckedDatabase {
  readonly problems: readonly Problem[]
  readonly scan: Scan
  readonly blocks: CheckedBlocks
  readonly states: CheckedStates
  readonly reexecution: Reexecution
  readonly executed: number
  /** The number of blocks that could be executed if their rules were known. */
  readonly withoutRules: number
}

/** Checks a database. @throws DatabaseVersionError, and the database's errors */
export async function checkDatabase(parts: CheckParts): Promise<CheckedDatabase> {
  const scan = await scanDatabase(parts.db)
  const blocks = await checkBlocks(scan, parts)
  const states = await checkStates(scan, blocks, parts)
  for (const hash of scan.preconfirmed) {
    if (!scan.pool.has(hash)) scan.report({ text: `the pre-confirmed transaction ${hash} is missing` })
  }
  const reexecution = createReexecution(scan, blocks, parts)
  const pause = createYielder(parts.clock)
  let executed = 0
  let withoutRules = 0
  for (const [number, state] of states) {
    const before = states.get(number - 1)
    if (before === undefined || before.isSound === false) continue
    const { headers } = blocks
    if (!reexecution.canExecute(number)) {
      if (headers.has(number) && headers.has(number - 1)) withoutRules += 1
      continue
    }
    executed += 1
    await checkExecution(number, before, state, scan, parts, reexecution)
    await pause()
  }
  return { problems: scan.problems, scan, blocks, states, reexecution, executed, withoutRules }
}

async function checkExecution(
  block: number,
  before: CheckedState,
  after: CheckedState,
  scan: Scan,
  { crypto }: CheckParts,
  reexecution: Reexecution,
): Promise<void> {
  let result: Executed
  try {
    result = await reexecution.execute(block, before)
  } catch (error) {
    if (!(error instanceof PresealError)) throw error
    return scan.report({ block, text: error.message })
  }
  const encode = (receipts: readonly Receipt[]) => encodeReceipts(withoutReasons(receipts))
  const receipts = scan.receipts.get(block)
  if (receipts !== undefined && !equalBytes(encode(receipts), encode(result.block.receipts))) {
    const key = numberedKey(KIND.receipts, block)
    scan.report({ block, key, text: `the receipts of block ${block} do not match its execution` })
  }
  const patch = scan.patches.get(block)?.patch
  if (patch === undefined || after.isSound === false) return
  const changes = await whenLoaded(() => patchChanges(result.state, patch, crypto))
  const patched = stateRoot(updateStateTrie(result.stateTrie, changes, crypto), crypto)
  if (equalBytes(patched, stateRoot(after.trie, crypto))) return
  const key = numberedKey(KIND.patch, block)
  scan.report({ block, key, text: `the patch of block ${block} does not lead to its state` })
}

/** Returns receipts without revert data, which only some chains store. */
export function withoutReasons(receipts: readonly Receipt[]): readonly Receipt[] {
  return receipts.map(({ revertReason: _, ...receipt }) => receipt)
}

type Reexecution = ReturnType<typeof createReexecution>

function createReexecution(scan: Scan, { hashes, headers, indices, read }: CheckedBlocks, parts: CheckParts) {
  const { executor, crypto, clock, decode } = parts
  const configs = new Map<ChainRules, { config: PayloadConfig; importer: BlockImporter }>()

  const parentAt = async (number: number, rules: ChainRules): Promise<Block> => {
    const stored = await read(number)
    const { timestamp, difficulty } = stored.header
    const at = BigInt(number)
    const known = {
      hash: hashes.get(number)!,
      number: at,
      timestamp,
      rules: rules.at(at, timestamp, difficulty),
    }
    return { ...stored, ...known, transactions: [], receipts: [] }
  }
  const createConfig = (rules: ChainRules): { config: PayloadConfig; importer: BlockImporter } => {
    const depositContract = rules.at(0n, 0n).schedule.depositContract.toLowerCase() as Address
    const options = { ...resolveOptions(), revertReason: true }
    const config: PayloadConfig = { executor, crypto, rules, depositContract, options, clock }
    const ledger = {
      get: () => undefined,
      getPruned: async (hash: string) => {
        const number = [...hashes].find(([, one]) => one === hash)?.[0]
        return number === undefined ? undefined : parentAt(number, rules)
      },
    }
    return { config, importer: new BlockImporter({ config, decode, ledger }) }
  }

  return {
    /** Whether a block and its parent are sound, and its rules are known. */
    canExecute: (number: number): boolean =>
      headers.has(number) && headers.has(number - 1) && rulesAt(scan, number) !== undefined,

    /** Executes a block on its parent's state. @throws ReplayError if it differs from the stored block */
    async execute(
      number: number,
      { version, trie }: { version: StateReader; trie: StateTrie },
    ): Promise<Executed> {
      const rules = rulesAt(scan, number)!
      const stored = { ...(await read(number)), ...ownFields(indices.get(number)!) }
      const parent: PayloadParent = {
        block: await parentAt(number - 1, rules),
        state: version,
        stateTrie: trie,
        hashAt: (at) => hashes.get(Number(at)),
      }
      const own = getOrInsert(configs, rules, createConfig)
      return executeAgain(stored, hashes.get(number)!, parent, { ...own, decode })
    },
  }
}

// States are checked by their roots:
//
//   entries ─► state at the head ─► undo changes down to the first ─► its trie ─► all tries up to the head

interface CheckedState {
  readonly version: StateVersion
  readonly trie: StateTrie
  /** Whether it has the expected root; undefined if only executing the block can tell. */
  readonly isSound: boolean | undefined
}

type CheckedStates = ReadonlyMap<number, CheckedState>

async function checkStates(
  scan: Scan,
  blocks: CheckedBlocks,
  { crypto, clock }: CheckParts,
): Promise<CheckedStates> {
  const { head } = blocks
  const states = new Map<number, CheckedState>()
  if (head < 0) return states
  checkHistory(scan, head)
  checkEntries(scan)
  let first = head
  while (first > 0 && scan.changes.has(first)) first -= 1
  const base = { number: head, state: stateOf(scan) }
  const versions = new StoredVersions(formatOf(scan), base, first)
  const pause = createYielder(clock)
  const versionAt = (number: number) => (number === head ? base.state : versions.versionAt(number))
  // Includes former owners: a storage may belong to no account now.
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
    const [named, whose] = from === to ? [`block ${to}`, 'its'] : [`blocks ${from} to ${to}`, 'their']
    scan.report({ block: to, text: `the state of ${named} does not match ${whose} state root` })
  }
  const { head: entry } = scan
  if (entry !== undefined && scan.patches.has(head) !== (entry.root !== undefined))
    scan.report({ block: head, key: HEAD_KEY, text: `the head does not match the patch of block ${head}` })
  return states
}

/** Returns the root that a state must have; undefined if no sound entry states it. */
function expectedRoot(scan: Scan, { head, headers }: CheckedBlocks, number: number): Hash | undefined {
  if (number === head && scan.head?.root !== undefined) return scan.head.root
  return scan.patches.get(number)?.root ?? headers.get(number)?.stateRoot
}

function stateOf(scan: Scan): StateVersion {
  const lastStorageId = highestStorageId(scan)
  const { accounts, slots, codes } = scan
  const reads = {
    account: (address: Hex) => accounts.get(address),
    slot: (id: number, key: Hex) => slots.get(id)?.get(key) ?? 0n,
    code: (hash: Hash) => (hash === EMPTY_CODE_HASH ? NO_CODE : (codes.get(hash) ?? NO_CODE)),
    everything: (): StateChanges => ({ accounts, slots, codes, lastStorageId }),
  }
  return new StateVersion(reads, 0, lastStorageId)
}

/** Returns the highest storage id of all records, also of earlier versions; 0 if there is none. */
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

function formatOf({ changes, codes }: Scan): ConstructorParameters<typeof StoredVersions>[0] {
  return {
    async changes(from, to) {
      return Array.from({ length: to - from + 1 }, (_, i) => {
        const found = changes.get(from + i)
        if (found === undefined) throw new DatabaseCorruptError(`the changes of block ${from + i}`)
        return found
      })
    },
    // A missing code is reported with the entry that refers to it.
    code: async (hash) => codes.get(hash) ?? NO_CODE,
  }
}

function* recordsOf({ accounts, changes }: Scan): Iterable<readonly [Address, AccountRecord | null]> {
  for (const { accounts: before } of changes.values()) yield* before
  yield* accounts
}

/** Returns a block's changes, with the values after the block. */
function changesAt(
  { changes }: Scan,
  number: number,
  version: StateVersion,
  owners: StorageOwners,
): StateChanges {
  const before = changes.get(number)!
  const accounts = new Map<Address, AccountRecord | null>()
  for (const address of before.accounts.keys()) accounts.set(address, version.account(address) ?? null)
  const slots = new Map<number, Map<Hex, bigint>>()
  for (const [id, values] of before.slots)
    slots.set(id, new Map([...values.keys()].map((key) => [key, version.slot(id, key)])))
  return withOwners({ accounts, slots, codes: new Map() }, owners, version)
}

function checkHistory(scan: Scan, head: number): void {
  const gap = (kind: 'changes' | 'receipts', block: number) => {
    const key = numberedKey(KIND[kind], block)
    if (!scan.damaged.has(textOf(key)))
      scan.report({ block, key, text: `the ${kind} of block ${block} are missing` })
  }
  const numbers = [...scan.changes.keys(), ...scan.receipts.keys()].filter((number) => number <= head)
  const oldest = numbers.reduce((least, number) => Math.min(least, number), head)
  // After a repair, the database may have no history but the receipts of the head.
  const isOnlyHead = scan.changes.size === 0 && oldest === head
  for (let number = oldest; number <= head; number++) {
    if (!scan.changes.has(number) && !isOnlyHead) gap('changes', number)
    if (!scan.receipts.has(number)) gap('receipts', number)
  }
}

/** Checks that accounts, codes and slots refer to each other. */
function checkEntries(scan: Scan): void {
  const owned = new Set<number>()
  for (const [address, { storageId, slotCount, codeHash }] of scan.accounts) {
    if (storageId !== 0) owned.add(storageId)
    const key = accountKey(address)
    if ((scan.slots.get(storageId)?.size ?? 0) !== slotCount)
      scan.report({ key, text: `the account ${address} has a different number of slots` })
    if (codeHash !== EMPTY_CODE_HASH && !scan.codes.has(codeHash))
      scan.report({ key, text: `the code ${codeHash} of the account ${address} is missing` })
  }
  for (const [block, { accounts }] of scan.changes) {
    for (const record of accounts.values()) {
      const hash = record?.codeHash ?? EMPTY_CODE_HASH
      if (hash === EMPTY_CODE_HASH || scan.codes.has(hash)) continue
      const text = `the code ${hash} of a state before block ${block} is missing`
      scan.report({ block, key: codeKey(hash), text })
    }
  }
  for (const [id, values] of scan.slots) {
    if (owned.has(id)) continue
    for (const slot of values.keys())
      scan.report({ key: slotKey(id, slot), text: `the slot ${slot} of storage ${id} is of no account` })
  }
  if (scan.head !== undefined && highestStorageId(scan) > scan.head.lastStorageId)
    scan.report({ key: HEAD_KEY, text: 'the head states a storage id that is lower than one in use' })
}
