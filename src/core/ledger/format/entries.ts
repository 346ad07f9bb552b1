/**
 * The keys of format 1 and the checksums of its values.
 *
 *   1 address              account of the current state        5 number   hash and transactions of a block
 *   2 storage id, slot     value of the current state          6 number   what the block changed, with the values before
 *   3 code hash            code                                7 number   its receipts
 *                                                              8 number   what was written to its state after its seal
 */

import { hexToBytes } from '../../../base/bytes.ts'
import { keccak256 } from '../../../base/crypto/crypto.ts'
import type { Address, Hash, Hex } from '../../../base/types.ts'
import type { Entry, Key } from '../bytesDatabase.ts'
import { DatabaseCorruptError } from '../errors.ts'

/** The first byte of a key. The keys of blocks and those of text begin with letters. */
export const KIND = {
  account: 1,
  slot: 2,
  code: 3,
  index: 5,
  changes: 6,
  receipts: 7,
  patch: 8,
} as const

/** Kinds of entries that each block has at most one of. */
export type NumberedKind = (typeof KIND)['index' | 'changes' | 'receipts' | 'patch']

/** The key of an account. */
export function accountKey(address: Address): Uint8Array {
  return keyOf(KIND.account, hexToBytes(address))
}

/** The key of a slot. */
export function slotKey(storageId: number, slot: Hex): Uint8Array {
  const key = new Uint8Array(9 + 32)
  key[0] = KIND.slot
  writeNumber(key, storageId)
  key.set(hexToBytes(slot), 9)
  return key
}

/** The key of a code. */
export function codeKey(hash: Hash): Uint8Array {
  return keyOf(KIND.code, hexToBytes(hash))
}

/** The key of an entry of a block. */
export function numberedKey(kind: NumberedKind, number: number): Uint8Array {
  const key = new Uint8Array(9)
  key[0] = kind
  writeNumber(key, number)
  return key
}

/** The number after the first byte of a key: of a block, or of a storage. */
export function numberOfKey(key: Uint8Array): number {
  return Number(viewOf(key).getBigUint64(1))
}

const CHECKSUM = 4

/** An entry whose value is followed by its checksum, over key and value. */
export function checked(key: Key, value: Uint8Array): Entry {
  const sealed = new Uint8Array(value.length + CHECKSUM)
  sealed.set(value)
  const sum = checksum(key, value)
  for (let i = 0; i < CHECKSUM; i++) sealed[value.length + i] = sum[i]!
  return { key, value: sealed }
}

/**
 * The value of an entry without its checksum.
 *
 * @param name - what is read, for the error.
 * @throws DatabaseCorruptError if it is missing or does not match its checksum.
 */
export function verified(key: Key, sealed: Uint8Array | undefined, name: string): Uint8Array {
  const size = valueSize(sealed, name)
  const value = sealed!.subarray(0, size)
  const expected = checksum(key, value)
  for (let i = 0; i < CHECKSUM; i++) {
    if (expected[i] !== sealed![size + i]) throw new DatabaseCorruptError(name)
  }
  return value
}

/** The length of an entry's value without its checksum, which is not compared. @throws DatabaseCorruptError */
export function valueSize(sealed: Uint8Array | undefined, name: string): number {
  if (sealed === undefined || sealed.length < CHECKSUM) throw new DatabaseCorruptError(name)
  return sealed.length - CHECKSUM
}

/** Where a key and a value lie together while they are hashed; the rest of a long value's room is not kept. */
const scratch = new Uint8Array(4096)

function checksum(key: Key, value: Uint8Array): Uint8Array {
  const prefix = typeof key === 'string' ? new TextEncoder().encode(key) : key
  const size = prefix.length + value.length
  const both = size <= scratch.length ? scratch.subarray(0, size) : new Uint8Array(size)
  both.set(prefix)
  both.set(value, prefix.length)
  return keccak256(both)
}

function keyOf(kind: number, rest: Uint8Array): Uint8Array {
  const key = new Uint8Array(1 + rest.length)
  key[0] = kind
  key.set(rest, 1)
  return key
}

function writeNumber(key: Uint8Array, number: number): void {
  viewOf(key).setBigUint64(1, BigInt(number))
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
