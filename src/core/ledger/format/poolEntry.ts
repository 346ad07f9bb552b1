/** How a transaction that is not sealed is stored: its bytes, and what they do not contain. */
import { bytesToHex, concatBytes, hexToBytes } from '../../../base/bytes.ts'
import { decodeRlp, encodeRlp } from '../../../base/rlp.ts'
import type { Address, Hash } from '../../../base/types.ts'
import type { Transaction } from '../../../ethereum/transaction.ts'

/** A stored transaction that waited or was pre-confirmed. */
export interface PoolEntry {
  readonly hash: Hash
  /** As blocks contain it, without a sidecar. */
  readonly raw: Uint8Array
  /** Its place in the order of arrival; negative if it was included before. */
  readonly arrival: number
  /** The sender of an unsigned transaction. */
  readonly sender: Address | undefined
  /** The hashes of its bundle in order, itself included; empty if it is in none. */
  readonly bundle: readonly Hash[]
}

/** A transaction as it is stored. @param arrival - its place in the order of arrival. */
export function toPoolEntry(
  { hash, raw, from, unsigned, bundle = [] }: Transaction,
  arrival: number,
): PoolEntry {
  return { hash, raw, arrival, sender: unsigned ? from : undefined, bundle: bundle.map((one) => one.hash) }
}

/** Encodes an entry, without its hash. */
export function encodePoolEntry(entry: PoolEntry): Uint8Array {
  return encodeRlp(itemsOf(entry))
}

/** Reads an encoded entry. */
export function decodePoolEntry(hash: Hash, bytes: Uint8Array): PoolEntry {
  return fromItems(hash, decodeRlp(bytes) as EntryItems)
}

/** Encodes entries with their hashes. */
export function encodePoolGroup(entries: readonly PoolEntry[]): Uint8Array {
  return encodeRlp(entries.map((entry) => [hexToBytes(entry.hash), ...itemsOf(entry)]))
}

/** Reads encoded entries. */
export function decodePoolGroup(bytes: Uint8Array): PoolEntry[] {
  return (decodeRlp(bytes) as [Uint8Array, ...EntryItems][]).map(([hash, ...items]) =>
    fromItems(bytesToHex(hash), items),
  )
}

type EntryItems = [place: Uint8Array, sender: Uint8Array, bundle: Uint8Array, raw: Uint8Array]

const NONE = new Uint8Array(0)

function itemsOf({ raw, arrival, sender, bundle }: PoolEntry): EntryItems {
  const place = new TextEncoder().encode(`${arrival}`)
  return [place, sender === undefined ? NONE : hexToBytes(sender), encodeHashes(bundle), raw]
}

function fromItems(hash: Hash, [place, sender, bundle, raw]: EntryItems): PoolEntry {
  return {
    hash,
    raw,
    arrival: Number(new TextDecoder().decode(place)),
    sender: sender.length === 0 ? undefined : bytesToHex(sender),
    bundle: decodeHashes(bundle),
  }
}

/** Hashes one after the other. */
export function encodeHashes(hashes: readonly Hash[]): Uint8Array {
  return hashes.length === 0 ? NONE : concatBytes(...hashes.map(hexToBytes))
}

/** Reads the hashes of {@link encodeHashes}. */
export function decodeHashes(bytes: Uint8Array): Hash[] {
  return Array.from({ length: bytes.length / 32 }, (_, i) => bytesToHex(bytes.subarray(32 * i, 32 * i + 32)))
}
