/**
 * Transactions as plain data, and the values that follow from their fee fields.
 *
 * Independent of engines and of the wire: scalars are bigints in wei or gas, addresses and hashes are lower case.
 */

import type { AccessListEntry, Address, Hash } from '../base/types.ts'

/** The blob gas of one blob (EIP-4844). */
export const GAS_PER_BLOB = 131_072n

/** The cells of an extended blob, each with its own proof (EIP-7594). */
export const CELLS_PER_BLOB = 128

/** The maximum nonce of an account, which no transaction can use (EIP-2681). */
export const MAX_NONCE = 2n ** 64n - 1n

/** The data of all transactions without data. */
export const NO_DATA = new Uint8Array(0)

/** The access list of all transactions with an empty one. */
export const NO_ACCESS_LIST: readonly AccessListEntry[] = []

/** One signed authorisation of an EIP-7702 transaction, not validated. */
export interface Authorization {
  readonly chainId: bigint
  /** The account that the authority delegates to; the zero address clears the delegation. */
  readonly address: Address
  /** The authority's nonce, below 2^64. */
  readonly nonce: bigint
  /** 0 to 255; above 1 no signer can be recovered and the entry is skipped. */
  readonly yParity: number
  readonly r: bigint
  readonly s: bigint
}

/** The type of a transaction (EIP-2718); 0 is a legacy one. */
export type TransactionType = 0 | 1 | 2 | 3 | 4

/** The fields of a transaction or a call, without its sender. */
export interface TxFields {
  readonly type: TransactionType
  /** The account called; null creates a contract. */
  readonly to: Address | null
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** Wei. */
  readonly value: bigint
  readonly data: Uint8Array
  /** Wei per gas; types 0 and 1 only. */
  readonly gasPrice?: bigint
  /** Wei per gas; types 2 to 4 only (EIP-1559). */
  readonly maxFeePerGas?: bigint
  /** Wei per gas; types 2 to 4 only (EIP-1559). */
  readonly maxPriorityFeePerGas?: bigint
  /** Type 1 and above (EIP-2930). */
  readonly accessList?: readonly AccessListEntry[]
  /** Type 4 only (EIP-7702). */
  readonly authorizationList?: readonly Authorization[]
  /** Type 3 only (EIP-4844). */
  readonly blobVersionedHashes?: readonly Hash[]
  /** Wei per blob gas; type 3 only (EIP-4844). */
  readonly maxFeePerBlobGas?: bigint
}

/** The input of an execution: a transaction or a call, signed or not. */
export interface TxEnv extends TxFields {
  readonly from: Address
}

/** A transaction with its sender, hash and signature. */
export interface Transaction extends TxEnv {
  readonly hash: Hash
  /** The bytes that were hashed: the EIP-2718 envelope. */
  readonly raw: Uint8Array
  /** Absent if the signature does not contain a chain id (before EIP-155). */
  readonly chainId?: bigint
  /** As signed: 27 or 28, EIP-155's, or the parity of a typed transaction. */
  readonly v: bigint
  readonly r: bigint
  readonly s: bigint
  /** True if it is unsigned: the sender is stored with it, and the signature's fields have no meaning. */
  readonly unsigned?: true
  /** The transactions of its bundle in order, including itself; absent if it is not in a bundle. */
  readonly bundle?: readonly Transaction[]
}

/** The maximum that the sender pays per gas, in wei (EIP-1559; types 0 and 1: the gas price). */
export function feeCapOf(tx: TxFields): bigint {
  return (tx.type < 2 ? tx.gasPrice : tx.maxFeePerGas) ?? 0n
}

/** The maximum that the coinbase receives per gas, in wei (EIP-1559; types 0 and 1: the gas price). */
export function tipCapOf(tx: TxFields): bigint {
  return (tx.type < 2 ? tx.gasPrice : tx.maxPriorityFeePerGas) ?? 0n
}

/** The price per gas at a base fee, in wei: base fee plus tip cap, or the fee cap if that is lower (EIP-1559). */
export function effectiveGasPrice(tx: TxEnv, baseFee: bigint): bigint {
  return baseFee + effectiveTip(tx, baseFee)
}

/** What the coinbase receives per gas at a base fee, in wei (EIP-1559); negative if the fee cap is below it. */
export function effectiveTip(tx: TxEnv, baseFee: bigint): bigint {
  const tipCap = tipCapOf(tx)
  const left = feeCapOf(tx) - baseFee
  if (left < tipCap) return left
  return tipCap
}

/** The maximum that the transaction can cost its sender: gas at the fee cap, value and blobs, in wei. */
export function maxCost(tx: TxEnv): bigint {
  return tx.gasLimit * feeCapOf(tx) + tx.value + blobGasOf(tx) * (tx.maxFeePerBlobGas ?? 0n)
}

/** The blob gas of a transaction (EIP-4844). */
export function blobGasOf({ blobVersionedHashes }: TxEnv): bigint {
  return blobVersionedHashes === undefined ? 0n : BigInt(blobVersionedHashes.length) * GAS_PER_BLOB
}

/** The sum of transactions' gas limits. */
export function gasOf(transactions: readonly Pick<TxEnv, 'gasLimit'>[]): bigint {
  return transactions.reduce((sum, { gasLimit }) => sum + gasLimit, 0n)
}

// Bundles: transactions of one sender that are included in a row and all succeed, or are not included at all.

/**
 * The same transactions, each with the whole bundle.
 *
 * @param transactions - of one sender, nonces rising without a gap.
 */
export function bundle(transactions: readonly Transaction[]): readonly Transaction[] {
  const whole: Transaction[] = []
  for (const transaction of transactions) whole.push({ ...transaction, bundle: whole })
  return whole
}

/** The unit of inclusion of a transaction: its bundle, or only itself. */
export function unitOf(transaction: Transaction): readonly Transaction[] {
  return transaction.bundle ?? [transaction]
}

/** The units of inclusion of transactions, in the order of their first ones; those of incomplete bundles are omitted. */
export function unitsOf(transactions: readonly Transaction[]): (readonly Transaction[])[] {
  const hashes = new Set(transactions.map(({ hash }) => hash))
  const units: (readonly Transaction[])[] = []
  for (const transaction of transactions) {
    const unit = unitOf(transaction)
    if (unit[0]!.hash !== transaction.hash) continue
    if (unit.every(({ hash }) => hashes.has(hash))) units.push(unit)
  }
  return units
}

/** The hashes, and all hashes of their bundles. @param transactions - where the hashes are looked up. */
export function withBundles(
  hashes: ReadonlySet<Hash>,
  transactions: readonly Transaction[],
): ReadonlySet<Hash> {
  const units = transactions.filter(({ hash }) => hashes.has(hash)).flatMap(unitOf)
  return new Set([...hashes, ...units.map(({ hash }) => hash)])
}
