/** Tries of lists: transactions, receipts and withdrawals by the RLP of their index (Yellow Paper, section 4.3). */

import type { Crypto } from '../crypto/crypto.ts'
import { bigintToBytes } from '../primitives/bytes.ts'
import { encodeRlp } from '../primitives/rlp.ts'
import { type TrieRoot, trieHash, trieUpdate } from './trie.ts'

/** The root of a list's trie; an immutable value. */
export type ListTrie = TrieRoot<Uint8Array>

/** The trie of a list of `length` items with `items` appended. */
export function appendToList(list: ListTrie, length: number, items: readonly Uint8Array[]): ListTrie {
  return trieUpdate(
    list,
    items.map((item, i) => [encodeRlp(bigintToBytes(BigInt(length + i))), item]),
  )
}

/** The 32-byte root of a list's trie. */
export function listTrieRoot(list: ListTrie, { keccak256 }: Crypto): Uint8Array {
  return trieHash(list, ITEM_CODEC, keccak256)
}

/** The 32-byte root of the trie of a whole list. */
export function listRoot(items: readonly Uint8Array[], crypto: Crypto): Uint8Array {
  return listTrieRoot(appendToList(null, 0, items), crypto)
}

const ITEM_CODEC = { encode: (item: Uint8Array) => item }
