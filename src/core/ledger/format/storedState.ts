/** The current state in a database of format 1. */

import { bytesToBigint, bytesToHex } from '../../../base/bytes.ts'
import { keccak256 } from '../../../base/crypto/crypto.ts'
import type { Address, Hash, Hex } from '../../../base/types.ts'
import { type AccountRecord, EMPTY_CODE_HASH, type StateChanges } from '../../../ethereum/state/account.ts'
import type { BytesDatabase, Key } from '../bytesDatabase.ts'
import { DatabaseCorruptError } from '../errors.ts'
import { codeKey, KIND, numberOfKey, valueSize, verified } from './entries.ts'
import { decodeAccount } from './records.ts'

/** The code with this hash. @throws DatabaseCorruptError if it is missing or damaged. */
export async function readStoredCode(db: BytesDatabase, hash: Hash): Promise<Uint8Array> {
  const code = await db.get(codeKey(hash))
  if (code === undefined || bytesToHex(keccak256(code)) !== hash)
    throw new DatabaseCorruptError(`the code ${hash}`)
  return code
}

/**
 * All of the current state, as changes from an empty one. That no entry is missing is to be checked by its root.
 *
 * @param checksums - whether each entry is compared with its checksum. If not, its root is to be compared instead, and
 * what that does not commit to is checked here.
 * @throws DatabaseCorruptError
 */
export async function readStoredState(db: BytesDatabase, checksums: boolean): Promise<StateChanges> {
  const sizeOf = (key: Key, sealed: Uint8Array, name: string): number =>
    checksums ? verified(key, sealed, name).length : valueSize(sealed, name)
  const accounts = new Map<Address, AccountRecord>()
  const hashes = new Set<Hash>()
  for await (const part of db.range(Uint8Array.of(KIND.account), Uint8Array.of(KIND.account + 1))) {
    for (const { key, value } of part) {
      const address = bytesToHex(restOf(key as Uint8Array, 1))
      const name = `the account ${address}`
      const record = decodeAccount(value, sizeOf(key, value, name))
      // The root does not commit to the storage's id, which could be the one of another account.
      if (!checksums && record.storageId !== 0) verified(key, value, name)
      accounts.set(address, record)
      if (record.codeHash !== EMPTY_CODE_HASH) hashes.add(record.codeHash)
    }
  }
  const slots = new Map<number, Map<Hex, bigint>>()
  for await (const part of db.range(Uint8Array.of(KIND.slot), Uint8Array.of(KIND.slot + 1))) {
    for (const { key, value } of part) {
      const id = numberOfKey(key as Uint8Array)
      const slot = bytesToHex(restOf(key as Uint8Array, 9))
      const values = slots.get(id) ?? new Map<Hex, bigint>()
      const size = sizeOf(key, value, `the slot ${slot} of storage ${id}`)
      values.set(slot, bytesToBigint(value, 0, size))
      slots.set(id, values)
    }
  }
  if (!checksums) {
    for (const [address, { storageId, slotCount }] of accounts) {
      if ((slots.get(storageId)?.size ?? 0) !== slotCount)
        throw new DatabaseCorruptError(`the account ${address}`)
    }
  }
  const codes = new Map<Hash, Uint8Array>()
  for (const hash of hashes) codes.set(hash, await readStoredCode(db, hash))
  return { accounts, slots, codes }
}

/** A key from an offset on. Not by `subarray`, which takes several times as long for the buffers of Node. */
function restOf({ buffer, byteOffset, length }: Uint8Array, offset: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset + offset, length - offset)
}
