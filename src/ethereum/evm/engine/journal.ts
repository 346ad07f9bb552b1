/**
 * The reads and writes of one message, in front of the overlay: accounts and slots are objects that instructions change
 * in place.
 *
 * Owns: the accounts and slots read so far, the logs, the refund counter, and the undo log. Does not own: the overlay;
 * only `flush`, at the end of the message, writes to it.
 */
import { toAddress, toWord } from '../../../base/bytes.ts'
import type { Address, Hash } from '../../../base/types.ts'
import type { Log } from '../../block.ts'
import { type AccountRecord, EMPTY_CODE_HASH, NO_CODE, type StateReader } from '../../state/account.ts'
import type { Overlay } from '../../state/overlay.ts'
import { toEvmWord, type Word } from './word.ts'

/** The one account that stays touched when the frame that touched it fails, as on mainnet (EIP-716). */
const RIPEMD160 = 3

/** A slot that the message has read or written. */
export interface Slot {
  readonly key: Hash
  /** The value before the message (EIP-2200). */
  readonly original: Word
  value: Word
  /** Whether it was accessed before (EIP-2929). */
  isWarm: boolean
}

/** An account that the message has read or written; one object per address and message. */
export class JournalAccount {
  readonly word: Word
  readonly address: Address
  readonly before: AccountRecord | undefined
  exists: boolean
  nonce: bigint
  balance: bigint
  codeHash: Hash
  code: Uint8Array | undefined
  /** Whether it was accessed before (EIP-2929). */
  isWarm = false
  /** Whether it is deleted at the end if it is empty (EIP-161). */
  isTouched = false
  isCreated = false
  isDestroyed = false
  readonly slots = new Map<Word, Slot>()
  /** Transient storage (EIP-1153). */
  transient: Map<Word, { value: Word }> | undefined

  constructor(word: Word, address: Address, before: AccountRecord | undefined) {
    this.word = word
    this.address = address
    this.before = before
    this.exists = before !== undefined
    this.nonce = before?.nonce ?? 0n
    this.balance = before?.balance ?? 0n
    this.codeHash = before?.codeHash ?? EMPTY_CODE_HASH
  }

  get isEmpty(): boolean {
    return this.nonce === 0n && this.balance === 0n && this.codeHash === EMPTY_CODE_HASH
  }
}

/** Converts an address to a word: a number for precompiles, a bigint for almost any account. */
export function addressToWord(address: Address): Word {
  return toEvmWord(BigInt(address))
}

/** Reads accounts and slots of a message, and collects its writes until `flush`. */
export class Journal {
  readonly #state: StateReader
  readonly #warm: { has(word: number): boolean } | undefined
  readonly #accounts = new Map<Word, JournalAccount>()
  /** Three items per change: the object, its property, and the value before. */
  readonly #undo: unknown[] = []
  readonly logs: Log[] = []
  refund = 0

  constructor(state: StateReader, warm: { has(word: number): boolean } | undefined) {
    this.#state = state
    this.#warm = warm
  }

  get accounts(): Iterable<JournalAccount> {
    return this.#accounts.values()
  }

  account(word: Word): JournalAccount {
    return this.#accounts.get(word) ?? this.#load(word, toAddress(word))
  }

  accountAt(address: Address): JournalAccount {
    const word = addressToWord(address)
    return this.#accounts.get(word) ?? this.#load(word, address)
  }

  #load(word: Word, address: Address): JournalAccount {
    const account = new JournalAccount(word, address, this.#state.account(address))
    if (typeof word === 'number' && this.#warm?.has(word) === true) account.isWarm = true
    this.#accounts.set(word, account)
    return account
  }

  code(account: JournalAccount): Uint8Array {
    account.code ??= account.codeHash === EMPTY_CODE_HASH ? NO_CODE : this.#state.code(account.codeHash)
    return account.code
  }

  slot(account: JournalAccount, key: Word): Slot {
    let slot = account.slots.get(key)
    if (slot === undefined) {
      const { before } = account
      const hex = toWord(key)
      const stored =
        before === undefined || before.storageId === 0 ? 0n : this.#state.slot(before.storageId, hex)
      const value = toEvmWord(stored)
      slot = { key: hex, original: value, value, isWarm: false }
      account.slots.set(key, slot)
    }
    return slot
  }

  /** Whether an account has a nonzero slot (EIP-7610). In a forked storage, only slots written here count. */
  hasStorage(account: JournalAccount): boolean {
    return (account.before?.slotCount ?? 0) > 0
  }

  warmAccount(account: JournalAccount): void {
    if (account.isWarm) return
    this.#record(account, 'isWarm', false)
    account.isWarm = true
  }

  warmSlot(slot: Slot): void {
    if (slot.isWarm) return
    this.#record(slot, 'isWarm', false)
    slot.isWarm = true
  }

  setSlot(slot: Slot, value: Word): void {
    if (slot.value === value) return
    this.#record(slot, 'value', slot.value)
    slot.value = value
  }

  transient(account: JournalAccount, key: Word): Word {
    return account.transient?.get(key)?.value ?? 0
  }

  setTransient(account: JournalAccount, key: Word, value: Word): void {
    account.transient ??= new Map()
    let slot = account.transient.get(key)
    if (slot === undefined) {
      slot = { value: 0 }
      account.transient.set(key, slot)
    }
    this.#record(slot, 'value', slot.value)
    slot.value = value
  }

  touch(account: JournalAccount): void {
    if (!account.exists) {
      this.#record(account, 'exists', false)
      account.exists = true
    }
    if (account.isTouched) return
    if (account.word !== RIPEMD160) this.#record(account, 'isTouched', false)
    account.isTouched = true
  }

  setBalance(account: JournalAccount, balance: bigint): void {
    this.touch(account)
    this.#record(account, 'balance', account.balance)
    account.balance = balance
  }

  setNonce(account: JournalAccount, nonce: bigint): void {
    this.touch(account)
    this.#record(account, 'nonce', account.nonce)
    account.nonce = nonce
  }

  setCode(account: JournalAccount, code: Uint8Array, codeHash: Hash): void {
    this.#record(account, 'code', account.code)
    account.code = code
    this.#record(account, 'codeHash', account.codeHash)
    account.codeHash = codeHash
  }

  markCreated(account: JournalAccount): void {
    this.#record(account, 'isCreated', account.isCreated)
    account.isCreated = true
  }

  markDestroyed(account: JournalAccount): void {
    this.#record(account, 'isDestroyed', account.isDestroyed)
    account.isDestroyed = true
  }

  addLog(log: Log): void {
    this.#record(this.logs, 'length', this.logs.length)
    this.logs.push(log)
  }

  addRefund(amount: number): void {
    this.#record(this, 'refund', this.refund)
    this.refund += amount
  }

  mark(): number {
    return this.#undo.length
  }

  revert(mark: number): void {
    const undo = this.#undo
    while (undo.length > mark) {
      const before = undo.pop()
      const property = undo.pop() as string
      const object = undo.pop() as Record<string, unknown>
      object[property] = before
    }
  }

  /** Writes the changes to the overlay. @param clearsEmpty - whether to delete touched, empty accounts (EIP-161). */
  flush(overlay: Overlay, clearsEmpty: boolean): void {
    for (const account of this.#accounts.values()) {
      if (clearsEmpty && account.isTouched && account.isEmpty) {
        overlay.deleteAccount(account.address)
      } else if (account.exists) {
        writeAccount(overlay, account)
        for (const { key, original, value } of account.slots.values()) {
          if (value !== original) overlay.setSlot(account.address, key, BigInt(value))
        }
      }
    }
  }

  #record<Target extends object>(target: Target, property: keyof Target & string, before: unknown): void {
    this.#undo.push(target, property, before)
  }
}

function writeAccount(
  overlay: Overlay,
  { address, before, nonce, balance, codeHash, code }: JournalAccount,
): void {
  if (before?.nonce !== nonce || before.balance !== balance) {
    overlay.setAccount(address, { nonce, balance, codeHash: before?.codeHash ?? EMPTY_CODE_HASH })
  }
  if (codeHash !== (before?.codeHash ?? EMPTY_CODE_HASH)) overlay.setCode(address, codeHash, code!)
}
