/**
 * A Merkle Patricia trie as a value: `trieUpdate(root, changes)` gives a new root and leaves the old one valid.
 *
 * Owns the nodes, their memoised hashes and their composition (Yellow Paper, appendix D). Does not own the hashing of
 * keys, the meaning of a leaf's value, or the choice of roots to keep; trieWriter.ts writes the bytes.
 *
 * A node never copies a path: a leaf keeps its whole key and the nibble at which its path starts, an
 * extension keeps any key that runs through it. So splitting and merging change numbers, not bytes, and the
 * compact path of a leaf is a slice of its key.
 */

import { keepReference, type Reference, referenceBytes } from './references.ts'
import { divergence, END, sameKey, slotOf } from './trieKey.ts'
import {
  EXTENSION_FLAG,
  LEAF_FLAG,
  pathSize,
  referenceSize,
  startList,
  stringSize,
  writePath,
  writeReference,
  writeString,
  written,
} from './trieWriter.ts'

/** How a leaf's value is encoded; a trie is always hashed with the same codec and hash function. */
export interface TrieCodec<V> {
  /**
   * A leaf's encoded value, never empty; called to hash a new, changed or moved leaf, and for proofs. The result is read
   * before the next call.
   */
  encode(value: V): Uint8Array
}

/** Returns 32 bytes in a new array, which is kept; the argument is only valid during the call. */
export type TrieHashFunction = (bytes: Uint8Array) => Uint8Array

/** A node of a trie; opaque. */
export type TrieNode<V> = Leaf<V> | Extension<V> | Branch<V>

/** A whole trie, immutable; null if it is empty. */
export type TrieRoot<V> = TrieNode<V> | null

/** One change: the value of a key, or null to delete it. */
export type TrieChange<V> = readonly [key: Uint8Array, value: V | null]

const NOTHING = new Uint8Array(0)

/** keccak256(rlp('')): a constant, since every account without storage needs it. */
const EMPTY_ROOT = Uint8Array.of(
  ...[0x56, 0xe8, 0x1f, 0x17, 0x1b, 0xcc, 0x55, 0xa6, 0xff, 0x83, 0x45, 0xe6, 0x92, 0xc0, 0xf8, 0x6e],
  ...[0x5b, 0x48, 0xe0, 0x1b, 0x99, 0x6c, 0xad, 0xc0, 0x01, 0x62, 0x2f, 0xb5, 0xe3, 0x63, 0xb4, 0x21],
)

/** A number: a node keeps that of its update for as long as it lives, and an object would live as long. */
let lastEdit = 0

/**
 * `edit` identifies the update that created a node and may still mutate it. A node is also its own reference: its hash, or
 * its RLP if that is shorter than 32 bytes, which is unknown until it is hashed.
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

/** Two or more of its 17 children are set; the last one is the leaf whose key ends here. */
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

/**
 * The value of `key`, or undefined.
 *
 * @param key - raw bytes; a secure trie's caller hashes them first.
 */
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
 * The trie with `changes` applied in order; `root` stays valid.
 *
 * Values are compared by `===`: if nothing changes, the same root is returned.
 *
 * @param changes - keys may be of any length and prefixes of one another; they are kept, not copied, and must
 * not be written to afterwards. A value is never undefined, and null only to delete.
 */
export function trieUpdate<V>(root: TrieRoot<V>, changes: Iterable<TrieChange<V>>): TrieRoot<V> {
  const edit = ++lastEdit
  let node = root
  for (const [key, value] of changes) {
    node = value === null ? remove(node, key, 0, edit) : put(node, key, 0, value, edit)
  }
  return node
}

/** The 32-byte root hash; each node is hashed only once. The empty trie's is keccak256(rlp('')). */
export function trieHash<V>(root: TrieRoot<V>, codec: TrieCodec<V>, keccak256: TrieHashFunction): Uint8Array {
  if (root === null) return EMPTY_ROOT.slice()
  const reference = referenceBytes(referenceTo(root, codec, keccak256))
  return reference.length === 32 ? reference : keccak256(reference)
}

/**
 * The RLP nodes from the root towards `key`, as eth_getProof lists them (EIP-1186): the proof of its value or of its
 * absence. Nodes shorter than 32 bytes are part of their parent; the empty trie's proof is empty.
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

// The functions below return the node they were given if nothing changed, or if it was mutated in place. Callers need
// not distinguish the two: a node of this edit has no reference yet, and neither has any node above it.

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

/** A branch at nibble `at` between a new leaf and the node `other`, after the nibbles they share from `depth`. */
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

/** The branch without one child, or the node that replaces it if only one other is left. */
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

/** The same leaf or extension with a path that starts at another nibble of its key. */
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

/** A node's reference in its parent, which is the node itself once it is hashed. */
function referenceTo<V>(node: TrieNode<V>, codec: TrieCodec<V>, keccak256: TrieHashFunction): Reference {
  if (node.block !== null) return node
  const encoded = encodeNode(node, codec, keccak256)
  keepReference(node, encoded.length < 32 ? encoded : keccak256(encoded))
  return node
}

/** A node's RLP; valid until the next call. The codec runs before writing starts, so it may hash another trie. */
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
  const payload = last instanceof Leaf ? codec.encode(last.value) : NOTHING
  let at = startList(size + stringSize(payload))
  for (let i = 0; i < END; i++) {
    const child = children[i]!
    at = child === null ? writeString(NOTHING, at) : writeReference(child, at)
  }
  return written(writeString(payload, at))
}
