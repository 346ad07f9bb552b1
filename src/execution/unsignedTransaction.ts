/** Transactions that nobody signed, as blocks that hold them encode them: zeros stand for the signature. */
import { bigintToBytes, concatBytes, hexToBytes } from '../bytes.ts'
import type { Crypto } from '../crypto.ts'
import { encodeRlp, type RlpItem } from '../rlp.ts'
import { feeCapOf, type Transaction, type TxEnv, tipCapOf } from '../transaction.ts'

/** The transaction with its bytes (EIP-2718) and the hash they have; go-ethereum gives a simulated call the same. */
export function toUnsignedTransaction(tx: TxEnv, chainId: bigint, crypto: Crypto): Transaction {
  const fields = encodeRlp([...fieldsOf(tx, chainId), NOTHING, NOTHING, NOTHING])
  const raw = tx.type === 0 ? fields : concatBytes(Uint8Array.of(tx.type), fields)
  const hash = crypto.keccak256Hex(raw)
  return { ...tx, hash, raw, v: 0n, r: 0n, s: 0n, ...(tx.type > 0 && { chainId }) }
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
