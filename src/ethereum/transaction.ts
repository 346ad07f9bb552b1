/**
 * Transactions as plain data, and the values that follow from their fees.
 *
 * Independent of engines and the wire: scalars are bigints in wei or gas, addresses and hashes are lower case.
 */

import type { AccessListEntry, Address, Hash } from '../base/types.ts'

/** The blob gas of one blob, 2^17 (EIP-4844). */
export const GAS_PER_BLOB = 131_072n

/** The number of cells of an extended blob; each cell has a proof (EIP-7594). */
export const CELLS_PER_BLOB = 128

/** The maximum nonce of an account, which no transaction can use (EIP-2681). */
export const MAX_NONCE = 2n ** 64n - 1n

/** Shared by all transactions without data. */
export const NO_DATA = new Uint8Array(0)

/** Shared by all transactions with an empty access list. */
export const NO_ACCESS_LIST: readonly AccessListEntry[] = []

/** A signed authorisation of an EIP-7702 transaction, not validated. */
export interface Authorization {
  readonly chainId: bigint
  /** The account that the authority delegates to; the zero address clears the delegation. */
  readonly address: Address
  /** The authority's nonce, below 2^64. */
  readonly nonce: bigint
  /** 0 to 255; above 1 no signer can be recovered, and the entry is skipped. */
  readonly yParity: number
  readonly r: bigint
  readonly s: bigint
}

/** The type of a transaction (EIP-2718); 0 is legacy. */
export type TransactionType = 0 | 1 | 2 | 3 | 4

/** The fields of a transaction or a call, without its sender. */
export interface TxFields {
  readonly type: TransactionType
  /** The called account; null creates a contract. */
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
  /** The hashed bytes: the EIP-2718 envelope. */
  readonly raw: Uint8Array
  /** Absent if the signature has no chain id (before EIP-155). */
  readonly chainId?: bigint
  /** As signed: 27 or 28, EIP-155's, or the parity of a typed transaction. */
  readonly v: bigint
  readonly r: bigint
  readonly s: bigint
  /** True if the sender has no key here. The sender is stored with it, and the signature is meaningless. */
  readonly unsigned?: true
  /** The transactions of its bundle in order, including itself; absent outside a bundle. */
  readonly bundle?: readonly Transaction[]
}

/** The most that the sender pays per gas, in wei (EIP-1559); for types 0 and 1 the gas price. */
export function feeCapOf(tx: TxFields): bigint {
  return (tx.type < 2 ? tx.gasPrice : tx.maxFeePerGas) ?? 0n
}

/** The most that the coinbase receives per gas, in wei (EIP-1559); for types 0 and 1 the gas price. */
export function tipCapOf(tx: TxFields): bigint {
  return (tx.type < 2 ? tx.gasPrice : tx.maxPriorityFeePerGas) ?? 0n
}

/** The price per gas at a base fee, in wei: base fee plus tip cap, at most the fee cap (EIP-1559). */
export function effectiveGasPrice(tx: TxEnv, baseFee: bigint): bigint {
  return baseFee + effectiveTip(tx, baseFee)
}

/** The coinbase's tip per gas at a base fee, in wei (EIP-1559); negative if the fee cap is below the base fee. */
export function effectiveTip(tx: TxEnv, baseFee: bigint): bigint {
  const tipCap = tipCapOf(tx)
  const left = feeCapOf(tx) - baseFee
  if (left < tipCap) return left
  return tipCap
}

/** The most that a transaction can cost its sender, in wei: gas at the fee cap, value and blobs. */
export function maxCost(tx: TxEnv): bigint {
  return tx.gasLimit * feeCapOf(tx) + tx.value + blobGasOf(tx) * (tx.maxFeePerBlobGas ?? 0n)
}

/** Returns the blob gas of a transaction, which is paid for even if it fails; 0 without blobs. */
export function blobGasOf({ blobVersionedHashes }: TxEnv): bigint {
  return blobVersionedHashes === undefined ? 0n : BigInt(blobVersionedHashes.length) * GAS_PER_BLOB
}

/** Returns the sum of the gas limits, the most that these transactions can use. */
export function gasOf(transactions: readonly Pick<TxEnv, 'gasLimit'>[]): bigint {
  return transactions.reduce((sum, { gasLimit }) => sum + gasLimit, 0n)
}

// Bundles: transactions of one sender, included in a row and all successful, or not included at all.

/**
 * Bundles transactions: returns copies that refer to the whole bundle.
 *
 * @param transactions - of one sender, with rising nonces and no gap.
 */
export function bundle(transactions: readonly Transaction[]): readonly Transaction[] {
  const whole: Transaction[] = []
  for (const transaction of transactions) whole.push({ ...transaction, bundle: whole })
  return whole
}

/** The unit of inclusion of a transaction: its bundle, or itself. */
export function unitOf(transaction: Transaction): readonly Transaction[] {
  return transaction.bundle ?? [transaction]
}

/** Groups transactions into units of inclusion, in the order of their first transactions. Omits incomplete bundles. */
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

/** Returns the hashes, with all hashes of their bundles. @param transactions - the transactions to look them up in. */
export function withBundles(
  hashes: ReadonlySet<Hash>,
  transactions: readonly Transaction[],
): ReadonlySet<Hash> {
  const units = transactions.filter(({ hash }) => hashes.has(hash)).flatMap(unitOf)
  return new Set([...hashes, ...units.map(({ hash }) => hash)])
}
