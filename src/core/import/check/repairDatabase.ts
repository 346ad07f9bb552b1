/**
 * Repairs a database: what follows from other entries is written again. If the blocks after one cannot be derived, the
 * chain is cut back to it.
 *
 *   newest sound state ─► the blocks after it, executed ─► the first that fails: cut back ─► what differs, in one batch
 */

import { bigintToBytes, bytesToHex } from '../../../base/bytes.ts'
import type { Hash } from '../../../base/types.ts'
import { stateRoot } from '../../../ethereum/state/stateTrie.ts'
import type { Entry, Key } from '../../ledger/bytesDatabase.ts'
import { blockKeys, numberKey } from '../../ledger/ethereumjs/blockchain.ts'
import { checked, codeKey, KIND, numberedKey } from '../../ledger/format/entries.ts'
import { encodeHashes } from '../../ledger/format/poolEntry.ts'
import { encodeChanges, encodeIndex, encodeReceipts } from '../../ledger/format/records.ts'
import { headEntry } from '../../ledger/format/storedHead.ts'
import { RULES_KEY } from '../../ledger/format/storedRules.ts'
import { PRECONFIRMED_KEY } from '../../ledger/poolStore.ts'
import type { CheckedDatabase } from './checkDatabase.ts'
import { sameIndex, textOf } from './checkedBlocks.ts'
import { highestStorageId } from './checkedStates.ts'
import type { CheckParts } from './checkParts.ts'
import { findCodes, missingCodes } from './lostCodes.ts'
import { type RebuiltChain, rebuildChain } from './rebuiltChain.ts'
import { differingState } from './stateEntries.ts'

/** What a repair does. */
export interface Repair {
  /** What is done, a sentence each. */
  readonly actions: readonly string[]
  /** Why it cannot be repaired; undefined if it can. */
  readonly refusal?: string
  readonly entries: readonly Entry[]
  readonly removed: readonly Key[]
}

/** Finds out how to repair a database; changes nothing. */
export async function planRepair(database: CheckedDatabase, parts: CheckParts): Promise<Repair> {
  const nothing = { actions: [], entries: [], removed: [] }
  if (database.problems.length === 0) return nothing
  const { scan, blocks } = database
  if (scan.format === undefined) return { ...nothing, refusal: 'the entry of the format cannot be derived' }
  if (blocks.head < 0) return { ...nothing, refusal: 'there is no block' }
  const target = await rebuildChain(database, parts)
  if (target === undefined) {
    return {
      ...nothing,
      refusal: 'no state within the history is known in full, so that none can be derived',
    }
  }
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

/** The entries of a repair, as they are collected. */
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

  /** Removes the blocks after one. */
  cutBack(head: number): void {
    const { scan, blocks } = this.#database
    for (let number = blocks.head; number > head; number--) {
      const hash = blocks.hashes.get(number)
      const count = scan.indices.get(number)?.transactions.length ?? 0
      this.#actions.push(
        `removed block ${number}${hash === undefined ? '' : ` ${hash}`} with ${count} transactions`,
      )
      if (hash !== undefined) this.#remove(...blockKeys({ hash, number: BigInt(number) } as never))
      for (const kind of ['index', 'changes', 'receipts', 'patch'] as const)
        this.#remove(numberedKey(KIND[kind], number))
    }
  }

  /** Writes the codes that are missing. @param found - codes that a database may have lost. */
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

  /** Writes the state where it differs. */
  writeState({ state, head }: RebuiltChain): void {
    const { scan } = this.#database
    const { entries, removed } = differingState(scan, state)
    this.#put(...entries)
    this.#remove(...removed)
    const count = entries.length + removed.length
    if (count > 0) this.#actions.push(`wrote ${count} entries of the state of block ${head} again`)
  }

  /** Writes changes and receipts, and ends the history where changes cannot be derived. */
  writeHistory({ head, base, changes, receipts }: RebuiltChain): void {
    const { scan, states } = this.#database
    const first = Math.min(...states.keys())
    if (first === 0) this.#writeGenesisHistory(head)
    for (const [number, values] of changes)
      this.#putChanged(KIND.changes, number, encodeChanges(values), scan.changes.get(number), encodeChanges)
    for (const [number, list] of receipts)
      this.#putChanged(KIND.receipts, number, encodeReceipts(list), scan.receipts.get(number), encodeReceipts)
    let oldest = Math.min(head, first + 1)
    for (let number = oldest; number <= head; number++) {
      if (scan.receipts.has(number) || receipts.has(number)) continue
      if (number === head) this.refusal = `the receipts of block ${number} cannot be derived`
      else oldest = number + 1
    }
    // What leads back to a state that is wrong is wrong too.
    for (const [number, { isSound }] of states) {
      if (isSound === false && number < base) oldest = Math.max(oldest, number + 2)
    }
    const hasGenesis = scan.changes.has(0) || this.#entries.has(textOf(numberedKey(KIND.changes, 0)))
    if (first === 0 && hasGenesis && oldest === Math.min(head, 1)) return
    const before = [...scan.changes.keys(), ...scan.receipts.keys()].filter((number) => number < oldest)
    if (before.length === 0) return
    for (const number of new Set(before)) {
      for (const kind of ['changes', 'receipts'] as const) {
        // A start reads the receipts of the head.
        if (kind === 'receipts' && number === head) continue
        const key = numberedKey(KIND[kind], number)
        this.#entries.delete(textOf(key))
        this.#remove(key)
      }
    }
    this.#actions.push(
      `the history begins at block ${oldest} now: states and receipts before it were removed`,
    )
  }

  /** Writes changes and receipts of the genesis block if one of them is lost: it has no transactions. */
  #writeGenesisHistory(head: number): void {
    const { scan } = this.#database
    const has = (kind: 'changes' | 'receipts') => scan[kind].has(0)
    const isLost = (kind: 'changes' | 'receipts') => !has(kind) && this.#isDamaged(numberedKey(KIND[kind], 0))
    if (has('changes') === has('receipts') && !isLost('changes') && !isLost('receipts')) return
    if (!has('receipts')) {
      this.#put(checked(numberedKey(KIND.receipts, 0), encodeReceipts([])))
      this.#actions.push('wrote the receipts of block 0 again')
    }
    // What was written to its state since is not known.
    if (has('changes') || (scan.patches.has(0) && head > 0)) return
    const none = { accounts: new Map(), slots: new Map() }
    this.#put(checked(numberedKey(KIND.changes, 0), encodeChanges(none)))
    this.#actions.push('wrote the changes of block 0 again')
  }

  #isDamaged(key: Key): boolean {
    return this.#database.scan.damaged.some((one) => textOf(one) === textOf(key))
  }

  /** Writes indices and numbers of blocks. */
  writeBlocks(head: number): void {
    const { scan, blocks } = this.#database
    const lostRules = new Set(scan.damaged.filter((key) => textOf(key).startsWith(RULES_KEY)))
    for (const [number, derived] of blocks.indices) {
      if (number > head) continue
      const isLost = lostRules.has(`${RULES_KEY}${derived.rules}`)
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

  /** Writes the head if it differs. */
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

  /** Removes what is damaged and not written again, and what names it. */
  writeOthers(): void {
    const { scan } = this.#database
    for (const key of scan.damaged) {
      const text = textOf(key)
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
    kind: typeof KIND.changes | typeof KIND.receipts,
    number: number,
    encoded: Uint8Array,
    stored: Value | undefined,
    encode: (value: Value) => Uint8Array,
  ): void {
    if (stored !== undefined && bytesToHex(encode(stored)) === bytesToHex(encoded)) return
    this.#put(checked(numberedKey(kind, number), encoded))
    const name = kind === KIND.changes ? 'changes' : 'receipts'
    this.#actions.push(`wrote the ${name} of block ${number} again`)
  }

  #put(...entries: readonly Entry[]): void {
    for (const entry of entries) this.#entries.set(textOf(entry.key), entry)
  }

  #remove(...keys: readonly Key[]): void {
    for (const key of keys) this.#removed.set(textOf(key), key)
  }
}
