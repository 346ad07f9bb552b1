/** The lists in a transaction: storage that it accesses, hashes of its blobs, authorisations. */
import { bytesToBigint, bytesToHex } from '../base/bytes.ts'
import type { RlpCursor } from '../base/rlp.ts'
import type { AccessListEntry, Hash } from '../base/types.ts'
import { BlobHashVersionError, EmptyAuthorizationListError, TransactionDecodeError } from './errors.ts'
import { type Authorization, NO_ACCESS_LIST } from './transaction.ts'
import type { TransactionFields } from './transactionFields.ts'
import { isBlobHash } from './validity.ts'

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

/** Reads the entry at the cursor; the cursor stays at its end. */
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

/**
 * Reads the versioned hashes of blobs (EIP-4844).
 *
 * @throws TransactionDecodeError, BlobHashVersionError
 */
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

/** The fields of an authorisation. */
const AUTHORIZATION = ['chainId', 'address', 'nonce', 'yParity', 'r', 's'] as const
const [CHAIN_ID, ADDRESS, NONCE, Y_PARITY, R, S] = [0, 1, 2, 3, 4, 5] as const

/** The fields that are integers, in the order in which they are checked. */
const INTEGERS = [Y_PARITY, R, S, NONCE, CHAIN_ID]

/** The limits of the integers in bytes, in the order in which they are checked, and the problem beyond. */
const SIZES = [
  [CHAIN_ID, 32, 'chainId exceeds 2^256 - 1'],
  [NONCE, 8, 'nonce exceeds 2^64 - 1'],
  [Y_PARITY, 1, 'yParity should be fit within 1 byte'],
  [R, 32, 'r exceeds 2^256 - 1'],
  [S, 32, 's exceeds 2^256 - 1'],
] as const

/**
 * Reads the authorisations of a transaction that sets code (EIP-7702).
 *
 * @throws TransactionDecodeError, EmptyAuthorizationListError
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

/** Reads the authorisation at the cursor; the cursor stays at its end. */
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

/** The number of items in the list at the cursor, which moves to the last, or of bytes in the string. */
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

/** The string at the cursor. */
function hexAt({ bytes, start, end }: RlpCursor): Hash {
  return bytesToHex(bytes.subarray(start, end))
}

function refuse(problem: string, eip = 'EIP-7702'): never {
  throw new TransactionDecodeError(`Invalid ${eip} transaction: ${problem}`)
}
