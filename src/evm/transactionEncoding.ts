/** Encodes transactions that the chain itself creates (EIP-2718): signed, unsigned, or only simulated. */

import type { Crypto } from '../crypto/crypto.ts'
import { bigintToBytes, concatBytes, hexToBytes } from '../primitives/bytes.ts'
import { encodeRlp, type RlpItem } from '../primitives/rlp.ts'
import { feeCapOf, type Transaction, type TxEnv, tipCapOf } from '../protocol/transaction.ts'

/** The fields of a signature, or of a substitute for one. */
type SignatureFields = Pick<Transaction, 'v' | 'r' | 's'>

/** Signs a transaction. The result equals that of decoding its bytes, but the sender is not recovered. */
export function signTransaction(
  tx: TxEnv,
  chainId: bigint,
  privateKey: Uint8Array,
  crypto: Crypto,
): Transaction {
  const bound = tx.type === 0 ? [bigintToBytes(chainId), NOTHING, NOTHING] : []
  const { r, s, yParity } = crypto.sign(crypto.keccak256(encode(tx, chainId, bound)), privateKey)
  return complete(tx, chainId, { v: toV(tx, chainId, yParity), r, s }, crypto)
}

/**
 * The transaction of a sender without a key. Instead of a signature, r is the sender, s is 1 and the parity 0 (design,
 * decision 33); for the zero address r is 2^160, since r must not be zero.
 */
export function toUnsignedTransaction(tx: TxEnv, chainId: bigint, crypto: Crypto): Transaction {
  const r = BigInt(tx.from) || 1n << 160n
  return { ...complete(tx, chainId, { v: toV(tx, chainId, 0), r, s: 1n }, crypto), unsigned: true }
}

/** The transaction of a simulated call, with zeros as signature; its hash is the same as in go-ethereum. */
export function toSimulatedTransaction(tx: TxEnv, chainId: bigint, crypto: Crypto): Transaction {
  const { chainId: _, ...simulated } = complete(tx, chainId, { v: 0n, r: 0n, s: 0n }, crypto)
  return tx.type === 0 ? simulated : { ...simulated, chainId }
}

function complete(tx: TxEnv, chainId: bigint, signature: SignatureFields, crypto: Crypto): Transaction {
  const { v, r, s } = signature
  const raw = encode(tx, chainId, [v, r, s].map(bigintToBytes))
  return { ...tx, hash: crypto.keccak256Hex(raw), raw, chainId, v, r, s }
}

/** The `v` of a signature: its parity, combined with the chain id for legacy transactions (EIP-155). */
function toV({ type }: TxEnv, chainId: bigint, yParity: 0 | 1): bigint {
  return type === 0 ? 35n + 2n * chainId + BigInt(yParity) : BigInt(yParity)
}

function encode(tx: TxEnv, chainId: bigint, last: readonly RlpItem[]): Uint8Array {
  const fields = encodeRlp([...fieldsOf(tx, chainId), ...last])
  return tx.type === 0 ? fields : concatBytes(Uint8Array.of(tx.type), fields)
}

const NOTHING = new Uint8Array(0)

function fieldsOf(tx: TxEnv, chainId: bigint): RlpItem[] {
  const to = tx.to === null ? NOTHING : hexToBytes(tx.to)
  const body = [bigintToBytes(tx.gasLimit), to, bigintToBytes(tx.value), tx.data]
  const nonce = bigintToBytes(tx.nonce)
  const feeCap = bigintToBytes(feeCapOf(tx))
  if (tx.type === 0) return [nonce, feeCap, ...body]
  const accessList = (tx.accessList ?? []).map(({ address, storageKeys }) => [
    hexToBytes(address),
    storageKeys.map(hexToBytes),
  ])
  const id = bigintToBytes(chainId)
  if (tx.type === 1) return [id, nonce, feeCap, ...body, accessList]
  const fields = [id, nonce, bigintToBytes(tipCapOf(tx)), feeCap, ...body, accessList]
  if (tx.type === 3) {
    const hashes = (tx.blobVersionedHashes ?? []).map(hexToBytes)
    return [...fields, bigintToBytes(tx.maxFeePerBlobGas ?? 0n), hashes]
  }
  if (tx.type === 4) return [...fields, (tx.authorizationList ?? []).map(authorizationFields)]
  return fields
}

function authorizationFields({
  chainId,
  address,
  nonce,
  yParity,
  r,
  s,
}: NonNullable<TxEnv['authorizationList']>[number]): RlpItem {
  const [id, count, parity, ...signature] = [chainId, nonce, BigInt(yParity), r, s].map(bigintToBytes)
  return [id!, hexToBytes(address), count!, parity!, ...signature]
}
