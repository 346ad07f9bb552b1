/**
 * The accounts that may send: accounts with a key, and impersonated ones.
 *
 * Owns: the keys. Does not own the list of impersonated accounts, which is a setting. Returned transactions include
 * their sender, so that it need not be recovered.
 */

import { bigintToBytes32, bytesToHex, concatBytes, hexToBytes } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { TypedData } from '../../base/crypto/typedData.ts'
import type { Address, DevAccount, Hex } from '../../base/types.ts'
import { signTransaction, toUnsignedTransaction } from '../../ethereum/evm/transactionEncoding.ts'
import type { Transaction, TxEnv } from '../../ethereum/transaction.ts'
import type { Settings } from '../block/settings.ts'
import { UnknownAccountError } from './errors.ts'

/** The settings that decide who may send; each call reads the current ones. */
export interface SignerSources {
  /** The chain id of new transactions. */
  chainId(): bigint
  settings(): Settings
  impersonatesEveryone(): boolean
  /** Changes the settings. @throws DatabaseWriteError; nothing has changed then. */
  set(change: (settings: Settings) => Settings): Promise<void>
}

/** See the file's header. */
export class Signers {
  readonly #keys: ReadonlyMap<Address, Hex>
  readonly #crypto: Crypto
  readonly #sources: SignerSources
  readonly #listeners = new Set<() => void>()

  constructor(accounts: readonly DevAccount[], crypto: Crypto, sources: SignerSources) {
    this.#keys = new Map(accounts.map(({ address, privateKey }) => [address, privateKey]))
    this.#crypto = crypto
    this.#sources = sources
  }

  /** Returns the accounts with a key, then the individually impersonated ones, unless `impersonated` is false. */
  accounts(impersonated = true): Address[] {
    return this.#listed(impersonated ? this.impersonated : [])
  }

  get impersonated(): readonly Address[] {
    return this.#sources.settings().impersonated ?? []
  }

  /** Calls `listener` when {@link accounts} changes, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Notifies listeners after a change of the impersonated accounts. @param settings - the previous ones. */
  impersonationChanged({ impersonated = [] }: Settings): void {
    if (String(this.#listed(impersonated)) === String(this.accounts())) return
    for (const listener of this.#listeners) listener()
  }

  /** Lets an account send without a key. @throws DatabaseWriteError */
  impersonate(address: Address): Promise<void> {
    return this.#impersonate((accounts) => [...new Set([...accounts, address])])
  }

  /** Ends the individual impersonation of an account. @throws DatabaseWriteError */
  stopImpersonating(address: Address): Promise<void> {
    return this.#impersonate((accounts) => accounts.filter((one) => one !== address))
  }

  /** Sets whether every account may send without a key. @throws DatabaseWriteError */
  impersonateEveryone(autoImpersonate: boolean): Promise<void> {
    return this.#sources.set((settings) => ({ ...settings, autoImpersonate }))
  }

  maySend(address: Address): boolean {
    return this.#keys.has(address) || this.#isImpersonated(address)
  }

  /** @throws UnknownAccountError if the account has no key. */
  checkKey(address: Address): void {
    this.#keyOf(address)
  }

  /** Signs a transaction. @throws UnknownAccountError if there is no key. */
  sign(tx: TxEnv): Transaction {
    return signTransaction(tx, this.#sources.chainId(), hexToBytes(this.#keyOf(tx.from)), this.#crypto)
  }

  /** Signs a transaction, or leaves it unsigned if its sender is impersonated. @throws UnknownAccountError */
  authorize(tx: TxEnv): Transaction {
    const isUnsigned = !this.#keys.has(tx.from) && this.#isImpersonated(tx.from)
    return isUnsigned ? this.toUnsignedTransaction(tx) : this.sign(tx)
  }

  /** Returns a transaction of any sender, without a signature (spec.md 33). */
  toUnsignedTransaction(tx: TxEnv): Transaction {
    return toUnsignedTransaction(tx, this.#sources.chainId(), this.#crypto)
  }

  /** Signs a personal message (EIP-191, version 0x45). @throws UnknownAccountError if there is no key. */
  signMessage(address: Address, message: Uint8Array): Hex {
    const key = this.#keyOf(address)
    const prefix = new TextEncoder().encode(`\x19Ethereum Signed Message:\n${message.length}`)
    const hash = this.#crypto.keccak256(concatBytes(prefix, message))
    const { r, s, yParity } = this.#crypto.sign(hash, hexToBytes(key))
    return bytesToHex(concatBytes(bigintToBytes32(r), bigintToBytes32(s), Uint8Array.of(27 + yParity)))
  }

  /** Signs typed data (EIP-712). @throws UnknownAccountError if there is no key, InvalidTypedDataError */
  async signTypedData(address: Address, data: TypedData): Promise<Hex> {
    const key = this.#keyOf(address)
    const { signTypedData } = await import('../../base/crypto/typedData.ts')
    return signTypedData(data, key)
  }

  #impersonate(change: (accounts: readonly Address[]) => readonly Address[]): Promise<void> {
    return this.#sources.set((now) => ({ ...now, impersonated: change(now.impersonated ?? []) }))
  }

  #listed(impersonated: readonly Address[]): Address[] {
    return [...new Set([...this.#keys.keys(), ...impersonated])]
  }

  #isImpersonated(address: Address): boolean {
    return this.#sources.impersonatesEveryone() || this.impersonated.includes(address)
  }

  #keyOf(address: Address): Hex {
    const key = this.#keys.get(address)
    if (key === undefined) throw new UnknownAccountError(address)
    return key
  }
}
