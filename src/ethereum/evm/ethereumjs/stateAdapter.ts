/** The state manager of @ethereumjs' EVM. Owns: the stack of checkpoints. Does not own: the overlay below. */
import type { AccountFields, StateManagerInterface } from '@ethereumjs/common'
import { Account, type Address as EthereumjsAddress, KECCAK256_NULL, KECCAK256_RLP } from '@ethereumjs/util'
import { bigintToBytes, bytesToBigint, bytesToHex, hexToBytes } from '../../../base/bytes.ts'
import type { Crypto } from '../../../base/crypto/crypto.ts'
import type { Address, Hash } from '../../../base/types.ts'
import {
  type AccountRecord,
  EMPTY_ACCOUNT,
  EMPTY_CODE_HASH,
  EMPTY_STATE,
  readCode,
  readSlot,
} from '../../state/account.ts'
import { Overlay } from '../../state/overlay.ts'

/** The root of any storage that is not empty: @ethereumjs only compares it with the empty root. */
const NOT_EMPTY_ROOT = new Uint8Array(32).fill(1)

const UNUSED = new Overlay(EMPTY_STATE)

/** Lets @ethereumjs read and write an overlay: its checkpoints are marks of the overlay. */
export class StateAdapter implements StateManagerInterface {
  readonly #crypto: Crypto
  #overlay = UNUSED
  #marks: number[] = []

  constructor(crypto: Crypto) {
    this.#crypto = crypto
  }

  /** Switches to `overlay`; its parent is the state before the transaction. */
  use(overlay: Overlay): void {
    this.#overlay = overlay
    this.#marks = []
  }

  /** Releases the overlay, so that an idle EVM retains no state. */
  release(): void {
    this.use(UNUSED)
  }

  readonly originalStorageCache = {
    get: async (address: EthereumjsAddress, key: Uint8Array): Promise<Uint8Array> =>
      bigintToBytes(readSlot(this.#overlay.parent, hexOf(address), bytesToHex(key))),
    clear: (): void => {},
  }

  async getAccount(address: EthereumjsAddress): Promise<Account | undefined> {
    const account = this.#overlay.account(hexOf(address))
    if (account === undefined) return undefined
    return new Account(
      account.nonce,
      account.balance,
      account.slotCount > 0 ? NOT_EMPTY_ROOT : KECCAK256_RLP,
      account.codeHash === EMPTY_CODE_HASH ? KECCAK256_NULL : hexToBytes(account.codeHash),
    )
  }

  async putAccount(address: EthereumjsAddress, account?: Account): Promise<void> {
    if (account === undefined) this.#overlay.deleteAccount(hexOf(address))
    else this.#overlay.setAccount(hexOf(address), fieldsOf(account))
  }

  async deleteAccount(address: EthereumjsAddress): Promise<void> {
    this.#overlay.deleteAccount(hexOf(address))
  }

  async modifyAccountFields(address: EthereumjsAddress, fields: AccountFields): Promise<void> {
    const before = this.#overlay.account(hexOf(address)) ?? EMPTY_ACCOUNT
    this.#overlay.setAccount(hexOf(address), {
      nonce: fields.nonce ?? before.nonce,
      balance: fields.balance ?? before.balance,
      codeHash: fields.codeHash === undefined ? before.codeHash : bytesToHex(fields.codeHash),
    })
  }

  async putCode(address: EthereumjsAddress, code: Uint8Array): Promise<void> {
    this.#overlay.setCode(hexOf(address), this.#crypto.keccak256Hex(code), code)
  }

  async getCode(address: EthereumjsAddress): Promise<Uint8Array> {
    return readCode(this.#overlay, hexOf(address))
  }

  async getCodeSize(address: EthereumjsAddress): Promise<number> {
    return readCode(this.#overlay, hexOf(address)).length
  }

  async getStorage(address: EthereumjsAddress, key: Uint8Array): Promise<Uint8Array> {
    return bigintToBytes(readSlot(this.#overlay, hexOf(address), bytesToHex(key)))
  }

  slotValue(address: Address, key: Hash): bigint {
    return readSlot(this.#overlay, address, key)
  }

  async putStorage(address: EthereumjsAddress, key: Uint8Array, value: Uint8Array): Promise<void> {
    this.#overlay.setSlot(hexOf(address), bytesToHex(key), bytesToBigint(value))
  }

  async clearStorage(address: EthereumjsAddress): Promise<void> {
    this.#overlay.clearStorage(hexOf(address))
  }

  async checkpoint(): Promise<void> {
    this.#marks.push(this.#overlay.mark())
  }

  async commit(): Promise<void> {
    this.#marks.pop()
  }

  async revert(): Promise<void> {
    this.#overlay.revert(this.#marks.pop()!)
  }

  clearCaches(): void {}

  async getStateRoot(): Promise<Uint8Array> {
    throw new TypeError('an overlay has no state root')
  }

  async setStateRoot(): Promise<void> {
    throw new TypeError('an overlay has no state root')
  }

  async hasStateRoot(): Promise<boolean> {
    return false
  }

  shallowCopy(): StateAdapter {
    return new StateAdapter(this.#crypto)
  }
}

/** Converts an address of @ethereumjs. */
export function hexOf(address: EthereumjsAddress): Address {
  return bytesToHex(address.bytes)
}

function fieldsOf(account: Account): Pick<AccountRecord, 'nonce' | 'balance' | 'codeHash'> {
  const codeHash = account.codeHash === KECCAK256_NULL ? EMPTY_CODE_HASH : bytesToHex(account.codeHash)
  // Modulo 2^256, since SELFDESTRUCT of @ethereumjs adds to a balance without a limit.
  return { nonce: account.nonce, balance: BigInt.asUintN(256, account.balance), codeHash }
}
