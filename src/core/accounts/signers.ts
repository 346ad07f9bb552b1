/**
 * The accounts that the chain can send from: those with a key, and impersonated ones.
 *
 * Owns: the keys, and which accounts are impersonated. The transactions it returns, signed or not, include their
 * sender, so that it is not recovered from the signature.
 */

import { bigintToBytes32, bytesToHex, concatBytes, hexToBytes } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { TypedData } from '../../base/crypto/typedData.ts'
import type { Address, DevAccount, Hex, MaybePromise } from '../../base/types.ts'
import { signTransaction, toUnsignedTransaction } from '../../ethereum/evm/transactionEncoding.ts'
import type { Transaction, TxEnv } from '../../ethereum/transaction.ts'
import type { Recorder } from '../ledger/storedChange.ts'
import { UnknownAccountError } from './errors.ts'

/** Which accounts are impersonated; a value, replaced as a whole. */
export interface Impersonation {
  /** Whether every account is impersonated; undefined if no request has set it: then the chain's option applies. */
  readonly everyone: boolean | undefined
  readonly accounts: ReadonlySet<Address>
}

const NO_IMPERSONATION: Impersonation = { everyone: undefined, accounts: new Set() }

/** See the file's header. */
export class Signers {
  readonly #keys: ReadonlyMap<Address, Hex>
  readonly #chainId: () => bigint
  readonly #crypto: Crypto
  readonly #listeners = new Set<() => void>()
  readonly #autoImpersonate: boolean
  readonly #record: Recorder<Impersonation> | undefined
  #impersonation = NO_IMPERSONATION

  /**
   * @param chainId - returns the chain id of new transactions.
   * @param autoImpersonate - whether every account is impersonated unless {@link impersonateEveryone} has set that.
   * @param record - writes each change to the chain's database, if it has one.
   */
  constructor(
    accounts: readonly DevAccount[],
    chainId: () => bigint,
    crypto: Crypto,
    autoImpersonate: boolean,
    record?: Recorder<Impersonation>,
  ) {
    this.#autoImpersonate = autoImpersonate
    this.#record = record
    this.#keys = new Map(accounts.map(({ address, privateKey }) => [address, privateKey]))
    this.#chainId = chainId
    this.#crypto = crypto
  }

  /** The accounts with a key, then those impersonated individually, if they are wanted. */
  accounts(impersonated = true): Address[] {
    return [...new Set([...this.#keys.keys(), ...(impersonated ? this.#impersonation.accounts : [])])]
  }

  /** Which accounts are impersonated. */
  get impersonation(): Impersonation {
    return this.#impersonation
  }

  /** Sets which accounts are impersonated to what an earlier run has recorded. */
  resume(impersonation: Impersonation): void {
    this.#set(impersonation)
  }

  /** Captures which accounts are impersonated; the returned function restores this. */
  capture(): () => void {
    const now = this.#impersonation
    return () => this.#set(now)
  }

  /** Calls `listener` whenever {@link accounts} has changed, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Lets an account send without a key. @throws DatabaseWriteError, here and below, if that cannot be written. */
  impersonate(address: Address): MaybePromise<void> {
    return this.#change(({ everyone, accounts }) => ({
      everyone,
      accounts: new Set([...accounts, address]),
    }))
  }

  /** Ends the impersonation of one account; {@link impersonateEveryone} is unaffected. */
  stopImpersonating(address: Address): MaybePromise<void> {
    return this.#change(({ everyone, accounts }) => ({
      everyone,
      accounts: new Set([...accounts].filter((one) => one !== address)),
    }))
  }

  /** Lets every account send without a key, or again only those impersonated individually. */
  impersonateEveryone(everyone: boolean): MaybePromise<void> {
    return this.#change((now) => ({ ...now, everyone }))
  }

  /** Whether an account has a key or is impersonated. */
  maySend(address: Address): boolean {
    return this.#keys.has(address) || this.#isImpersonated(address)
  }

  /** @throws UnknownAccountError if the account has no key. */
  checkKey(address: Address): void {
    this.#keyOf(address)
  }

  /** Signs a transaction. @throws UnknownAccountError if there is no key. */
  sign(tx: TxEnv): Transaction {
    return signTransaction(tx, this.#chainId(), hexToBytes(this.#keyOf(tx.from)), this.#crypto)
  }

  /** Signs a transaction, or leaves it unsigned if its sender is impersonated. @throws UnknownAccountError */
  authorize(tx: TxEnv): Transaction {
    const isUnsigned = !this.#keys.has(tx.from) && this.#isImpersonated(tx.from)
    return isUnsigned ? this.toUnsignedTransaction(tx) : this.sign(tx)
  }

  /** A transaction of any sender, without a signature (design, decision 33). */
  toUnsignedTransaction(tx: TxEnv): Transaction {
    return toUnsignedTransaction(tx, this.#chainId(), this.#crypto)
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

  #change(change: (now: Impersonation) => Impersonation): MaybePromise<void> {
    const next = () => change(this.#impersonation)
    if (this.#record === undefined) return this.#set(next())
    return this.#record(next, (value) => this.#set(value))
  }

  #set(next: Impersonation): void {
    if (next === this.#impersonation) return
    const before = this.accounts()
    this.#impersonation = next
    const after = this.accounts()
    if (before.length === after.length && before.every((address, i) => address === after[i])) return
    for (const listener of this.#listeners) listener()
  }

  #isImpersonated(address: Address): boolean {
    const { everyone, accounts } = this.#impersonation
    return (everyone ?? this.#autoImpersonate) || accounts.has(address)
  }

  #keyOf(address: Address): Hex {
    const key = this.#keys.get(address)
    if (key === undefined) throw new UnknownAccountError(address)
    return key
  }
}
