import { bigintToBytes, hexToBytes, NO_BYTES } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { encodeRlp } from '../../base/rlp.ts'
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
  /**
   * Encodes a leaf's value, to at least one byte. Called to hash a new, changed or moved leaf, and for proofs. The
   * result is read before the next call.
   */
  encode(value: V): Uint8Array
}

/** Returns 32 bytes in a new array, which the caller may keep. The argument is valid only during the call. */
type TrieHashFunction = (bytes: Uint8Array) => Uint8Array

type TrieNode<V> = Leaf<V> | Extension<V> | Branch<V>

/** A whole trie, immutable; null if it is empty. */
export type TrieRoot<V> = TrieNode<V> | null

/** A key's new value, or null to delete it. */
export type TrieChange<V> = readonly [key: Uint8Array, value: V | null]

const EMPTY_ROOT_BYTES = hexToBytes(EMPTY_ROOT)

/** The number of updates so far. A number, because nodes keep it as long as they live: objects would take memory. */
let lastEdit = 0

/**
 * `edit` is the update that created the node and may still mutate it. A node also holds its reference: its hash, or its
 * RLP if that is shorter than 32 bytes. The reference is unknown until the node is hashed.
 */
class Leaf<V> implements Reference {
  readonly key: Uint8Array
  readonly depth: number
  value: V
  readonly edit: number
  block: DataView | null = null
  at = 0
  length = 0
  constructor(key: Uint8Array, depth: number, value: V, edit: number) {
    this.key = key
    this.depth = depth
    this.value = value
    this.edit = edit
  }
}

/** The nibbles `depth` to `end` of `key`, then a branch. */
class Extension<V> implements Reference {
  readonly key: Uint8Array
  readonly depth: number
  readonly end: number
  readonly child: Branch<V>
  readonly edit: number
  block: DataView | null = null
  at = 0
  length = 0
  constructor(key: Uint8Array, depth: number, end: number, child: Branch<V>, edit: number) {
    this.key = key
    this.depth = depth
    this.end = end
    this.child = child
    this.edit = edit
  }
}

/** At least two of the 17 children are set. The last child can only be the leaf whose key ends here. */
class Branch<V> implements Reference {
  readonly children: TrieRoot<V>[]
  readonly edit: number
  block: DataView | null = null
  at = 0
  length = 0
  constructor(children: TrieRoot<V>[], edit: number) {
    this.children = children
    this.edit = edit
  }
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
 * Applies `changes` in order; `root` stays valid. Returns the same root if no value changes by `===`.
 *
 * @param changes - keys of any length, even prefixes of each other; kept, not copied, so the caller must not write to
 * them. A value is never undefined, and null only to delete.
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

function putInBranch<V>(
  branch: Branch<V>,
  key: Uint8Array,
  depth: number,
  value: V,
  edit: number,
): Branch<V> {
  const slot = slotOf(key, depth)
  const child = branch.children[slot]!
  const next = put(child, key, depth + 1, value, edit)
  return next === child ? branch : withChild(branch, slot, next, edit)
}

/** Creates a branch at nibble `at` between a new leaf and a node, after the nibbles they share from `depth`. */
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

/** Returns a copy of the leaf or extension whose path starts at nibble `depth`. */
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

/** A node's reference in its parent: the node itself, once hashed. */
function referenceTo<V>(node: TrieNode<V>, codec: TrieCodec<V>, keccak256: TrieHashFunction): Reference {
  if (node.block !== null) return node
  const encoded = encodeNode(node, codec, keccak256)
  keepReference(node, encoded.length < 32 ? encoded : keccak256(encoded))
  return node
}

/** A node's RLP, valid until the next call. The codec runs before writing starts, so it may hash a trie too. */
function encodeNode<V>(node: TrieNode<V>, codec: TrieCodec<V>, keccak256: TrieHashFunction): Uint8Array {
  if (node instanceof Branch) return encodeBranch(node, codec, keccak256)
  if (node instanceof Leaf) {
    const payload = codec.encode(node.value)
    const end = 2 * node.key.length
    const at = startList(pathSize(end - node.depth) + stringSize(payload))
    return written(writeString(payload, writePath(node.key, node.depth, end, LEAF_FLAG, at)))
  }
  const reference = referenceTo(node.child, codec, keccak256)
  const at = startList(pathSize(node.end - node.depth) + referenceSize(reference))
  return written(writeReference(reference, writePath(node.key, node.depth, node.end, EXTENSION_FLAG, at)))
}

function encodeBranch<V>(branch: Branch<V>, codec: TrieCodec<V>, keccak256: TrieHashFunction): Uint8Array {
  const { children } = branch
  let size = 0
  for (let i = 0; i < END; i++) {
    const child = children[i]!
    size += child === null ? 1 : referenceSize(referenceTo(child, codec, keccak256))
  }
  const last = children[END]
  const payload = last instanceof Leaf ? codec.encode(last.value) : NO_BYTES
  let at = startList(size + stringSize(payload))
  for (let i = 0; i < END; i++) {
    const child = children[i]!
    at = child === null ? writeString(NO_BYTES, at) : writeReference(child, at)
  }
  return written(writeString(payload, at))
}

// Writes the RLP of one trie node at a time, front to back, into a shared buffer.
//
// Owns: the buffer and the byte formats, RLP (Yellow Paper, appendix B) and compact paths (appendix C). A caller
// computes the size of every item, then writes all of them without interruption, each from the offset that the last
// call returned: `startList` → `writePath` | `writeReference` | `writeString` … → `written`.

/** Flags of compact paths. */
const EXTENSION_FLAG = 0x00
const LEAF_FLAG = 0x20

/** Shared: allocating an array per node costs about as much as hashing it. */
let buffer = new Uint8Array(1024)
let view = new DataView(buffer.buffer)

/** Starts a list of `size` bytes: ensures the buffer's capacity and writes the header. */
function startList(size: number): number {
  if (buffer.length < size + 5) {
    buffer = new Uint8Array(2 * size)
    view = new DataView(buffer.buffer)
  }
  return writeHeader(0xc0, size, 0)
}

/** The bytes written up to `end`; valid until the next `startList`. */
export function written(end: number): Uint8Array {
  return buffer.subarray(0, end)
}

/** The size of a string with its header. */
function stringSize(bytes: Uint8Array): number {
  return bytes.length === 1 && bytes[0]! < 0x80 ? 1 : headerSize(bytes.length) + bytes.length
}

function writeString(bytes: Uint8Array, at: number): number {
  const start = bytes.length === 1 && bytes[0]! < 0x80 ? at : writeHeader(0x80, bytes.length, at)
  buffer.set(bytes, start)
  return start + bytes.length
}

function referenceSize({ length }: Reference): number {
  return length === 32 ? 33 : length
}

/** Writes a reference to a node: its 32-byte hash as a string, or its RLP, which is shorter. */
function writeReference(reference: Reference, at: number): number {
  if (reference.length !== 32) return copyReference(reference, view, at)
  buffer[at] = 0xa0
  return copyReference(reference, view, at + 1)
}

/** The size of a compact path with its header. */
function pathSize(nibbles: number): number {
  const bytes = (nibbles >> 1) + 1
  return bytes === 1 ? 1 : headerSize(bytes) + bytes
}

/** Writes the nibbles `from` to `to` of a key as a compact path. */
function writePath(key: Uint8Array, from: number, to: number, flag: number, at: number): number {
  const bytes = ((to - from) >> 1) + 1
  let index = from >> 1
  if (bytes > 1) at = writeHeader(0x80, bytes, at)
  if (((to - from) & 1) === 0) buffer[at++] = flag
  else buffer[at++] = flag | 0x10 | (from & 1 ? key[index++]! & 15 : key[index]! >> 4)
  // An even number of nibbles is left: they start in the middle of a byte if and only if they end in one.
  for (const end = at + bytes - 1; at < end; index++) {
    buffer[at++] = to & 1 ? (key[index]! << 4) | (key[index + 1]! >> 4) : key[index]!
  }
  return at
}

function headerSize(size: number): number {
  if (size < 56) return 1
  if (size < 0x100) return 2
  if (size < 0x10000) return 3
  return size < 0x1000000 ? 4 : 5
}

function writeHeader(offset: number, size: number, at: number): number {
  const bytes = headerSize(size) - 1
  if (bytes === 0) {
    buffer[at] = offset + size
    return at + 1
  }
  buffer[at++] = offset + 55 + bytes
  for (let shift = 8 * (bytes - 1); shift >= 0; shift -= 8) buffer[at++] = size >>> shift
  return at
}

/**
 * References to trie nodes, side by side: separate arrays take seven times the memory, and most of the time of a
 * garbage collection.
 *
 * Owns: the block of memory being filled. A block is released with the last node that refers to it.
 */

/** In bytes. Small, since one node that stays in use, such as a slot written every 8,191 blocks, keeps all of it. */
const BLOCK_SIZE = 2048

let bytes = new Uint8Array(0)
let blockView = new DataView(bytes.buffer)
let used = 0

/** `length` bytes at an offset of a block; unknown while there is no block. */
export interface Reference {
  block: DataView | null
  at: number
  length: number
}

/** Stores a copy of a reference, at most 32 bytes. */
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

/** Copies a known reference to a view with enough room. @returns where the copy ends. */
function copyReference({ block, at, length }: Reference, to: DataView, offset: number): number {
  const from = block!
  let done = 0
  for (; done + 4 <= length; done += 4) to.setUint32(offset + done, from.getUint32(at + done))
  for (; done < length; done++) to.setUint8(offset + done, from.getUint8(at + done))
  return offset + length
}

function referenceBytes(reference: Reference): Uint8Array {
  const copy = new Uint8Array(reference.length)
  copyReference(reference, new DataView(copy.buffer), 0)
  return copy
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

/** The root of a list's trie; an immutable value. */
export type ListTrie<Item = Uint8Array> = TrieRoot<Item>

/** Appends items to the trie of a list of `length` items. */
export function appendToList<Item>(
  list: ListTrie<Item>,
  length: number,
  items: readonly Item[],
): ListTrie<Item> {
  // Not `map`, here and in callers that run for each block: compiled, it returns a different kind of array, for which
  // all readers would be compiled again.
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

/** The 32-byte root of a whole list. */
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
