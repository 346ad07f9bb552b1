/**
 * Private writes over a state, with marks to revert to.
 *
 * Owns: its writes and their undo log. Does not own: the state below, which it never alters, except that `merge` moves
 * the writes to the parent overlay.
 */
import type { Address, Hash, Hex } from '../../base/types.ts'
import {
  type AccountRecord,
  EMPTY_ACCOUNT,
  EMPTY_CODE_HASH,
  isEmptyAccount,
  NO_CODE,
  type StateChanges,
  type StateReader,
} from './account.ts'

/** A state to write to: reads its writes, then its parent. */
export class Overlay implements StateReader {
  readonly parent: StateReader
  #accounts = new Map<Address, AccountRecord | null>()
  #slots = new Map<number, Map<Hex, bigint>>()
  #codes = new Map<Hash, Uint8Array>()
  /** The last storage id assigned here; undefined if none was. A revert does not take it back. */
  #lastStorageId: number | undefined
  /** One undo entry per write since the first mark. */
  readonly #undo: UndoEntry[] = []
  #isMarked = false

  constructor(parent: StateReader) {
    this.parent = parent
  }

  get lastStorageId(): number {
    return this.#lastStorageId ?? this.parent.lastStorageId
  }

  account(address: Address): AccountRecord | undefined {
    const own = this.#accounts.get(address)
    if (own !== undefined) return own ?? undefined
    return this.parent.account(address)
  }

  slot(storageId: number, key: Hex): bigint {
    return this.#slots.get(storageId)?.get(key) ?? this.parent.slot(storageId, key)
  }

  code(codeHash: Hash): Uint8Array {
    if (codeHash === EMPTY_CODE_HASH) return NO_CODE
    return this.#codes.get(codeHash) ?? this.parent.code(codeHash)
  }

  /** Sets nonce, balance and code hash, creating the account if it is absent; its storage is unchanged. */
  setAccount(address: Address, fields: Pick<AccountRecord, 'nonce' | 'balance' | 'codeHash'>): void {
    const { storageId, slotCount } = this.account(address) ?? EMPTY_ACCOUNT
    const { nonce, balance, codeHash } = fields
    this.#write(this.#accounts, address, { nonce, balance, codeHash, storageId, slotCount })
  }

  /** Adds wei (negative to subtract) modulo 2^256, creating the account if it is absent. */
  addBalance(address: Address, amount: bigint): void {
    const account = this.account(address) ?? EMPTY_ACCOUNT
    const { nonce, codeHash, storageId, slotCount } = account
    const balance = BigInt.asUintN(256, account.balance + amount)
    this.#write(this.#accounts, address, { nonce, balance, codeHash, storageId, slotCount })
  }

  deleteAccount(address: Address): void {
    if (this.account(address) !== undefined) this.#write(this.#accounts, address, null)
  }

  /** Removes the account if it is empty, as the protocol does with touched accounts (EIP-161). */
  deleteIfEmpty(address: Address): void {
    const account = this.account(address)
    if (account !== undefined && isEmptyAccount(account)) this.#write(this.#accounts, address, null)
  }

  setCode(address: Address, codeHash: Hash, code: Uint8Array): void {
    if (codeHash !== EMPTY_CODE_HASH) this.#write(this.#codes, codeHash, code)
    this.#write(this.#accounts, address, { ...(this.account(address) ?? EMPTY_ACCOUNT), codeHash })
  }

  /** Sets a slot; 0n clears it. A nonzero value creates the account if it is absent. */
  setSlot(address: Address, key: Hex, value: bigint): void {
    let account = this.account(address) ?? EMPTY_ACCOUNT
    if (account.storageId === 0) {
      if (value === 0n) return
      this.#lastStorageId = this.lastStorageId + 1
      account = { ...account, storageId: this.#lastStorageId }
    }
    const isForked = account.storageId < 0
    // A forked slot is not read: that could cost a request, and the count is unknown anyway.
    const before = isForked ? undefined : this.slot(account.storageId, key)
    if (before === value) return
    let slots = this.#slots.get(account.storageId)
    if (slots === undefined) {
      slots = new Map()
      this.#slots.set(account.storageId, slots)
    }
    this.#write(slots, key, value)
    const slotCount = isForked
      ? value === 0n
        ? account.slotCount
        : 1
      : account.slotCount + (value === 0n ? -1 : before === 0n ? 1 : 0)
    // Written even if the count is unchanged: the storage root changes.
    const { nonce, balance, codeHash, storageId } = account
    this.#write(this.#accounts, address, { nonce, balance, codeHash, storageId, slotCount })
  }

  clearStorage(address: Address): void {
    const account = this.account(address)
    if (account === undefined || account.storageId === 0) return
    this.#write(this.#accounts, address, { ...account, storageId: 0, slotCount: 0 })
  }

  /** Returns a mark to {@link revert} to. Reverting invalidates later marks. */
  mark(): number {
    this.#isMarked = true
    return this.#undo.length
  }

  revert(mark: number): void {
    while (this.#undo.length > mark) {
      const { map, key, before } = this.#undo.pop()!
      if (before === undefined) map.delete(key)
      else map.set(key, before)
    }
  }

  /** Returns an overlay over this one. Its writes stay private until its {@link merge}. */
  child(): Overlay {
    return new Overlay(this)
  }

  /** Moves the writes to the parent overlay, which can still revert them. @throws TypeError if the parent is none. */
  merge(): void {
    if (!(this.parent instanceof Overlay)) throw new TypeError('only a child of an overlay can be merged')
    const parent = this.parent
    // Unlike loops over entries, `forEach` allocates no array per entry; every transaction is merged.
    this.#codes.forEach((code, hash) => {
      parent.#write(parent.#codes, hash, code)
    })
    this.#slots.forEach((slots, id) => {
      let target = parent.#slots.get(id)
      if (target === undefined) {
        target = new Map()
        parent.#slots.set(id, target)
      }
      const into = target
      slots.forEach((value, key) => {
        parent.#write(into, key, value)
      })
    })
    this.#accounts.forEach((account, address) => {
      parent.#write(parent.#accounts, address, account)
    })
    parent.#lastStorageId = this.#lastStorageId ?? parent.#lastStorageId
  }

  /** The current writes; not a copy, so later writes show. */
  changes(): StateChanges {
    const lastStorageId = this.#lastStorageId
    return { accounts: this.#accounts, slots: this.#slots, codes: this.#codes, lastStorageId }
  }

  #write<K, V extends NonNullable<unknown> | null>(map: Map<K, V>, key: K, value: V): void {
    if (this.#isMarked) this.#undo.push({ map, key, before: map.get(key) } as UndoEntry)
    map.set(key, value)
  }
}

interface UndoEntry {
  readonly map: Map<unknown, unknown>
  readonly key: unknown
  readonly before: unknown
}
