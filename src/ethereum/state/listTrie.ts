/** Tries of lists: transactions, receipts and withdrawals by the RLP of their index (Yellow Paper, section 4.3). */

import { bigintToBytes } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { encodeRlp } from '../../base/rlp.ts'
import { type TrieChange, type TrieCodec, type TrieRoot, trieHash, trieUpdate } from './trie.ts'

/** The root of a list's trie; an immutable value. */
export type ListTrie<Item = Uint8Array> = TrieRoot<Item>

/** The trie of a list of `length` items with `items` appended. */
export function appendToList<Item>(
  list: ListTrie<Item>,
  length: number,
  items: readonly Item[],
): ListTrie<Item> {
  // Not `map`, here and in what calls this for each block: its result has another kind of elements once it is compiled,
  // for which everything that reads it would be compiled again.
  const changes: TrieChange<Item>[] = []
  for (let i = 0; i < items.length; i++) changes.push([keyOf(length + i), items[i]!])
  return trieUpdate(list, changes)
}

/** The 32-byte root of a list's trie. */
export function listTrieRoot(list: ListTrie, crypto: Crypto): Uint8Array
/** @param codec - encodes an item. */
export function listTrieRoot<Item>(list: ListTrie<Item>, crypto: Crypto, codec: TrieCodec<Item>): Uint8Array
export function listTrieRoot<Item>(
  list: ListTrie<Item>,
  { keccak256 }: Crypto,
  codec: TrieCodec<Item> = ITEM_CODEC as TrieCodec<unknown>,
): Uint8Array {
  return trieHash(list, codec, keccak256)
}

/** The 32-byte root of the trie of a whole list. */
export function listRoot(items: readonly Uint8Array[], crypto: Crypto): Uint8Array {
  return listTrieRoot(appendToList(null, 0, items), crypto)
}

const ITEM_CODEC: TrieCodec<Uint8Array> = { encode: (item) => item }

/** The keys that all lists share; more than most blocks have transactions. */
const keys: Uint8Array[] = []
const MAX_KEYS = 2048

function keyOf(index: number): Uint8Array {
  const key = keys[index] ?? encodeRlp(bigintToBytes(BigInt(index)))
  // One after the other, so that the array has no holes.
  if (index === keys.length && index < MAX_KEYS) keys.push(key)
  return key
}
