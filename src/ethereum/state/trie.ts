import { bigintToBytes, hexToBytes, NO_BYTES } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import {
  encodeRlp,
  endString,
  putByte,
  putEncoded,
  putList,
  putString,
  startRlp,
  writtenRlp,
} from '../../base/rlp.ts'
import { EMPTY_ROOT } from '../forks.ts'

/**
 * A Merkle Patricia trie as a value: `trieUpdate(root, changes)` returns a new root and leaves the old one valid.
 *
 * Owns: the nodes, their memoised hashes and their composition (Yellow Paper, appendix D). Does not own: the hashing of
 * keys, the meaning of values, or which roots to keep.
 *
 * Nodes never copy a path. A leaf keeps its whole key and the nibble at which its path starts; an extension keeps any
 * key whose path runs through it. So splitting and merging change numbers, not bytes.
 */

/** The encoding of values; a trie is always hashed with the same codec and hash function. */
export interface TrieCodec<V> {
  /** Encodes a leaf's value, to at least one byte. The result is read before the next call. */
  encode(value: V): Uint8Array
}

type TrieHashFunction = Crypto['keccak256']

type TrieNode<V> = Leaf<V> | Extension<V> | Branch<V>

/** A trie by its root node, immutable; null is the empty trie. */
export type TrieRoot<V> = TrieNode<V> | null

/** A key's new value, or null to delete it. */
export type TrieChange<V> = readonly [key: Uint8Array, value: V | null]

const EMPTY_ROOT_BYTES = hexToBytes(EMPTY_ROOT)

/** The number of updates so far. A number, because nodes keep it as long as they live: objects would take memory. */
let lastEdit = 0

/** `edit` is the update that created the node and may still mutate it. A node holds its reference once it is hashed. */
class Leaf<V> implements Reference {
  block: DataView | null = null
  at = 0
  length = 0
  constructor(
    readonly key: Uint8Array,
    readonly depth: number,
    public value: V,
    readonly edit: number,
  ) {}
}

/** The nibbles `depth` to `end` of `key`, then a branch. */
class Extension<V> implements Reference {
  block: DataView | null = null
  at = 0
  length = 0
  constructor(
    readonly key: Uint8Array,
    readonly depth: number,
    readonly end: number,
    readonly child: Branch<V>,
    readonly edit: number,
  ) {}
}

/** At least two of the 17 children are set. The last child can only be the leaf whose key ends here. */
class Branch<V> implements Reference {
  block: DataView | null = null
  at = 0
  length = 0
  constructor(
    readonly children: TrieRoot<V>[],
    readonly edit: number,
  ) {}
}

/** Reads the value of `key`. @param key - raw bytes; the caller of a secure trie hashes them first. */
export function trieGet<V>(root: TrieRoot<V>, key: Uint8Array): V | undefined {
  let node = root
  let depth = 0
  while (node !== null) {
    if (node instanceof Branch) {
      node = node.children[slotOf(key, depth)]!
      depth++
    } else if (node instanceof Leaf) {
      return sameKey(node.key, key, depth) ? node.value : undefined
    } else {
      if (divergence(node.key, key, depth) < node.end) return undefined
      depth = node.end
      node = node.child
    }
  }
  return undefined
}

/**
 * Applies `changes` in order; `root` stays valid. Returns the same root if no value changes by `===`. Keys have any
 * length, and are kept, not copied. A value is never undefined, and null only to delete.
 */
export function trieUpdate<V>(root: TrieRoot<V>, changes: Iterable<TrieChange<V>>): TrieRoot<V> {
  const edit = ++lastEdit
  let node = root
  for (const [key, value] of changes) {
    node = value === null ? remove(node, key, 0, edit) : put(node, key, 0, value, edit)
  }
  return node
}

/** The 32-byte root hash, keccak256(rlp('')) if empty. Each node is hashed only once. */
export function trieHash<V>(root: TrieRoot<V>, codec: TrieCodec<V>, keccak256: TrieHashFunction): Uint8Array {
  if (root === null) return EMPTY_ROOT_BYTES.slice()
  const reference = referenceBytes(referenceTo(root, codec, keccak256))
  return reference.length === 32 ? reference : keccak256(reference)
}

/**
 * The nodes from the root towards `key` as RLP, as in eth_getProof (EIP-1186): they prove its value or absence. A node
 * shorter than 32 bytes is not listed, since its parent contains it. The empty trie has an empty proof.
 */
export function trieProof<V>(
  root: TrieRoot<V>,
  key: Uint8Array,
  codec: TrieCodec<V>,
  keccak256: TrieHashFunction,
): Uint8Array[] {
  const proof: Uint8Array[] = []
  let node = root
  let depth = 0
  while (node !== null) {
    if (node === root || referenceTo(node, codec, keccak256).length === 32) {
      proof.push(encodeNode(node, codec, keccak256).slice())
    }
    if (node instanceof Branch) {
      const slot = slotOf(key, depth)
      if (slot === END) break
      node = node.children[slot]!
      depth++
    } else if (node instanceof Extension && divergence(node.key, key, depth) >= node.end) {
      depth = node.end
      node = node.child
    } else break
  }
  return proof
}

// The functions below return the node they were given if nothing changed, or if they mutated it. Callers need not tell
// the two apart: a node of this edit has no reference yet, nor has any node above it.

function put<V>(node: TrieRoot<V>, key: Uint8Array, depth: number, value: V, edit: number): TrieNode<V> {
  if (node === null) return new Leaf(key, depth, value, edit)
  if (node instanceof Branch) return putInBranch(node, key, depth, value, edit)
  if (node instanceof Leaf) {
    if (sameKey(node.key, key, depth)) {
      if (node.value === value) return node
      if (node.edit !== edit) return new Leaf(node.key, depth, value, edit)
      node.value = value
      return node
    }
    const at = divergence(node.key, key, depth)
    return fork(key, depth, at, value, slotOf(node.key, at), moved(node, at + 1, edit), edit)
  }
  const at = divergence(node.key, key, depth)
  if (at < node.end) {
    const rest = at + 1 < node.end ? moved(node, at + 1, edit) : node.child
    return fork(key, depth, at, value, slotOf(node.key, at), rest, edit)
  }
  const next = putInBranch(node.child, key, node.end, value, edit)
  return next === node.child ? node : new Extension(node.key, depth, node.end, next, edit)
}

function putInBranch<V>(branch: Branch<V>, key: Uint8Array, depth: number, value: V, edit: number) {
  const slot = slotOf(key, depth)
  const child = branch.children[slot]!
  const next = put(child, key, depth + 1, value, edit)
  return next === child ? branch : withChild(branch, slot, next, edit)
}

/** Creates a branch at nibble `at` for a new leaf and `other`. If `at` is beyond `depth`, an extension leads to it. */
function fork<V>(
  key: Uint8Array,
  depth: number,
  at: number,
  value: V,
  slot: number,
  other: TrieNode<V>,
  edit: number,
): TrieNode<V> {
  const children = new Array<TrieRoot<V>>(END + 1).fill(null)
  children[slot] = other
  children[slotOf(key, at)] = new Leaf(key, at + 1, value, edit)
  const branch = new Branch(children, edit)
  return at > depth ? new Extension(key, depth, at, branch, edit) : branch
}

function remove<V>(node: TrieRoot<V>, key: Uint8Array, depth: number, edit: number): TrieRoot<V> {
  if (node === null) return null
  if (node instanceof Branch) {
    const slot = slotOf(key, depth)
    const child = node.children[slot]!
    const next = remove(child, key, depth + 1, edit)
    if (next === child) return node
    return next === null ? without(node, slot, depth, edit) : withChild(node, slot, next, edit)
  }
  if (node instanceof Leaf) return sameKey(node.key, key, depth) ? null : node
  if (divergence(node.key, key, depth) < node.end) return node
  const next = remove(node.child, key, node.end, edit)!
  if (next === node.child) return node
  return next instanceof Branch
    ? new Extension(node.key, depth, node.end, next, edit)
    : moved(next, depth, edit)
}

/** Returns the branch without one child, or the node that replaces it when a single child is left. */
function without<V>(branch: Branch<V>, slot: number, depth: number, edit: number): TrieNode<V> {
  let last: TrieRoot<V> = null
  let taken = 0
  for (let i = 0; i <= END; i++) {
    const child = branch.children[i]!
    if (child === null || i === slot) continue
    last = child
    taken++
  }
  if (taken > 1) return withChild(branch, slot, null, edit)
  if (last instanceof Branch) return new Extension(keyBelow(last), depth, depth + 1, last, edit)
  return moved(last!, depth, edit)
}

function withChild<V>(branch: Branch<V>, slot: number, child: TrieRoot<V>, edit: number): Branch<V> {
  const own = branch.edit === edit ? branch : new Branch(branch.children.slice(), edit)
  own.children[slot] = child
  return own
}

function moved<V>(node: Leaf<V> | Extension<V>, depth: number, edit: number): TrieNode<V> {
  return node instanceof Leaf
    ? new Leaf(node.key, depth, node.value, edit)
    : new Extension(node.key, depth, node.end, node.child, edit)
}

function keyBelow<V>(branch: Branch<V>): Uint8Array {
  let node: TrieNode<V> = branch
  while (node instanceof Branch) node = node.children.find((child) => child !== null)!
  return node.key
}

function referenceTo<V>(node: TrieNode<V>, codec: TrieCodec<V>, keccak256: TrieHashFunction): Reference {
  if (node.block !== null) return node
  const encoded = encodeNode(node, codec, keccak256)
  keepReference(node, encoded.length < 32 ? encoded : keccak256(encoded))
  return node
}

/** Encodes a node, after its children and value. The result is valid until the next encoding starts. */
function encodeNode<V>(node: TrieNode<V>, codec: TrieCodec<V>, keccak256: TrieHashFunction): Uint8Array {
  if (node instanceof Branch) encodeBranch(node, codec, keccak256)
  else if (node instanceof Leaf) {
    startWith(codec.encode(node.value))
    putPath(node.key, node.depth, 2 * node.key.length, LEAF_FLAG)
  } else {
    const reference = referenceTo(node.child, codec, keccak256)
    startRlp()
    putReference(reference)
    putPath(node.key, node.depth, node.end, EXTENSION_FLAG)
  }
  putList(0)
  return writtenRlp()
}

function encodeBranch<V>({ children }: Branch<V>, codec: TrieCodec<V>, keccak256: TrieHashFunction): void {
  for (let i = 0; i < END; i++) if (children[i] !== null) referenceTo(children[i]!, codec, keccak256)
  const last = children[END]
  startWith(last instanceof Leaf ? codec.encode(last.value) : NO_BYTES)
  for (let i = END - 1; i >= 0; i--) {
    const child = children[i]!
    if (child === null) putString(NO_BYTES)
    else putReference(child)
  }
}

/** Starts an encoding that ends with a value. If the codec left the value at the buffer's end, it stays there. */
function startWith(value: Uint8Array): void {
  startRlp()
  putString(value)
}

/** Writes a reference to a node: its 32-byte hash as a string, or its RLP, which is shorter. */
function putReference({ block, at, length }: Reference): void {
  putEncoded(block!, at, length)
  if (length === 32) putByte(0xa0)
}

/** Flags of compact paths (Yellow Paper, appendix C). */
const EXTENSION_FLAG = 0x00
const LEAF_FLAG = 0x20

/** Writes the nibbles `from` to `to` of a key as a compact path. */
function putPath(key: Uint8Array, from: number, to: number, flag: number): void {
  let end = to
  for (; end - from > 1; end -= 2) {
    const index = end >> 1
    putByte(end & 1 ? (key[index - 1]! << 4) | (key[index]! >> 4) : key[index - 1]!)
  }
  if (end === from) putByte(flag)
  else putByte(flag | 0x10 | (from & 1 ? key[from >> 1]! & 15 : key[from >> 1]! >> 4))
  endString(((to - from) >> 1) + 1)
}

// References to trie nodes, side by side: separate arrays take seven times the memory, and most of the time of a
// garbage collection. A block of memory is released with the last node that refers to it.

/** In bytes. Small, since one node that stays in use, such as a slot written every 8,191 blocks, keeps all of it. */
const BLOCK_SIZE = 2048

let bytes = new Uint8Array(0)
let blockView = new DataView(bytes.buffer)
let used = 0

/** `length` bytes of a block: the hash of a node, or its RLP if it is shorter; unknown while there is no block. */
interface Reference {
  block: DataView | null
  at: number
  length: number
}

function keepReference(target: Reference, reference: Uint8Array): void {
  if (used + reference.length > bytes.length) {
    bytes = new Uint8Array(BLOCK_SIZE)
    blockView = new DataView(bytes.buffer)
    used = 0
  }
  bytes.set(reference, used)
  target.block = blockView
  target.at = used
  target.length = reference.length
  used += reference.length
}

function referenceBytes({ block, at, length }: Reference): Uint8Array {
  return new Uint8Array(block!.buffer, at, length).slice()
}

/** The index, among a branch's children, of the leaf whose key ends there. */
export const END = 16

/** The child index of a key at nibble `depth`: the nibble, or `END`. */
export function slotOf(key: Uint8Array, depth: number): number {
  const index = depth >> 1
  if (index >= key.length) return END
  return depth & 1 ? key[index]! & 15 : key[index]! >> 4
}

/** Whether two keys that share the first `depth` nibbles are equal. */
function sameKey(a: Uint8Array, b: Uint8Array, depth: number): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = depth >> 1; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** The first nibble where two keys that share the first `depth` differ, or the length of the shorter one. */
function divergence(a: Uint8Array, b: Uint8Array, depth: number): number {
  const length = Math.min(a.length, b.length)
  let i = depth >> 1
  while (i < length && a[i] === b[i]) i++
  return i < length && a[i]! >> 4 === b[i]! >> 4 ? 2 * i + 1 : 2 * i
}

// Tries of lists: transactions, receipts and withdrawals by the RLP of their index (Yellow Paper, section 4.3).

/** A trie whose keys are the indices of a list; by default of encoded items. */
export type ListTrie<Item = Uint8Array> = TrieRoot<Item>

/** Appends items to the trie of a list of `length` items. */
export function appendToList<Item>(
  list: ListTrie<Item>,
  length: number,
  items: readonly Item[],
): ListTrie<Item> {
  // Not `map`, here and in callers that run for each block: once the host has compiled it, it returns a different kind
  // of array, for which the host would compile all readers again.
  const changes: TrieChange<Item>[] = []
  for (let i = 0; i < items.length; i++) changes.push([keyOf(length + i), items[i]!])
  return trieUpdate(list, changes)
}

/** Returns the root of a list's trie, as 32 bytes. Items that are not bytes need a codec. */
export function listTrieRoot(list: ListTrie, crypto: Crypto): Uint8Array
export function listTrieRoot<Item>(list: ListTrie<Item>, crypto: Crypto, codec: TrieCodec<Item>): Uint8Array
export function listTrieRoot<Item>(
  list: ListTrie<Item>,
  { keccak256 }: Crypto,
  codec: TrieCodec<Item> = ITEM_CODEC as TrieCodec<unknown>,
): Uint8Array {
  return trieHash(list, codec, keccak256)
}

/** Computes the root of a list of encoded items, as 32 bytes, without keeping its trie. */
export function listRoot(items: readonly Uint8Array[], crypto: Crypto): Uint8Array {
  return listTrieRoot(appendToList(null, 0, items), crypto)
}

const ITEM_CODEC: TrieCodec<Uint8Array> = { encode: (item) => item }

/** The keys of the first items, shared by all lists. Few blocks have more transactions than {@link MAX_KEYS}. */
const keys: Uint8Array[] = []
const MAX_KEYS = 2048

function keyOf(index: number): Uint8Array {
  const key = keys[index] ?? encodeRlp(bigintToBytes(BigInt(index)))
  // In sequence, so that the array has no holes.
  if (index === keys.length && index < MAX_KEYS) keys.push(key)
  return key
}
