/**
 * The fields of a transaction in its bytes: checks the RLP as a whole, and reads fields in place.
 *
 * Error texts are the same for every decoder of transactions (`DecodeTransaction`).
 */

import { bytesToBigint, bytesToHex } from '../base/bytes.ts'
import { InvalidRlpError } from '../base/errors.ts'
import { isRlpWithin, RlpCursor } from '../base/rlp.ts'
import type { AccessListEntry, Hash } from '../base/types.ts'
import { BlobHashVersionError, EmptyAuthorizationListError, TransactionDecodeError } from './errors.ts'
import { type Authorization, NO_ACCESS_LIST, type TransactionType } from './transaction.ts'
import { isBlobHash } from './validity.ts'

/** The maximum number of items, more than a usual gas limit can pay for, and the maximum depth of nested lists. */
const [MAX_ITEMS, MAX_DEPTH] = [100_000, 8] as const

/** The number of signature fields, which are the last fields of every type. */
const SIGNATURE = 3

/** A field: an integer without leading zeros, bytes, or a list. */
interface Field {
  readonly name: string
  readonly kind: 'integer' | 'bytes' | 'list'
}

/** The fields of a transaction type, in order. */
interface Layout {
  /** For error texts. */
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

/**
 * Bounds the time to decode a transaction or its wrapper.
 *
 * @param start - where the RLP starts, after the type.
 * @throws TransactionDecodeError if the RLP has too many items or is nested too deeply
 */
export function checkRlp(bytes: Uint8Array, start: number): void {
  if (isRlpWithin(bytes, MAX_ITEMS, MAX_DEPTH, start)) return
  throw new TransactionDecodeError(`more than ${MAX_ITEMS} items, or lists nested deeper than ${MAX_DEPTH}`)
}

/** The positions of a transaction's fields. */
export class TransactionFields {
  readonly raw: Uint8Array
  readonly type: TransactionType
  /** Whether the signature's fields exist; if not, their contents are empty. */
  readonly isSigned: boolean
  /** The index of the signature's first field. */
  readonly signature: number
  /** Where each field's content starts. */
  readonly starts: number[] = []
  /** Where each field ends. */
  readonly ends: number[] = []
  /** Where the first field starts, with its prefix. */
  readonly start: number
  /** Reads nested items, already checked. */
  readonly cursor: RlpCursor
  readonly #lists: boolean[] = []
  readonly #layout: Layout

  /**
   * @throws TransactionDecodeError unless the bytes are the canonical RLP of the type's fields, with or without a
   * signature. There must be no list in place of a string, and no leading zeros in integers except the chain id.
   */
  constructor(raw: Uint8Array, type: TransactionType) {
    this.raw = raw
    this.type = type
    this.cursor = new RlpCursor(raw)
    this.#layout = LAYOUTS[type]
    const { fields } = this.#layout
    this.signature = fields.length - SIGNATURE
    checkRlp(raw, type === 0 ? 0 : 1)
    try {
      this.start = this.#readAll()
    } catch (error) {
      if (!(error instanceof InvalidRlpError)) throw error
      // Error texts leave out the details in brackets.
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

  /** The length of a field's content in bytes. */
  size(field: number): number {
    return this.ends[field]! - this.starts[field]!
  }

  isList(field: number): boolean {
    return this.#lists[field]!
  }

  /** Copies a string. */
  bytes(field: number): Uint8Array {
    return this.raw.slice(this.starts[field], this.ends[field])
  }

  /** A string as an integer of any size. */
  integer(field: number): bigint {
    return bytesToBigint(this.raw, this.starts[field], this.ends[field])
  }

  /** @throws TransactionDecodeError above 2^256 - 1 */
  uint256(field: number): bigint {
    if (this.size(field) > 32) this.#refuse(field, 'cannot exceed MAX_INTEGER')
    return this.integer(field)
  }

  /** @throws TransactionDecodeError above 2^64 - 1 */
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

  /** Refuses lists in place of strings, and integers with leading zeros. */
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
  if (countOf(cursor) !== 2) refuse('access list item should have 2 elements', 'EIP-2930')
  if (isList) cursor.read(start, end)
  if (!isList || cursor.isList || cursor.size() !== ADDRESS_SIZE) {
    refuse('address length should be 20 bytes', 'EIP-2930')
  }
  const address = hexAt(cursor)
  cursor.read(cursor.end, end)
  if (!cursor.isList) refuse('storage slot length should be 32 bytes', 'EIP-2930')
  const storageKeys: Hash[] = []
  for (let next = cursor.start; next < end; next = cursor.end) {
    cursor.read(next, end)
    if (cursor.isList || cursor.size() !== HASH_SIZE)
      refuse('storage slot length should be 32 bytes', 'EIP-2930')
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

/** The integer fields, in the order of their checks. */
const INTEGERS = [Y_PARITY, R, S, NONCE, CHAIN_ID]

/** The maximum sizes of integers in bytes, in the order of their checks, with the error text for a larger one. */
const SIZES = [
  [CHAIN_ID, 32, 'chainId exceeds 2^256 - 1'],
  [NONCE, 8, 'nonce exceeds 2^64 - 1'],
  [Y_PARITY, 1, 'yParity should be fit within 1 byte'],
  [R, 32, 'r exceeds 2^256 - 1'],
  [S, 32, 's exceeds 2^256 - 1'],
] as const

/**
 * Reads the authorisations of a set-code transaction (EIP-7702). @throws TransactionDecodeError,
 * EmptyAuthorizationListError
 */
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
  if (countOf(cursor) !== AUTHORIZATION.length) refuse('authorization list item should have 6 elements')
  if (!isList) refuse('address length should be 20 bytes')
  const [starts, ends]: [number[], number[]] = [[], []]
  for (let next = start; next < end; next = cursor.end) {
    cursor.read(next, end)
    if (cursor.isList) refuse('authority list element is a list, not bytes')
    starts.push(cursor.start)
    ends.push(cursor.end)
  }
  const sizeOf = (i: number) => ends[i]! - starts[i]!
  for (const i of INTEGERS) {
    if (sizeOf(i) === 0 || bytes[starts[i]!] !== 0) continue
    const received = bytesToHex(bytes.subarray(starts[i], ends[i]))
    throw new TransactionDecodeError(`${AUTHORIZATION[i]} cannot have leading zeroes, received: ${received}`)
  }
  if (sizeOf(ADDRESS) !== ADDRESS_SIZE) refuse('address length should be 20 bytes')
  for (const [i, size, problem] of SIZES) if (sizeOf(i) > size) refuse(problem)
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

function refuse(problem: string, eip = 'EIP-7702'): never {
  throw new TransactionDecodeError(`Invalid ${eip} transaction: ${problem}`)
}
