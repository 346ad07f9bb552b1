/** How a transaction that is not sealed is stored: its bytes, and what they do not contain. */
import { bytesToHex, concatBytes, hexToBytes } from '../../primitives/bytes.ts'
import { decodeRlp, encodeRlp } from '../../primitives/rlp.ts'
import type { Address, Hash } from '../../primitives/types.ts'
import type { Transaction } from '../../protocol/transaction.ts'

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

/** @param arrival - its place in the order of arrival. */
export function encodePoolEntry(
  { raw, from, unsigned, bundle = [] }: Transaction,
  arrival: number,
): Uint8Array {
  const place = new TextEncoder().encode(`${arrival}`)
  const sender = unsigned ? hexToBytes(from) : new Uint8Array(0)
  return encodeRlp([place, sender, encodeHashes(bundle), raw])
}

/** Reads an encoded entry. */
export function decodePoolEntry(hash: Hash, bytes: Uint8Array): PoolEntry {
  const [place, sender, bundle, raw] = decodeRlp(bytes) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
  return {
    hash,
    raw,
    arrival: Number(new TextDecoder().decode(place)),
    sender: sender.length === 0 ? undefined : bytesToHex(sender),
    bundle: decodeHashes(bundle),
  }
}

/** Hashes one after the other. */
export function encodeHashes(items: readonly { readonly hash: Hash }[]): Uint8Array {
  return concatBytes(...items.map(({ hash }) => hexToBytes(hash)))
}

/** Reads the hashes of {@link encodeHashes}. */
export function decodeHashes(bytes: Uint8Array): Hash[] {
  return Array.from({ length: bytes.length / 32 }, (_, i) => bytesToHex(bytes.subarray(32 * i, 32 * i + 32)))
}
