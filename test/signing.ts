/** A cache of accounts and signatures: these are deterministic, and slower than most of what tests do with them. */
import { type TransactionSerializable, toHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../src/index.ts'

/** Dev account 0. */
export const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
export const ALICE_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

const accounts = new Map<Hex, PrivateKeyAccount>()
/** Short signed transactions by key and fields. */
const signed = new Map<string, Promise<Hex>>()

/** viem's account of a key. */
export function accountOf(privateKey: Hex): PrivateKeyAccount {
  let account = accounts.get(privateKey)
  if (account === undefined) {
    account = privateKeyToAccount(privateKey)
    accounts.set(privateKey, account)
  }
  return account
}

/** Signs a transaction by a key. */
export function signTransaction(privateKey: Hex, transaction: TransactionSerializable): Promise<Hex> {
  const key = JSON.stringify([privateKey, transaction], (_name, value) =>
    typeof value === 'bigint' ? `${value}n` : value instanceof Uint8Array ? toHex(value) : value,
  )
  let raw = signed.get(key)
  if (raw === undefined) {
    raw = accountOf(privateKey).signTransaction(transaction)
    if (key.length < 5000) signed.set(key, raw)
  }
  return raw
}
