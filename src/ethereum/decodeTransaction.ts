/**
 * Decodes transactions from their bytes (EIP-2718).
 *
 * Checks the rules of `validity.ts` that depend on the transaction and the fork alone, in a fixed order, so that every
 * {@link DecodeTransaction} refuses a transaction with the same error.
 */

import { bigintToBytes, bytesToHex, concatBytes, MAX_UINT256 } from '../base/bytes.ts'
import { type Crypto, CURVE_ORDER, HALF_CURVE_ORDER } from '../base/crypto/crypto.ts'
import { InvalidSenderError } from '../base/crypto/errors.ts'
import { encodeRlp, rlpListPrefix } from '../base/rlp.ts'
import type { Address, Mutable } from '../base/types.ts'
import { BlobCreationError, NonceMaxError, TransactionDecodeError, TransactionTypeError } from './errors.ts'
import type { Rules } from './rules.ts'
import { NO_DATA, type Transaction, type TransactionType } from './transaction.ts'
import { readAccessList, readAuthorizations, readBlobHashes, TransactionFields } from './transactionFields.ts'
import {
  checkBlobCount,
  checkChainId,
  checkGasCap,
  checkInitCode,
  checkNonceRange,
  checkSetCode,
  checkTip,
  checkType,
  refuse,
  type TypeRules,
} from './validity.ts'

/**
 * Decodes a transaction's bytes (EIP-2718) and recovers its sender. A blob transaction comes as in blocks, without a
 * sidecar (EIP-4844), and is decoded even if the mempool accepts none.
 *
 * @param sender - the sender of an unsigned transaction; then none is recovered.
 * @throws TransactionDecodeError if the bytes are not a transaction
 * @throws TransactionTypeError if its type is not active yet
 * @throws ChainIdMismatchError if it was signed for a different chain
 * @throws InvalidSenderError if the signature is invalid
 * @throws NonceMaxError, InitCodeTooLargeError, TransactionGasLimitError, TipAboveFeeCapError, SetCodeCreationError,
 * EmptyAuthorizationListError, BlobCreationError, MissingBlobHashesError, TooManyBlobsError, BlobHashVersionError if a
 * field breaks the rule in `validity.ts` with this error
 */
export type DecodeTransaction = (
  raw: Uint8Array,
  rules: Rules,
  crypto: Crypto,
  sender?: Address,
) => Transaction

/** The fields that a transaction's bytes determine, and its hash. */
type SignedFields = Omit<Transaction, 'from' | 'unsigned' | 'bundle'>

/** See {@link DecodeTransaction}. */
export const decodeTransaction: DecodeTransaction = (raw, rules, crypto, sender) => {
  const type = typeOf(raw, rules)
  const fields = new TransactionFields(raw, type)
  // The type decides only the fields before `gasLimit` and from the access list on.
  const nonce = type === 0 ? 0 : 1
  const gasLimit = nonce + (type < 2 ? 2 : 3)
  const { signature } = fields
  // In the order in which the fields are checked.
  const tx: Mutable<SignedFields> = {
    type,
    raw,
    to: readRecipient(fields, gasLimit + 1),
    value: fields.uint256(gasLimit + 2),
    r: fields.uint256(signature + 1),
    s: fields.uint256(signature + 2),
    gasLimit: fields.uint64(gasLimit),
    nonce: readNonce(fields, nonce),
    data: fields.size(gasLimit + 3) === 0 ? NO_DATA : fields.bytes(gasLimit + 3),
    v: fields.integer(signature),
    hash: crypto.keccak256Hex(raw),
  }
  refuse(checkNonceRange(tx.nonce))
  refuse(checkGasCap(tx, rules.maxTransactionGas))
  refuse(checkInitCode(tx, rules.maxInitCodeSize))
  if (type === 0) readLegacy(tx, fields, rules)
  else readTyped(tx, fields, rules)
  const hasLeadingZero = type !== 0 && fields.size(0) > 0 && raw[fields.starts[0]!] === 0
  if (!fields.isSigned || hasLeadingZero) throw new TransactionDecodeError('not a canonical encoding')
  const isAbsent = type === 0 && tx.v === 0n
  if (isAbsent || tx.r === 0n || tx.s === 0n) throw new InvalidSenderError()
  return toTransaction(tx, sender ?? recoverSender(tx, fields, rules, crypto), sender !== undefined)
}

/** Creates a transaction. Fields are assigned one by one: spreads would give each transaction its own hidden class. */
export function toTransaction(fields: SignedFields, from: Address, unsigned: boolean): Transaction {
  const tx: Mutable<Transaction> = {
    type: fields.type,
    from,
    hash: fields.hash,
    raw: fields.raw,
    to: fields.to,
    nonce: fields.nonce,
    gasLimit: fields.gasLimit,
    value: fields.value,
    data: fields.data,
    v: fields.v,
    r: fields.r,
    s: fields.s,
  }
  if (unsigned) tx.unsigned = true
  if (fields.chainId !== undefined) tx.chainId = fields.chainId
  if (fields.gasPrice !== undefined) tx.gasPrice = fields.gasPrice
  if (fields.maxFeePerGas !== undefined) {
    tx.maxFeePerGas = fields.maxFeePerGas
    tx.maxPriorityFeePerGas = fields.maxPriorityFeePerGas!
  }
  if (fields.accessList !== undefined) tx.accessList = fields.accessList
  if (fields.blobVersionedHashes !== undefined) {
    tx.blobVersionedHashes = fields.blobVersionedHashes
    tx.maxFeePerBlobGas = fields.maxFeePerBlobGas!
  }
  if (fields.authorizationList !== undefined) tx.authorizationList = fields.authorizationList
  return tx
}

/**
 * Reads the type from the first byte; bytes without a type are a legacy transaction.
 *
 * @throws TransactionTypeError if it is unknown or not active yet
 */
export function typeOf(raw: Uint8Array, rules: TypeRules): TransactionType {
  const first = raw[0]
  if (first === undefined || first >= 0x80) return 0
  if (first === 0 || first > 4) throw new TransactionTypeError()
  const type = first as TransactionType
  refuse(checkType({ type }, rules))
  return type
}

function readRecipient(fields: TransactionFields, field: number): Address | null {
  const size = fields.size(field)
  if (size === 0) return null
  if (size !== 20) throw new TransactionDecodeError('Invalid address length')
  return bytesToHex(fields.raw.subarray(fields.starts[field], fields.ends[field]))
}

function readNonce(fields: TransactionFields, field: number): bigint {
  if (fields.size(field) > 8) throw new NonceMaxError()
  return fields.integer(field)
}

function readLegacy(tx: Mutable<SignedFields>, fields: TransactionFields, rules: Rules): void {
  tx.gasPrice = fields.uint256(1)
  // Without v, or with 0, the transaction is unsigned.
  if (tx.v !== 0n && tx.v !== 27n && tx.v !== 28n) {
    if (tx.v < 37n || !rules.fork.spuriousDragon) throw new InvalidSenderError()
    tx.chainId = (tx.v - 35n) >> 1n
    refuse(checkChainId(tx, rules.chainId))
  }
  checkTotal(tx.gasPrice, tx.gasLimit, 'gas limit * gasPrice')
}

function readTyped(tx: Mutable<SignedFields>, fields: TransactionFields, rules: Rules): void {
  const { type } = tx
  const accessList = type === 1 ? 7 : 8
  tx.chainId = fields.integer(0)
  refuse(checkChainId(tx, rules.chainId))
  tx.accessList = readAccessList(fields, accessList)
  if (type === 4) tx.authorizationList = readAuthorizations(fields, accessList + 1)
  if (type === 1) {
    tx.gasPrice = fields.uint256(2)
    checkTotal(tx.gasPrice, tx.gasLimit, 'gasLimit * gasPrice')
  } else {
    tx.maxFeePerGas = fields.uint256(3)
    tx.maxPriorityFeePerGas = fields.uint256(2)
    checkTotal(tx.maxFeePerGas, tx.gasLimit, 'gasLimit * maxFeePerGas')
    refuse(checkTip(tx))
  }
  if (type === 3) tx.maxFeePerBlobGas = fields.uint256(accessList + 1)
  if (tx.v > 1n || tx.s > HALF_CURVE_ORDER) throw new InvalidSenderError()
  if (type === 3) {
    tx.blobVersionedHashes = readBlobHashes(fields, accessList + 2)
    refuse(checkBlobCount(tx.blobVersionedHashes.length, rules.fork, rules.blobs.maxGas))
    if (tx.to === null) throw new BlobCreationError()
  }
  if (type === 4) refuse(checkSetCode(tx))
}

function checkTotal(price: bigint, gasLimit: bigint, name: string): void {
  if (price * gasLimit > MAX_UINT256) throw new TransactionDecodeError(`${name} cannot exceed MAX_INTEGER`)
}

function recoverSender(
  { type, v, r, s, chainId }: SignedFields,
  fields: TransactionFields,
  { fork }: Rules,
  crypto: Crypto,
): Address {
  const hash = crypto.keccak256(signedMessage(fields, type === 0 ? chainId : undefined))
  const yParity = type !== 0 ? Number(v) : Number(chainId === undefined ? v - 27n : (v - 35n) & 1n)
  // Before Homestead s may be in the upper half (EIP-2); the mirrored signature has the same signer.
  const isHigh = s > HALF_CURVE_ORDER && !fork.homestead
  const publicKey = isHigh
    ? crypto.recover(hash, r, CURVE_ORDER - s, 1 - yParity)
    : crypto.recover(hash, r, s, yParity)
  return crypto.addressOf(publicKey)
}

/**
 * The signed message: the transaction's bytes without the signature, with the RLP prefix of the list that remains.
 * EIP-155 appends the chain id and two zeros to a legacy transaction.
 */
function signedMessage({ raw, type, start, end }: TransactionFields, chainId?: bigint): Uint8Array {
  const bound = chainId === undefined ? [] : [encodeRlp(bigintToBytes(chainId)), TWO_ZEROS]
  let size = end - start
  for (const { length } of bound) size += length
  const typed = type === 0 ? 0 : 1
  return concatBytes(raw.subarray(0, typed), rlpListPrefix(size), raw.subarray(start, end), ...bound)
}

const TWO_ZEROS = Uint8Array.of(0x80, 0x80)
