/** Parses transactions by @ethereumjs, for its `runBlock` and for comparisons with the chain's decoder. */
import type { Common } from '@ethereumjs/common'
import { createTxFromRLP, type TypedTransaction } from '@ethereumjs/tx'
import type { KZG } from '@ethereumjs/util'
import { bytesToBigint, bytesToHex } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { InvalidSenderError } from '../../base/crypto/errors.ts'
import { decodeRlp } from '../../base/rlp.ts'
import type { AccessListEntry } from '../../base/types.ts'
import { checkRlp, type DecodeTransaction, toTransaction, typeOf } from '../../ethereum/decodeTransaction.ts'
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
} from '../../ethereum/errors.ts'
import { commonOf } from '../../ethereum/evm/ethereumjs/common.ts'
import type { Rules } from '../../ethereum/rules.ts'
import { type Authorization, GAS_PER_BLOB, NO_ACCESS_LIST, NO_DATA } from '../../ethereum/transaction.ts'

/** Decodes by @ethereumjs, with the errors of the chain's decoder. */
export const decodeEthereumjsTransaction: DecodeTransaction = (raw, rules, crypto, sender) => {
  const type = typeOf(raw, rules)
  const typed = parseTransaction(raw, rules, crypto)
  const { v, r, s } = typed
  if (v === undefined || r === undefined || s === undefined) throw new InvalidSenderError()
  const { chainId, yParity } = readV(type, v, rules)
  const recover = () => crypto.addressOf(crypto.recover(typed.getMessageToVerifySignature(), r, s, yParity))
  const fields = {
    type,
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
    ...(chainId !== undefined && { chainId }),
    ...('gasPrice' in typed && { gasPrice: typed.gasPrice }),
    ...('maxFeePerGas' in typed && {
      maxFeePerGas: typed.maxFeePerGas,
      maxPriorityFeePerGas: typed.maxPriorityFeePerGas,
    }),
    ...('accessList' in typed && {
      accessList: typed.accessList.length === 0 ? NO_ACCESS_LIST : typed.accessList.map(toAccessListEntry),
    }),
    ...('blobVersionedHashes' in typed && {
      blobVersionedHashes: typed.blobVersionedHashes,
      maxFeePerBlobGas: typed.maxFeePerBlobGas,
    }),
    ...('authorizationList' in typed && { authorizationList: typed.authorizationList.map(toAuthorization) }),
  }
  return toTransaction(fields, sender ?? recover(), sender !== undefined)
}

/** Parses a transaction, without verifying the signature. @throws TransactionRejectedError like DecodeTransaction */
export function parseTransaction(raw: Uint8Array, rules: Rules, crypto: Crypto): TypedTransaction {
  const common = commonOf(rules, crypto)
  checkRlp(raw, raw[0]! < 0x80 ? 1 : 0)
  let typed: TypedTransaction
  try {
    typed = createTxFromRLP(raw, { common: raw[0] === 3 ? withKZG(common) : common })
  } catch (error) {
    throw translate(error, raw, rules)
  }
  // @ethereumjs accepts transactions without a signature, and leading zeros of chain ids.
  const encoded = typed.serialize()
  if (encoded.length !== raw.length || encoded.some((byte, i) => byte !== raw[i])) {
    throw new TransactionDecodeError('not a canonical encoding')
  }
  return typed
}

/** @ethereumjs requires a KZG library to parse blob transactions, but calls it only for blobs. */
function withKZG(common: Common): Common {
  const customCrypto = { ...common.customCrypto, kzg: {} as KZG }
  return Object.create(common, { customCrypto: { value: customCrypto } })
}

/** Converts an error by its message: @ethereumjs' errors have no codes. */
function translate(error: unknown, raw: Uint8Array, rules: Rules): Error {
  // @ethereumjs does not check all shapes, and fails with a TypeError for some.
  if (!(error instanceof Error) || error instanceof TypeError) {
    return new TransactionDecodeError('invalid transaction')
  }
  const { message } = error
  const { chainId } = rules
  if (/s-values greater|Invalid Signature|The y-parity of the transaction|Legacy txs need/.test(message)) {
    return new InvalidSenderError()
  }
  const derived = /derived chain ID (\d+)/.exec(message)?.[1]
  if (derived !== undefined) return new ChainIdMismatchError(BigInt(derived), chainId)
  if (/Incompatible EIP155-based V/.test(message)) {
    // The message gives v as a double, which may be rounded.
    const v = bytesToBigint((decodeRlp(raw) as Uint8Array[])[6]!)
    return new ChainIdMismatchError((v - 35n) / 2n, chainId)
  }
  if (/authorization list is empty/.test(message)) return new EmptyAuthorizationListError()
  if (/nonce cannot equal or exceed/.test(message)) return new NonceMaxError()
  if (/initcode size/.test(message)) {
    return new InitCodeTooLargeError(Number(/it is (\d+)/.exec(message)?.[1]), BigInt(rules.maxInitCodeSize))
  }
  if (/EIP-7825/.test(message)) {
    const gasLimit = BigInt(/limit (\d+)/.exec(message)?.[1] ?? 0)
    return new TransactionGasLimitError(rules.maxTransactionGas!, gasLimit)
  }
  if (/maxFeePerGas cannot be less than maxPriorityFeePerGas/.test(message)) {
    const fields = decodeRlp(raw.subarray(1)) as Uint8Array[]
    return new TipAboveFeeCapError(bytesToBigint(fields[2]!), bytesToBigint(fields[3]!))
  }
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

/** Reads the chain id and parity from v (EIP-155). */
function readV(type: number, v: bigint, { chainId }: Rules): { chainId?: bigint; yParity: number } {
  if (type !== 0) return { chainId, yParity: Number(v) }
  // @ethereumjs has rejected all values of v except 27, 28 and the two that EIP-155 derives from the chain id.
  return v < 35n ? { yParity: Number(v - 27n) } : { chainId, yParity: Number((v - 35n) % 2n) }
}

type AccessListBytes = readonly [Uint8Array, readonly Uint8Array[]]

function toAccessListEntry([address, storageKeys]: AccessListBytes): AccessListEntry {
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
