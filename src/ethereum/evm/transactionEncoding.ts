/** Encodes transactions that the chain creates (EIP-2718): signed, unsigned, or only simulated. */
import { NO_BYTES } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import {
  copyRlp,
  putByte,
  putHex,
  putInteger,
  putList,
  putString,
  rlpMark,
  startRlp,
  writtenRlp,
} from '../../base/rlp.ts'
import type { AccessListEntry, Hex, Mutable } from '../../base/types.ts'
import { feeCapOf, type Transaction, type TxEnv, tipCapOf } from '../transaction.ts'

type SignatureFields = Pick<Transaction, 'v' | 'r' | 's'>

/** Signs a transaction. Returns it as decoded from its bytes, but takes the sender from `tx` in place of recovering it. */
export function signTransaction(
  tx: TxEnv,
  chainId: bigint,
  privateKey: Uint8Array,
  crypto: Crypto,
): Transaction {
  // EIP-155 signs a legacy transaction with the chain id and two zeros in place of the signature.
  const bound = tx.type === 0 ? { v: chainId, r: 0n, s: 0n } : undefined
  putTransaction(tx, chainId, bound)
  const { r, s, yParity } = crypto.sign(crypto.keccak256(writtenRlp()), privateKey)
  return encodeTransaction(tx, chainId, { v: toV(tx, chainId, yParity), r, s }, crypto)
}

/**
 * Creates the transaction of a sender without a key. In place of a signature, r is the sender, s is 1 and the parity 0
 * (spec.md 33); for the zero address r is 2^160, since r must not be zero. `unsignedSenderOf` reads it.
 */
export function toUnsignedTransaction(tx: TxEnv, chainId: bigint, crypto: Crypto): Transaction {
  const r = BigInt(tx.from) || 1n << 160n
  return { ...encodeTransaction(tx, chainId, { v: toV(tx, chainId, 0), r, s: 1n }, crypto), unsigned: true }
}

const NO_SIGNATURE: SignatureFields = { v: 0n, r: 0n, s: 0n }

/** Creates the transaction of a simulated call, with a signature of zeros; its hash is go-ethereum's. */
export function toSimulatedTransaction(tx: TxEnv, chainId: bigint, crypto: Crypto): Transaction {
  return encodeTransaction(tx, tx.type === 0 ? undefined : chainId, NO_SIGNATURE, crypto)
}

/** Encodes a transaction with a signature. @param chainId - undefined for a legacy transaction bound to no chain. */
export function encodeTransaction(
  tx: TxEnv,
  chainId: bigint | undefined,
  { v, r, s }: SignatureFields,
  crypto: Crypto,
): Transaction {
  putTransaction(tx, chainId, { v, r, s })
  const raw = copyRlp()
  const hash = crypto.keccak256Hex(raw)
  // Listed field by field: a spread takes longer than the encoding.
  const { type, from, to, nonce, gasLimit, value, data, accessList, authorizationList } = tx
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, blobVersionedHashes, maxFeePerBlobGas } = tx
  const completed: Mutable<Transaction> = { type, from, to, nonce, gasLimit, value, data, hash, raw, v, r, s }
  if (gasPrice !== undefined) completed.gasPrice = gasPrice
  if (maxFeePerGas !== undefined) completed.maxFeePerGas = maxFeePerGas
  if (maxPriorityFeePerGas !== undefined) completed.maxPriorityFeePerGas = maxPriorityFeePerGas
  if (accessList !== undefined) completed.accessList = accessList
  if (authorizationList !== undefined) completed.authorizationList = authorizationList
  if (blobVersionedHashes !== undefined) completed.blobVersionedHashes = blobVersionedHashes
  if (maxFeePerBlobGas !== undefined) completed.maxFeePerBlobGas = maxFeePerBlobGas
  if (chainId !== undefined) completed.chainId = chainId
  return completed
}

/** The `v` of a signature: its parity, combined with the chain id in legacy transactions (EIP-155). */
function toV({ type }: TxEnv, chainId: bigint, yParity: 0 | 1): bigint {
  return type === 0 ? 35n + 2n * chainId + BigInt(yParity) : BigInt(yParity)
}

function putTransaction(tx: TxEnv, chainId = 0n, signature: SignatureFields | undefined): void {
  const { type, to } = tx
  startRlp()
  if (signature !== undefined) putIntegers(signature.v, signature.r, signature.s)
  if (type === 4) putAuthorizations(tx.authorizationList ?? [])
  if (type === 3) {
    putHexList(tx.blobVersionedHashes ?? [])
    putInteger(tx.maxFeePerBlobGas ?? 0n)
  }
  if (type > 0) putAccessList(tx.accessList ?? [])
  putString(tx.data)
  putInteger(tx.value)
  if (to === null) putString(NO_BYTES)
  else putHex(to)
  putIntegers(feeCapOf(tx), tx.gasLimit)
  if (type > 1) putInteger(tipCapOf(tx))
  putInteger(tx.nonce)
  if (type > 0) putInteger(chainId)
  putList(0)
  if (type > 0) putByte(type)
}

function putIntegers(...integers: readonly bigint[]): void {
  for (let i = integers.length - 1; i >= 0; i--) putInteger(integers[i]!)
}

function putHexList(items: readonly Hex[]): void {
  const mark = rlpMark()
  for (let i = items.length - 1; i >= 0; i--) putHex(items[i]!)
  putList(mark)
}

function putAccessList(entries: readonly AccessListEntry[]): void {
  const list = rlpMark()
  for (let i = entries.length - 1; i >= 0; i--) {
    const { address, storageKeys } = entries[i]!
    const entry = rlpMark()
    putHexList(storageKeys)
    putHex(address)
    putList(entry)
  }
  putList(list)
}

function putAuthorizations(authorizations: NonNullable<TxEnv['authorizationList']>): void {
  const list = rlpMark()
  for (let i = authorizations.length - 1; i >= 0; i--) {
    const { chainId, address, nonce, yParity, r, s } = authorizations[i]!
    const entry = rlpMark()
    putIntegers(nonce, BigInt(yParity), r, s)
    putHex(address)
    putInteger(chainId)
    putList(entry)
  }
  putList(list)
}
