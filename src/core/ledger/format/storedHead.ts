/** The entry of the head of a stored chain. */
import { bigintToBytes, bytesToBigint, bytesToHex, hexToBytes } from '../../../base/bytes.ts'
import { decodeRlp, encodeRlp } from '../../../base/rlp.ts'
import type { Hash } from '../../../base/types.ts'
import type { Entry } from '../bytesDatabase.ts'
import { checked } from './entries.ts'

/** The key of the head. */
export const HEAD_KEY = 'preseal:head'

/** What the entry of the head says. */
export interface StoredHead {
  readonly hash: Hash
  /** The root of the current state, if that was written to since the head was sealed. */
  readonly root: Hash | undefined
  /** The highest storage id that was assigned. */
  readonly lastStorageId: number
}

/** The entry of a head. */
export function headEntry({ hash, root, lastStorageId }: StoredHead): Entry {
  const items = [
    hexToBytes(hash),
    root === undefined ? new Uint8Array(0) : hexToBytes(root),
    bigintToBytes(BigInt(lastStorageId)),
  ]
  return checked(HEAD_KEY, encodeRlp(items))
}

/** Decodes the value of {@link headEntry}, without its checksum. */
export function decodeHead(bytes: Uint8Array): StoredHead {
  const [hash, root, lastStorageId] = decodeRlp(bytes) as [Uint8Array, Uint8Array, Uint8Array]
  return {
    hash: bytesToHex(hash),
    root: root.length === 0 ? undefined : bytesToHex(root),
    lastStorageId: Number(bytesToBigint(lastStorageId)),
  }
}
