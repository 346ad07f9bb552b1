/** Signed transactions from their bytes. */
import { createTxFromRLP, type TypedTransaction } from '@ethereumjs/tx'
import { bytesToBigint, bytesToHex } from '../bytes.ts'
import type { Crypto } from '../crypto.ts'
import {
  BlobsRefusedError,
  ChainIdMismatchError,
  InitCodeTooLargeError,
  InvalidSenderError,
  NonceMaxError,
  SetCodeCreationError,
  TipAboveFeeCapError,
  TransactionDecodeError,
  TransactionGasLimitError,
  TransactionTypeError,
} from '../errors.ts'
import { MAX_INIT_CODE_SIZE, MAX_TRANSACTION_GAS } from '../gas.ts'
import type { Rules } from '../rules.ts'
import type { Authorization, Transaction } from '../transaction.ts'
import type { AccessListEntry } from '../types.ts'

/**
 * Decodes a transaction's bytes (EIP-2718) and recovers its sender.
 *
 * @throws TransactionDecodeError where the bytes are no transaction
 * @throws TransactionTypeError, BlobsRefusedError where its type is not accepted
 * @throws ChainIdMismatchError where it was signed for another chain
 * @throws InvalidSenderError where the signature does not hold
 * @throws NonceMaxError, InitCodeTooLargeError, TransactionGasLimitError, TipAboveFeeCapError, SetCodeCreationError
 *   where a field cannot be carried by any transaction
 */
export function decodeTransaction(raw: Uint8Array, rules: Rules, crypto: Crypto): Transaction {
  const type = raw[0]! < 0x80 ? raw[0]! : 0
  if (raw[0]! < 0x80 && (type === 0 || type > 4)) throw new TransactionTypeError()
  if (type === 3) throw rules.fork.cancun ? new BlobsRefusedError() : new TransactionTypeError()
  if (type === 4 && !rules.fork.prague) throw new TransactionTypeError()
  const typed = decode(raw, rules)
  const { v, r, s } = typed
  if (v === undefined || r === undefined || s === undefined) throw new InvalidSenderError()
  const { chainId, yParity } = readV(type, v, rules.chainId)
  const publicKey = crypto.recover(typed.getHashedMessageToSign(), r, s, yParity)
  return {
    ...fieldsOf(typed),
    type: type as Transaction['type'],
    from: crypto.addressOf(publicKey),
    hash: crypto.keccak256Hex(raw),
    raw,
    v,
    r,
    s,
    ...(chainId !== undefined && { chainId }),
  }
}

function decode(raw: Uint8Array, { common, chainId }: Rules): TypedTransaction {
  try {
    return createTxFromRLP(raw, { common })
  } catch (error) {
    throw translate(error instanceof Error ? error.message : String(error), chainId)
  }
}

/** @ethereumjs' errors have no codes; these are the messages it constructs its transactions with. */
function translate(message: string, chainId: bigint): Error {
  if (/high|s-value|Invalid Signature|yParity|v-value/i.test(message)) return new InvalidSenderError()
  if (/chain ID/i.test(message)) {
    const got = /derived chain ID (\d+)/.exec(message)?.[1] ?? /chainId of (\d+)/.exec(message)?.[1]
    return new ChainIdMismatchError(BigInt(got ?? 0), chainId)
  }
  if (/nonce cannot equal or exceed/.test(message)) return new NonceMaxError()
  if (/initcode size/.test(message)) {
    return new InitCodeTooLargeError(Number(/it is (\d+)/.exec(message)?.[1]), BigInt(MAX_INIT_CODE_SIZE))
  }
  if (/EIP-7825/.test(message)) {
    return new TransactionGasLimitError(MAX_TRANSACTION_GAS, BigInt(/limit (\d+)/.exec(message)?.[1] ?? 0))
  }
  if (/maxFeePerGas cannot be less than maxPriorityFeePerGas/.test(message)) return new TipAboveFeeCapError()
  if (/cannot be used to create contracts/.test(message)) return new SetCodeCreationError()
  const [reason = 'invalid transaction'] = message.split(' (')
  return new TransactionDecodeError(reason)
}

/** EIP-155 folds the chain id into v. */
function readV(type: number, v: bigint, expected: bigint): { chainId?: bigint; yParity: number } {
  if (type !== 0) return { chainId: expected, yParity: Number(v) }
  if (v === 27n || v === 28n) return { yParity: Number(v - 27n) }
  if (v < 35n) throw new InvalidSenderError()
  const chainId = (v - 35n) / 2n
  if (chainId !== expected) throw new ChainIdMismatchError(chainId, expected)
  return { chainId, yParity: Number((v - 35n) % 2n) }
}

function fieldsOf(
  typed: TypedTransaction,
): Omit<Transaction, 'type' | 'from' | 'hash' | 'raw' | 'v' | 'r' | 's'> {
  return {
    to: typed.to === undefined ? null : bytesToHex(typed.to.bytes),
    nonce: typed.nonce,
    gasLimit: typed.gasLimit,
    value: typed.value,
    data: typed.data,
    ...('gasPrice' in typed && { gasPrice: typed.gasPrice }),
    ...('maxFeePerGas' in typed && {
      maxFeePerGas: typed.maxFeePerGas,
      maxPriorityFeePerGas: typed.maxPriorityFeePerGas,
    }),
    ...('accessList' in typed && { accessList: typed.accessList.map(toAccessListEntry) }),
    ...('authorizationList' in typed && { authorizationList: typed.authorizationList.map(toAuthorization) }),
  }
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
