/** Decodes transactions from their bytes. */
import type { Common } from '@ethereumjs/common'
import { createTxFromRLP, type TypedTransaction } from '@ethereumjs/tx'
import type { KZG } from '@ethereumjs/util'
import type { Crypto } from '../crypto/crypto.ts'
import { InvalidSenderError } from '../crypto/errors.ts'
import { commonOf } from '../evm/ethereumjs/common.ts'
import { bigintToBytes, bytesToBigint, bytesToHex, concatBytes } from '../primitives/bytes.ts'
import { decodeRlp, encodeRlp, isRlpWithin, rlpListPrefix, rlpSize } from '../primitives/rlp.ts'
import type { AccessListEntry, Address } from '../primitives/types.ts'
import {
  BlobCreationError,
  BlobHashVersionError,
  ChainIdMismatchError,
  EmptyAuthorizationListError,
  InitCodeTooLargeError,
  MissingBlobHashesError,
  NonceMaxError,
  SetCodeCreationError,
  TipAboveFeeCapError,
  TooManyBlobsError,
  TransactionDecodeError,
  TransactionGasLimitError,
  TransactionTypeError,
} from '../protocol/errors.ts'
import { MAX_INIT_CODE_SIZE, MAX_TRANSACTION_GAS } from '../protocol/gas.ts'
import type { Rules } from '../protocol/rules.ts'
import { type Authorization, GAS_PER_BLOB, type Transaction } from '../protocol/transaction.ts'

/**
 * Decodes a transaction's bytes (EIP-2718) and recovers its sender. A blob transaction has the form that blocks
 * contain, without a sidecar (EIP-4844); it is decoded even if the mempool accepts none.
 *
 * @param sender - of an unsigned transaction, for which nothing is recovered.
 * @throws TransactionDecodeError if the bytes are not a transaction
 * @throws TransactionTypeError if its type is not active yet
 * @throws ChainIdMismatchError if it was signed for another chain
 * @throws InvalidSenderError if the signature is invalid
 * @throws NonceMaxError, InitCodeTooLargeError, TransactionGasLimitError, TipAboveFeeCapError, SetCodeCreationError,
 *   EmptyAuthorizationListError if a field is not valid in any transaction
 */
export function decodeTransaction(
  raw: Uint8Array,
  rules: Rules,
  crypto: Crypto,
  sender?: Address,
): Transaction {
  const type = raw[0]! < 0x80 ? raw[0]! : 0
  if (raw[0]! < 0x80 && (type === 0 || type > 4)) throw new TransactionTypeError()
  if (type === 3 && !rules.fork.cancun) throw new TransactionTypeError()
  if (type === 4 && !rules.fork.prague) throw new TransactionTypeError()
  const typed = parseTransaction(raw, rules, crypto)
  const { v, r, s } = typed
  if (v === undefined || r === undefined || s === undefined) throw new InvalidSenderError()
  const { chainId, yParity } = readV(type, v, rules)
  const recover = (): Address => {
    const bound = type === 0 && chainId !== undefined ? [chainId, 0n, 0n] : []
    const hash = crypto.keccak256(replaceSignature(raw, [v, r, s], bound))
    return crypto.addressOf(crypto.recover(hash, r, s, yParity))
  }
  // Assigned field by field: spreads would give each transaction its own hidden class.
  const tx: { -readonly [Field in keyof Transaction]: Transaction[Field] } = {
    type: type as Transaction['type'],
    from: sender ?? recover(),
    hash: crypto.keccak256Hex(raw),
    raw,
    to: typed.to === undefined ? null : bytesToHex(typed.to.bytes),
    nonce: typed.nonce,
    gasLimit: typed.gasLimit,
    value: typed.value,
    data: typed.data.length === 0 ? NO_DATA : typed.data,
    v,
    r,
    s,
  }
  if (sender !== undefined) tx.unsigned = true
  if (chainId !== undefined) tx.chainId = chainId
  if ('gasPrice' in typed) tx.gasPrice = typed.gasPrice
  if ('maxFeePerGas' in typed) {
    tx.maxFeePerGas = typed.maxFeePerGas
    tx.maxPriorityFeePerGas = typed.maxPriorityFeePerGas
  }
  if ('accessList' in typed) {
    tx.accessList = typed.accessList.length === 0 ? NO_ACCESS_LIST : typed.accessList.map(toAccessListEntry)
  }
  if ('blobVersionedHashes' in typed) {
    tx.blobVersionedHashes = typed.blobVersionedHashes
    tx.maxFeePerBlobGas = typed.maxFeePerBlobGas
  }
  if ('authorizationList' in typed) tx.authorizationList = typed.authorizationList.map(toAuthorization)
  return tx
}

const NO_DATA = new Uint8Array(0)
const NO_ACCESS_LIST: readonly AccessListEntry[] = []

/**
 * A transaction's bytes with other fields in place of the signature: in the signed message, none, or the chain id and
 * two zeros (EIP-155).
 */
function replaceSignature(
  raw: Uint8Array,
  signature: readonly bigint[],
  fields: readonly bigint[],
): Uint8Array {
  const list = raw[0]! < 0x80 ? 1 : 0
  const start = list + (raw[list]! < 0xf8 ? 1 : raw[list]! - 0xf6)
  let end = raw.length
  for (const field of signature) end -= rlpSize(bigintToBytes(field))
  const content = concatBytes(raw.subarray(start, end), ...fields.map((n) => encodeRlp(bigintToBytes(n))))
  return concatBytes(raw.subarray(0, list), rlpListPrefix(content.length), content)
}

/**
 * Parses a transaction to @ethereumjs' type, without checking the signature.
 *
 * @throws TransactionRejectedError as for {@link decodeTransaction}.
 */
export function parseTransaction(raw: Uint8Array, rules: Rules, crypto: Crypto): TypedTransaction {
  const common = commonOf(rules, crypto)
  checkRlp(raw[0]! < 0x80 ? raw.subarray(1) : raw)
  let typed: TypedTransaction
  try {
    typed = createTxFromRLP(raw, { common: raw[0] === 3 ? withKZG(common) : common })
  } catch (error) {
    throw translate(error, raw, rules.chainId)
  }
  // @ethereumjs accepts an empty string as an empty list; no other implementation accepts those bytes.
  const encoded = typed.serialize()
  if (encoded.length !== raw.length || encoded.some((byte, i) => byte !== raw[i])) {
    throw new TransactionDecodeError('not a canonical encoding')
  }
  return typed
}

/** The limits of a transaction's RLP: items, above what any usual gas limit can pay for, and the depth of lists. */
const [MAX_ITEMS, MAX_DEPTH] = [100_000, 8] as const

/**
 * Bounds the time it takes to decode a transaction or its wrapper.
 *
 * @param rlp - without its type.
 * @throws TransactionDecodeError
 */
export function checkRlp(rlp: Uint8Array): void {
  if (isRlpWithin(rlp, MAX_ITEMS, MAX_DEPTH)) return
  throw new TransactionDecodeError(`more than ${MAX_ITEMS} items, or lists nested deeper than ${MAX_DEPTH}`)
}

/** @ethereumjs requires a KZG library to parse a blob transaction, but does not call it without blobs. */
function withKZG(common: Common): Common {
  const customCrypto = { ...common.customCrypto, kzg: {} as KZG }
  return Object.create(common, { customCrypto: { value: customCrypto } })
}

/** Converts an error of @ethereumjs by its message, since its errors have no codes. */
function translate(error: unknown, raw: Uint8Array, chainId: bigint): Error {
  // @ethereumjs does not check all shapes: for some it fails with a TypeError.
  if (!(error instanceof Error) || error instanceof TypeError) {
    return new TransactionDecodeError('invalid transaction')
  }
  const { message } = error
  if (/s-values greater|Invalid Signature|The y-parity of the transaction|Legacy txs need/.test(message)) {
    return new InvalidSenderError()
  }
  const derived = /derived chain ID (\d+)/.exec(message)?.[1]
  if (derived !== undefined) return new ChainIdMismatchError(BigInt(derived), chainId)
  if (/Incompatible EIP155-based V/.test(message)) {
    // The message has v as a double.
    const v = bytesToBigint((decodeRlp(raw) as Uint8Array[])[6]!)
    return new ChainIdMismatchError((v - 35n) / 2n, chainId)
  }
  if (/authorization list is empty/.test(message)) return new EmptyAuthorizationListError()
  if (/nonce cannot equal or exceed/.test(message)) return new NonceMaxError()
  if (/initcode size/.test(message)) {
    return new InitCodeTooLargeError(Number(/it is (\d+)/.exec(message)?.[1]), BigInt(MAX_INIT_CODE_SIZE))
  }
  if (/EIP-7825/.test(message)) {
    return new TransactionGasLimitError(MAX_TRANSACTION_GAS, BigInt(/limit (\d+)/.exec(message)?.[1] ?? 0))
  }
  if (/maxFeePerGas cannot be less than maxPriorityFeePerGas/.test(message)) return new TipAboveFeeCapError()
  if (/cannot be used to create contracts/.test(message)) {
    return raw[0] === 3 ? new BlobCreationError() : new SetCodeCreationError()
  }
  if (/at least one blob/.test(message)) return new MissingBlobHashesError()
  const [, blobGas, maxBlobGas] = /total blob gas of (\d+) .* block of (\d+)/.exec(message) ?? []
  if (blobGas !== undefined) return new TooManyBlobsError(toBlobs(blobGas), toBlobs(maxBlobGas!))
  const [, blobs, maxBlobs] = /(\d+) blobs exceeds max (\d+)/.exec(message) ?? []
  if (blobs !== undefined) return new TooManyBlobsError(Number(blobs), Number(maxBlobs))
  if (/versioned hash does not start/.test(message)) {
    const hashes = (decodeRlp(raw.subarray(1)) as Uint8Array[][])[10]!
    return new BlobHashVersionError(hashes.findIndex(([version]) => version !== 1))
  }
  const [reason = 'invalid transaction'] = message.split(' (')
  return new TransactionDecodeError(reason)
}

function toBlobs(blobGas: string): number {
  return Number(BigInt(blobGas) / GAS_PER_BLOB)
}

/** The chain id and parity in v (EIP-155). */
function readV(type: number, v: bigint, { chainId }: Rules): { chainId?: bigint; yParity: number } {
  if (type !== 0) return { chainId, yParity: Number(v) }
  // @ethereumjs has rejected all values of v except 27, 28 and those of this chain.
  return v < 35n ? { yParity: Number(v - 27n) } : { chainId, yParity: Number((v - 35n) % 2n) }
}

function toAccessListEntry([address, storageKeys]: readonly [
  Uint8Array,
  readonly Uint8Array[],
]): AccessListEntry {
  return { address: bytesToHex(address), storageKeys: storageKeys.map(bytesToHex) }
}

type AuthorizationBytes = readonly [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]

function toAuthorization([chainId, address, nonce, yParity, r, s]: AuthorizationBytes): Authorization {
  return {
    chainId: bytesToBigint(chainId),
    address: bytesToHex(address),
    nonce: bytesToBigint(nonce),
    yParity: Number(bytesToBigint(yParity)),
    r: bytesToBigint(r),
    s: bytesToBigint(s),
  }
}
