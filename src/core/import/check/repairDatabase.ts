/**
 * Repairs a database: writes again the entries that follow from sound entries, and cuts the chain back to the last
 * block whose entries can be derived.
 *
 *   newest sound state ─► execute the blocks after it, up to the first failure ─► cut back ─► write in one batch
 */

import { bigintToBytes, bytesToHex, equalBytes, hexToBytes } from '../../../base/bytes.ts'
import { PresealError } from '../../../base/errors.ts'
import type { Hash } from '../../../base/types.ts'
import { whenLoaded } from '../../../base/waiting.ts'
import type { Receipt } from '../../../ethereum/block.ts'
import { DEPOSIT_CONTRACT } from '../../../ethereum/depositContract.ts'
import {
  type AccountRecord,
  EMPTY_CODE_HASH,
  isSameAccount,
  type StateChanges,
} from '../../../ethereum/state/account.ts'
import { changesSince } from '../../../ethereum/state/layer.ts'
import { patchChanges } from '../../../ethereum/state/patch.ts'
import { type StateTrie, stateRoot, updateStateTrie } from '../../../ethereum/state/stateTrie.ts'
import { WorldState } from '../../../ethereum/state/worldState.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  CONSOLIDATION_REQUESTS,
  CREATE2_PROXY,
  WITHDRAWAL_REQUESTS,
} from '../../../ethereum/systemContracts.ts'
import type { Entry, Key } from '../../ledger/bytesDatabase.ts'
import { blockKeys, numberKey } from '../../ledger/ethereumjs/blockchain.ts'
import { headEntry, PER_BLOCK, RULES_KEY } from '../../ledger/format/databaseFormat.ts'
import {
  accountKey,
  type BlockChanges,
  checked,
  codeKey,
  encodeAccount,
  encodeChanges,
  encodeHashes,
  encodeIndex,
  encodeReceipts,
  KIND,
  numberedKey,
  numberOfKey,
  slotKey,
  valuesBefore,
} from '../../ledger/format/records.ts'
import { type Scan, textOf } from '../../ledger/format/scanDatabase.ts'
import { PRECONFIRMED_KEY } from '../../ledger/poolStore.ts'
import { type CheckedDatabase, highestStorageId, withoutReasons } from './checkDatabase.ts'
import { type CheckParts, sameIndex } from './checkedBlocks.ts'

interface Repair {
  /** A sentence per action. */
  readonly actions: readonly string[]
  /** Why the database cannot be repaired; undefined if it can. */
  readonly refusal?: string
  readonly entries: readonly Entry[]
  readonly removed: readonly Key[]
}

/** Plans a repair. Changes nothing. */
export async function planRepair(database: CheckedDatabase, parts: CheckParts): Promise<Repair> {
  const nothing = { actions: [], entries: [], removed: [] }
  if (database.problems.length === 0) return nothing
  const { scan, blocks } = database
  if (scan.format === undefined) return { ...nothing, refusal: 'the entry of the format cannot be derived' }
  if (blocks.head < 0) return { ...nothing, refusal: 'there is no block' }
  const target = await rebuildChain(database, parts)
  const refusal = 'no state within the history is known in full, so that none can be derived'
  if (target === undefined) return { ...nothing, refusal }
  const plan = new Plan(database)
  plan.cutBack(target.head)
  plan.writeState(target)
  const isMissing = missingCodes(database, target.state).size > 0
  plan.writeCodes(target, isMissing ? await findCodes(database, parts) : new Map())
  plan.writeHistory(target)
  plan.writeBlocks(target.head)
  plan.writeHead(target, parts)
  plan.writeOthers()
  if (plan.refusal !== undefined) return { ...nothing, refusal: plan.refusal }
  return plan.result()
}

class Plan {
  readonly #database: CheckedDatabase
  readonly #entries = new Map<string, Entry>()
  readonly #removed = new Map<string, Key>()
  readonly #actions: string[] = []
  refusal: string | undefined

  constructor(database: CheckedDatabase) {
    this.#database = database
  }

  result(): Repair {
    const removed = [...this.#removed].filter(([key]) => !this.#entries.has(key)).map(([, key]) => key)
    return { actions: this.#actions, entries: [...this.#entries.values()], removed }
  }

  /** Removes the blocks after `head`. */
  cutBack(head: number): void {
    const { scan, blocks } = this.#database
    for (let number = blocks.head; number > head; number--) {
      const hash = blocks.hashes.get(number)
      const count = scan.indices.get(number)?.transactions.length ?? 0
      const name = hash === undefined ? `${number}` : `${number} ${hash}`
      this.#actions.push(`removed block ${name} with ${count} transactions`)
      if (hash !== undefined) this.#remove(...blockKeys({ hash, number: BigInt(number) } as never))
      for (const kind of PER_BLOCK) this.#remove(numberedKey(kind, number))
    }
  }

  /** Writes missing codes. @param found - further codes, which may include missing ones. */
  writeCodes({ state }: RebuiltChain, found: ReadonlyMap<Hash, Uint8Array>): void {
    const { scan } = this.#database
    for (const hash of missingCodes(this.#database, state)) {
      const code = state.codes.get(hash) ?? found.get(hash)
      if (code === undefined) this.refusal = `the code ${hash} cannot be derived`
      else this.#put({ key: codeKey(hash), value: code })
      this.#actions.push(`wrote the code ${hash} again`)
    }
    for (const [hash, code] of state.codes)
      if (!scan.codes.has(hash)) this.#put({ key: codeKey(hash), value: code })
  }

  /** Writes the entries of the state that differ from the stored ones. */
  writeState({ state, head }: RebuiltChain): void {
    const { scan } = this.#database
    const { entries, removed } = differingState(scan, state)
    this.#put(...entries)
    this.#remove(...removed)
    const count = entries.length + removed.length
    if (count > 0) this.#actions.push(`wrote ${count} entries of the state of block ${head} again`)
  }

  /** Writes changes and receipts. Begins the history after the last gap that cannot be derived. */
  writeHistory({ head, base, changes, receipts }: RebuiltChain): void {
    const { scan, states } = this.#database
    const first = Math.min(...states.keys())
    if (first === 0) this.#writeGenesisHistory(head)
    for (const [number, values] of changes)
      this.#putChanged('changes', number, encodeChanges, values, scan.changes.get(number))
    for (const [number, list] of receipts)
      this.#putChanged('receipts', number, encodeReceipts, list, scan.receipts.get(number))
    let oldest = Math.min(head, first + 1)
    for (let number = oldest; number <= head; number++) {
      if (scan.receipts.has(number) || receipts.has(number)) continue
      if (number === head) this.refusal = `the receipts of block ${number} cannot be derived`
      else oldest = number + 1
    }
    // Changes that lead back to a wrong state are wrong too.
    for (const [number, { isSound }] of states) {
      if (isSound === false && number < base) oldest = Math.max(oldest, number + 2)
    }
    const hasGenesis = scan.changes.has(0) || this.#entries.has(textOf(numberedKey(KIND.changes, 0)))
    if (first === 0 && hasGenesis && oldest === Math.min(head, 1)) return
    const before = [...scan.changes.keys(), ...scan.receipts.keys()].filter((number) => number < oldest)
    if (before.length === 0) return
    for (const number of new Set(before)) {
      for (const kind of ['changes', 'receipts'] as const) {
        // Kept, since a start reads the receipts of the head.
        if (kind === 'receipts' && number === head) continue
        const key = numberedKey(KIND[kind], number)
        this.#entries.delete(textOf(key))
        this.#remove(key)
      }
    }
    const removed = 'states and receipts before it were removed'
    this.#actions.push(`the history begins at block ${oldest} now: ${removed}`)
  }

  /** Writes changes and receipts of the genesis block if one of them is lost. Both are empty without transactions. */
  #writeGenesisHistory(head: number): void {
    const { scan } = this.#database
    const has = (kind: 'changes' | 'receipts') => scan[kind].has(0)
    const isLost = (kind: 'changes' | 'receipts') =>
      !has(kind) && scan.damaged.has(textOf(numberedKey(KIND[kind], 0)))
    if (has('changes') === has('receipts') && !isLost('changes') && !isLost('receipts')) return
    if (!has('receipts')) this.#putChanged('receipts', 0, encodeReceipts, [], undefined)
    // The values before later writes to the genesis state are unknown.
    if (has('changes') || (scan.patches.has(0) && head > 0)) return
    this.#putChanged('changes', 0, encodeChanges, { accounts: new Map(), slots: new Map() }, undefined)
  }

  writeBlocks(head: number): void {
    const { scan, blocks } = this.#database
    for (const [number, derived] of blocks.indices) {
      if (number > head) continue
      const isLost = scan.damaged.has(`${RULES_KEY}${derived.rules}`)
      const index = isLost ? { ...derived, rules: undefined } : derived
      const known = scan.indices.get(number)
      if (known === undefined || isLost || !sameIndex(known, index)) {
        this.#put(checked(numberedKey(KIND.index, number), encodeIndex(index)))
        this.#actions.push(`wrote the index of block ${number} again`)
      }
    }
    for (const [number, hash] of blocks.hashes) {
      if (number > head || scan.numbers.get(hash) === number) continue
      const value = number === 0 ? Uint8Array.of(0) : bigintToBytes(BigInt(number))
      this.#put({ key: numberKey(hash), value })
      this.#actions.push(`wrote the number of block ${number} again`)
    }
  }

  writeHead({ head, trie, state }: RebuiltChain, { crypto }: CheckParts): void {
    const { scan, blocks } = this.#database
    const hash = blocks.hashes.get(head)!
    const root = scan.patches.has(head) ? bytesToHex(stateRoot(trie, crypto)) : undefined
    const lastStorageId = Math.max(highestStorageId(scan), state.lastStorageId ?? 0)
    const known = scan.head
    if (known?.hash === hash && known.root === root && known.lastStorageId === lastStorageId) return
    this.#put(headEntry({ hash, root, lastStorageId }))
    this.#actions.push(`the head is block ${head} ${hash} now`)
  }

  /** Removes damaged entries that are not written again, and references to them. */
  writeOthers(): void {
    const { scan } = this.#database
    for (const [text, key] of scan.damaged) {
      if (this.#entries.has(text) || this.#removed.has(text)) continue
      this.#remove(key)
      this.#actions.push(`removed the entry ${text}`)
    }
    const preconfirmed = scan.preconfirmed.filter((hash) => scan.pool.has(hash))
    if (preconfirmed.length === scan.preconfirmed.length) return
    this.#put(checked(PRECONFIRMED_KEY, encodeHashes(preconfirmed)))
    this.#actions.push('removed missing transactions from the pre-confirmed ones')
  }

  #putChanged<Value>(
    kind: 'changes' | 'receipts',
    number: number,
    encode: (value: Value) => Uint8Array,
    value: Value,
    stored: Value | undefined,
  ): void {
    const encoded = encode(value)
    if (stored !== undefined && equalBytes(encode(stored), encoded)) return
    this.#put(checked(numberedKey(KIND[kind], number), encoded))
    this.#actions.push(`wrote the ${kind} of block ${number} again`)
  }

  #put(...entries: readonly Entry[]): void {
    for (const entry of entries) this.#entries.set(textOf(entry.key), entry)
  }

  #remove(...keys: readonly Key[]): void {
    for (const key of keys) this.#removed.set(textOf(key), key)
  }
}

/** Returns the hashes of codes that the state or an earlier state refers to, but that the database does not have. */
function missingCodes({ scan }: CheckedDatabase, state: StateChanges): Set<Hash> {
  const missing = new Set<Hash>()
  const add = (record: AccountRecord | null) => {
    const hash = record?.codeHash ?? EMPTY_CODE_HASH
    if (hash !== EMPTY_CODE_HASH && !scan.codes.has(hash)) missing.add(hash)
  }
  for (const record of state.accounts.values()) add(record)
  for (const { accounts } of scan.changes.values()) for (const record of accounts.values()) add(record)
  return missing
}

/** Collects codes of system contracts, of patches, and of contracts that blocks of the history created. */
async function findCodes(
  { scan, states, reexecution }: CheckedDatabase,
  { crypto }: CheckParts,
): Promise<ReadonlyMap<Hash, Uint8Array>> {
  const found = new Map<Hash, Uint8Array>()
  const add = (code: Uint8Array) => found.set(crypto.keccak256Hex(code), code)
  const known = [
    BEACON_ROOTS,
    BLOCK_HASHES,
    WITHDRAWAL_REQUESTS,
    CONSOLIDATION_REQUESTS,
    DEPOSIT_CONTRACT,
    CREATE2_PROXY,
  ]
  for (const { code } of known) add(hexToBytes(code))
  const patched = [...scan.patches.values()].flatMap(({ patch }) => [...patch.values()])
  for (const { code } of patched) if (code !== undefined) add(code)
  for (const number of states.keys()) {
    const before = states.get(number - 1)
    if (before === undefined || before.isSound === false || !reexecution.canExecute(number)) continue
    try {
      const { state } = await reexecution.execute(number, before)
      for (const code of changesSince(state, before.version).codes.values()) add(code)
    } catch (error) {
      // The block needed the lost code, so its codes are not found.
      if (!(error instanceof PresealError)) throw error
    }
  }
  return found
}

interface RebuiltChain {
  readonly head: number
  /** The block after which execution began. */
  readonly base: number
  readonly state: StateChanges
  readonly trie: StateTrie
  readonly changes: ReadonlyMap<number, BlockChanges>
  readonly receipts: Map<number, readonly Receipt[]>
}

/** Executes the blocks after the newest sound state, if there is one. */
async function rebuildChain(
  { scan, blocks, states, reexecution }: CheckedDatabase,
  { crypto }: CheckParts,
): Promise<RebuiltChain | undefined> {
  const damagedPatches = [...scan.damaged.values()].filter(
    (key) => typeof key !== 'string' && key[0] === KIND.patch,
  )
  const lostPatch = (damagedPatches as Uint8Array[]).map(numberOfKey).filter((number) => states.has(number))
  if (scan.head?.root !== undefined && !scan.patches.has(blocks.head)) lostPatch.push(blocks.head)
  const numbers = [...states.keys()]
  const broken = numbers.find((number) => !blocks.headers.has(number) && states.has(number - 1))
  const last = broken === undefined ? blocks.head : broken - 1
  // States are derived backwards from the head, so a fault in one shows in the roots of earlier ones. If no root is wrong,
  // states without a known root are right too.
  const isRight = ![...states.values()].some(({ isSound }) => isSound === false)
  const base = numbers.findLast(
    (number) =>
      number <= last &&
      (states.get(number)!.isSound ?? isRight) &&
      blocks.headers.has(number) &&
      lostPatch.every((lost) => number < lost),
  )
  if (base === undefined) return undefined
  const { version, trie: started } = states.get(base)!
  const world = new WorldState()
  const whole = await whenLoaded(() => version.everything())
  let state = world.commit({ ...whole, lastStorageId: highestStorageId(scan) })
  let trie = started
  let head = base
  const changes = new Map<number, BlockChanges>()
  const receipts = new Map<number, readonly Receipt[]>()
  const keepsReasons = [...scan.receipts.values()]
    .flat()
    .some(({ revertReason }) => revertReason !== undefined)
  const stored = (list: readonly Receipt[]) => (keepsReasons ? list : withoutReasons(list))
  for (let number = base + 1; number <= last && reexecution.canExecute(number); number++) {
    const before = state
    try {
      const executed = await reexecution.execute(number, { version: state, trie })
      state = world.commit(changesSince(executed.state, before))
      trie = executed.stateTrie
      receipts.set(number, stored(executed.block.receipts))
    } catch (error) {
      if (!(error instanceof PresealError)) throw error
      break
    }
    const patch = scan.patches.get(number)?.patch
    if (patch !== undefined) {
      const patched = patchChanges(state, patch, crypto)
      trie = updateStateTrie(trie, patched, crypto)
      state = world.commit(patched)
    }
    changes.set(number, valuesBefore(world.difference(before, state)))
    head = number
  }
  for (const number of numbers) {
    if (scan.receipts.has(number) || receipts.has(number) || number > head) continue
    const before = states.get(number - 1)
    if (before === undefined || before.isSound === false || !reexecution.canExecute(number)) continue
    const executed = await reexecution.execute(number, before).catch(() => undefined)
    if (executed !== undefined) receipts.set(number, stored(executed.block.receipts))
  }
  return { head, base, state: world.everythingAt(state), trie, changes, receipts }
}

/** Returns the entries to write and remove for a state. @param state - the whole state, as changes to an empty one. */
function differingState(
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
    if (known === undefined || !isSameAccount(known, record))
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
