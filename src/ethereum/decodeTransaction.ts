/**
 * Decodes transactions from their bytes (EIP-2718). Checks the rules of `validity.ts` that need no state, in a fixed
 * order, so that every {@link DecodeTransaction} refuses a transaction with the same error.
 */
import { bigintToBytes, bytesToBigint, bytesToHex, concatBytes, MAX_UINT256 } from '../base/bytes.ts'
import { type Crypto, CURVE_ORDER, HALF_CURVE_ORDER } from '../base/crypto/crypto.ts'
import { InvalidSenderError } from '../base/crypto/errors.ts'
import { InvalidRlpError } from '../base/errors.ts'
import { encodeRlp, isRlpWithin, RlpCursor, rlpListPrefix } from '../base/rlp.ts'
import type { AccessListEntry, Address, Hash, Mutable } from '../base/types.ts'
import {
  BlobCreationError,
  BlobHashVersionError,
  EmptyAuthorizationListError,
  NonceMaxError,
  TransactionDecodeError,
  TransactionTypeError,
} from './errors.ts'
import type { Rules } from './rules.ts'
import {
  type Authorization,
  NO_ACCESS_LIST,
  NO_DATA,
  type Transaction,
  type TransactionType,
} from './transaction.ts'
import {
  checkBlobCount,
  checkChainId,
  checkGasCap,
  checkInitCode,
  checkNonceRange,
  checkSetCode,
  checkTip,
  checkType,
  isBlobHash,
  refuse,
  type TypeRules,
} from './validity.ts'

/**
 * Decodes a transaction's bytes (EIP-2718) and recovers its sender. A blob transaction comes as in blocks, without a
 * sidecar (EIP-4844), and is decoded even if the mempool accepts none.
 *
 * @param sender - the sender of an unsigned transaction; then none is recovered.
 * @throws TransactionDecodeError, InvalidSenderError, and errors of the rules in `validity.ts`.
 */
export type DecodeTransaction = (
  raw: Uint8Array,
  rules: Rules,
  crypto: Crypto,
  sender?: Address,
) => Transaction

type SignedFields = Omit<Transaction, 'from' | 'unsigned' | 'bundle'>

/** The decoder of the chain. Reads the fields in place, without arrays of them. */
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

/** Reads the type, 0 for bytes without one. @throws TransactionTypeError if it is unknown or not active yet. */
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

// The fields in place: checks the RLP as a whole, and reads fields from it.

/** The maximum number of items, more than a usual gas limit can pay for, and the maximum depth of nested lists. */
const [MAX_ITEMS, MAX_DEPTH] = [100_000, 8] as const

const SIGNATURE = 3

/** A field: an integer without leading zeros, bytes, or a list. */
interface Field {
  readonly name: string
  readonly kind: 'integer' | 'bytes' | 'list'
}

interface Layout {
  readonly name: string
  readonly fields: readonly Field[]
}

const CALL = ['gasLimit', 'to', 'value', 'data']
const FEES = ['chainId', 'nonce', 'maxPriorityFeePerGas', 'maxFeePerGas']
const LAYOUTS: Readonly<Record<TransactionType, Layout>> = {
  0: layoutOf('transaction', 'nonce', 'gasPrice', ...CALL),
  1: layoutOf('EIP-2930 transaction', 'chainId', 'nonce', 'gasPrice', ...CALL, 'accessList'),
  2: layoutOf('EIP-1559 transaction', ...FEES, ...CALL, 'accessList'),
  3: layoutOf(
    'EIP-4844 transaction',
    ...FEES,
    ...CALL,
    'accessList',
    'maxFeePerBlobGas',
    'blobVersionedHashes',
  ),
  4: layoutOf('EIP-7702 transaction', ...FEES, ...CALL, 'accessList', 'authorizationList'),
}

function layoutOf(name: string, ...names: readonly string[]): Layout {
  const kindOf = (field: string): Field['kind'] => {
    if (['accessList', 'blobVersionedHashes', 'authorizationList'].includes(field)) return 'list'
    // The chain id is compared with the chain's before its leading zeros are refused.
    return ['to', 'data', 'chainId'].includes(field) ? 'bytes' : 'integer'
  }
  return { name, fields: [...names, 'v', 'r', 's'].map((field) => ({ name: field, kind: kindOf(field) })) }
}

/** Whether transactions of this type have a field, by its name in {@link Layout}. */
export function hasField(type: TransactionType, field: string): boolean {
  return LAYOUTS[type].fields.some(({ name }) => name === field)
}

/** Bounds the time to decode RLP. @throws TransactionDecodeError if it has too many items or is nested too deeply. */
export function checkRlp(bytes: Uint8Array, start: number): void {
  if (isRlpWithin(bytes, MAX_ITEMS, MAX_DEPTH, start)) return
  throw new TransactionDecodeError(`more than ${MAX_ITEMS} items, or lists nested deeper than ${MAX_DEPTH}`)
}

class TransactionFields {
  /** Whether the signature's fields exist; if not, their contents are empty. */
  readonly isSigned: boolean
  readonly signature: number
  readonly starts: number[] = []
  readonly ends: number[] = []
  /** Where the first field starts, with its prefix. */
  readonly start: number
  /** Reads items within a field; their encoding is already checked. */
  readonly cursor: RlpCursor
  readonly #lists: boolean[] = []
  readonly #layout: Layout

  /**
   * @throws TransactionDecodeError unless the bytes are the canonical RLP of the type's fields, with or without a
   * signature. There must be no list in place of a string, and no leading zeros in integers except the chain id.
   */
  constructor(
    readonly raw: Uint8Array,
    readonly type: TransactionType,
  ) {
    this.cursor = new RlpCursor(raw)
    this.#layout = LAYOUTS[type]
    const { fields } = this.#layout
    this.signature = fields.length - SIGNATURE
    checkRlp(raw, type === 0 ? 0 : 1)
    try {
      this.start = this.#readAll()
    } catch (error) {
      if (!(error instanceof InvalidRlpError)) throw error
      // RLP errors can end in a detail in brackets, which the errors of both decoders leave out.
      const [problem] = error.message.split(' (')
      throw new TransactionDecodeError(problem!)
    }
    const count = this.ends.length
    this.isSigned = count === fields.length
    if (!this.isSigned) {
      if (count !== this.signature) {
        throw new TransactionDecodeError(
          `Invalid ${this.#layout.name}. Only expecting ${this.signature} values`,
        )
      }
      for (let i = count; i < fields.length; i++) this.#add(raw.length, raw.length, false)
    }
    this.#checkKinds()
  }

  /** Where the signature starts, with its prefix. */
  get end(): number {
    return this.ends[this.signature - 1]!
  }

  size(field: number): number {
    return this.ends[field]! - this.starts[field]!
  }

  isList(field: number): boolean {
    return this.#lists[field]!
  }

  bytes(field: number): Uint8Array {
    return this.raw.slice(this.starts[field], this.ends[field])
  }

  integer(field: number): bigint {
    return bytesToBigint(this.raw, this.starts[field], this.ends[field])
  }

  uint256(field: number): bigint {
    if (this.size(field) > 32) this.#refuse(field, 'cannot exceed MAX_INTEGER')
    return this.integer(field)
  }

  uint64(field: number): bigint {
    if (this.size(field) > 8) this.#refuse(field, 'cannot exceed MAX_UINT64')
    return this.integer(field)
  }

  /** Finds all fields. @returns where the first one starts. @throws InvalidRlpError, TransactionDecodeError */
  #readAll(): number {
    const { raw, cursor, type } = this
    const at = type === 0 ? 0 : 1
    if (at >= raw.length) return this.#refuseList()
    cursor.read(at, raw.length)
    const { isList, start, end } = cursor
    if (isList) {
      for (let next = start; next < end; next = cursor.end) {
        cursor.readWhole(next, end)
        this.#add(cursor.start, cursor.end, cursor.isList)
      }
    }
    if (end < raw.length) throw new InvalidRlpError('invalid RLP: remainder must be zero')
    return isList ? start : this.#refuseList()
  }

  #refuseList(): never {
    const must = this.type === 0 ? '. Must' : ': must'
    throw new TransactionDecodeError(`Invalid serialized tx input${must} be array`)
  }

  #add(start: number, end: number, isList: boolean): void {
    this.starts.push(start)
    this.ends.push(end)
    this.#lists.push(isList)
  }

  #checkKinds(): void {
    const { raw, type, starts, ends } = this
    const lists = this.#lists
    const { fields } = this.#layout
    if (type !== 0) {
      for (const field of [0, this.signature]) if (lists[field]) this.#refuse(field, 'cannot be an array')
    }
    for (let i = 0; i < fields.length; i++) {
      if (fields[i]!.kind !== 'integer' || lists[i] || raw[starts[i]!] !== 0 || starts[i] === ends[i])
        continue
      this.#refuse(i, `cannot have leading zeroes, received: ${bytesToHex(this.bytes(i))}`)
    }
    for (let i = 0; i < fields.length; i++) {
      if (fields[i]!.kind !== 'list' && lists[i]) this.#refuse(i, 'cannot be an array')
    }
  }

  #refuse(field: number, problem: string): never {
    throw new TransactionDecodeError(`${this.#layout.fields[field]!.name} ${problem}`)
  }
}

// The lists of a transaction: access list, blob hashes, authorisations.

const ADDRESS_SIZE = 20
const HASH_SIZE = 32

/** Reads an access list (EIP-2930). @throws TransactionDecodeError */
export function readAccessList(fields: TransactionFields, field: number): readonly AccessListEntry[] {
  if (!fields.isList(field)) throw new TransactionDecodeError('invalid transaction')
  const { cursor } = fields
  const end = fields.ends[field]!
  let next = fields.starts[field]!
  if (next === end) return NO_ACCESS_LIST
  cursor.read(next, end)
  if (!cursor.isList) throw new TransactionDecodeError('invalid transaction')
  const entries: AccessListEntry[] = []
  for (; next < end; next = cursor.end) {
    cursor.read(next, end)
    entries.push(readEntry(cursor))
  }
  return entries
}

/** Reads the access list entry at the cursor. Afterwards `cursor.end` is the end of the entry. */
function readEntry(cursor: RlpCursor): AccessListEntry {
  const { isList, start, end } = cursor
  if (countOf(cursor) !== 2) refuseItem('access list item should have 2 elements', 'EIP-2930')
  if (isList) cursor.read(start, end)
  if (!isList || cursor.isList || cursor.size() !== ADDRESS_SIZE) {
    refuseItem('address length should be 20 bytes', 'EIP-2930')
  }
  const address = hexAt(cursor)
  cursor.read(cursor.end, end)
  if (!cursor.isList) refuseItem('storage slot length should be 32 bytes', 'EIP-2930')
  const storageKeys: Hash[] = []
  for (let next = cursor.start; next < end; next = cursor.end) {
    cursor.read(next, end)
    if (cursor.isList || cursor.size() !== HASH_SIZE)
      refuseItem('storage slot length should be 32 bytes', 'EIP-2930')
    storageKeys.push(hexAt(cursor))
  }
  return { address, storageKeys }
}

/** Reads the versioned hashes of blobs (EIP-4844). @throws TransactionDecodeError, BlobHashVersionError */
export function readBlobHashes(fields: TransactionFields, field: number): readonly Hash[] {
  const { cursor } = fields
  const end = fields.ends[field]!
  const hashes: Hash[] = []
  for (let next = fields.starts[field]!; next < end; next = cursor.end) {
    if (fields.isList(field)) cursor.read(next, end)
    if (!fields.isList(field) || cursor.isList || cursor.size() !== HASH_SIZE) {
      throw new TransactionDecodeError('versioned hash is invalid length')
    }
    const hash = hexAt(cursor)
    if (!isBlobHash(hash)) throw new BlobHashVersionError(hashes.length)
    hashes.push(hash)
  }
  return hashes
}

const AUTHORIZATION = ['chainId', 'address', 'nonce', 'yParity', 'r', 's'] as const
const [CHAIN_ID, ADDRESS, NONCE, Y_PARITY, R, S] = [0, 1, 2, 3, 4, 5] as const

const INTEGERS = [Y_PARITY, R, S, NONCE, CHAIN_ID]

/** The maximum sizes of integers in bytes, in the order of their checks, with the error text for a larger one. */
const SIZES = [
  [CHAIN_ID, 32, 'chainId exceeds 2^256 - 1'],
  [NONCE, 8, 'nonce exceeds 2^64 - 1'],
  [Y_PARITY, 1, 'yParity should be fit within 1 byte'],
  [R, 32, 'r exceeds 2^256 - 1'],
  [S, 32, 's exceeds 2^256 - 1'],
] as const

/** Reads authorisations (EIP-7702). @throws TransactionDecodeError, EmptyAuthorizationListError */
export function readAuthorizations(fields: TransactionFields, field: number): readonly Authorization[] {
  const { cursor } = fields
  const end = fields.ends[field]!
  let next = fields.starts[field]!
  if (next === end) throw new EmptyAuthorizationListError()
  if (fields.isList(field)) cursor.read(next, end)
  if (!fields.isList(field) || !cursor.isList) {
    throw new TransactionDecodeError('EIP-7702 authorization list invalid: chainId is not defined')
  }
  const authorizations: Authorization[] = []
  for (; next < end; next = cursor.end) {
    cursor.read(next, end)
    authorizations.push(readAuthorization(cursor))
  }
  return authorizations
}

/** Reads the authorisation at the cursor. Afterwards `cursor.end` is the end of the authorisation. */
function readAuthorization(cursor: RlpCursor): Authorization {
  const { bytes, isList, start, end } = cursor
  if (countOf(cursor) !== AUTHORIZATION.length) refuseItem('authorization list item should have 6 elements')
  if (!isList) refuseItem('address length should be 20 bytes')
  const [starts, ends]: [number[], number[]] = [[], []]
  for (let next = start; next < end; next = cursor.end) {
    cursor.read(next, end)
    if (cursor.isList) refuseItem('authority list element is a list, not bytes')
    starts.push(cursor.start)
    ends.push(cursor.end)
  }
  const sizeOf = (i: number) => ends[i]! - starts[i]!
  for (const i of INTEGERS) {
    if (sizeOf(i) === 0 || bytes[starts[i]!] !== 0) continue
    const received = bytesToHex(bytes.subarray(starts[i], ends[i]))
    throw new TransactionDecodeError(`${AUTHORIZATION[i]} cannot have leading zeroes, received: ${received}`)
  }
  if (sizeOf(ADDRESS) !== ADDRESS_SIZE) refuseItem('address length should be 20 bytes')
  for (const [i, size, problem] of SIZES) if (sizeOf(i) > size) refuseItem(problem)
  const integer = (i: number) => bytesToBigint(bytes, starts[i], ends[i])
  return {
    chainId: integer(CHAIN_ID),
    address: bytesToHex(bytes.subarray(starts[ADDRESS], ends[ADDRESS])),
    nonce: integer(NONCE),
    yParity: Number(integer(Y_PARITY)),
    r: integer(R),
    s: integer(S),
  }
}

/** Counts the items of the list at the cursor, and moves the cursor to the last one. For a string, counts its bytes. */
function countOf(cursor: RlpCursor): number {
  const { isList, start, end } = cursor
  if (!isList) return cursor.size()
  let count = 0
  for (let next = start; next < end; next = cursor.end) {
    cursor.read(next, end)
    count += 1
  }
  return count
}

function hexAt({ bytes, start, end }: RlpCursor): Hash {
  return bytesToHex(bytes.subarray(start, end))
}

function refuseItem(problem: string, eip = 'EIP-7702'): never {
  throw new TransactionDecodeError(`Invalid ${eip} transaction: ${problem}`)
}
