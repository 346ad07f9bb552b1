/**
 * Merkle proofs of accounts and slots (EIP-1186), checked against a state root.
 *
 * Each node of a proof is found by its hash, from the root on, so that neither the order of the nodes nor what is added to
 * them matters. A path that ends before the key is a proof of absence.
 */

import { bytesToBigint, bytesToHex, hexToBytes } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { SchemaError } from '../../base/errors.ts'
import { decodeRlp, type RlpItem } from '../../base/rlp.ts'
import { isObject } from '../../base/schema.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import { storageRoot } from '../../ethereum/state/stateTrie.ts'
import { slotOf } from '../../ethereum/state/trieKey.ts'
import { hexUpTo, listOf, quantity, type Reader, address as readAddress } from './answers.ts'

/** Bytes of a node: a branch of 16 hashes has 532. */
const MAX_NODE_BYTES = 1024

/** Nodes of a proof: one for each nibble of a key, twice for nodes that also list those within others. */
const MAX_NODES = 130

/** Nibbles of a key. */
const KEY_LENGTH = 64

/** What proofs are checked against. */
export interface ProofParts {
  readonly crypto: Pick<Crypto, 'keccak256' | 'keccak256Hex'>
  readonly stateRoot: Hash
}

/** An account as its leaf has it. */
export interface ProvenAccount {
  readonly nonce: bigint
  readonly balance: bigint
  readonly storageHash: Hash
  readonly codeHash: Hash
}

/** What an answer proves. */
export interface Proven {
  /** Null if there is no such account. */
  readonly account: ProvenAccount | null
  /** The values of the slots, in the order of the request. */
  readonly slots: readonly bigint[]
}

const nodeList = listOf(hexUpTo(MAX_NODE_BYTES))

/** A reader of the answer of eth_getProof for an account and slots of 32 bytes; it throws unless all is proven. */
export function proofReader(parts: ProofParts, address: Address, slots: readonly Hex[]): Reader<Proven> {
  const { crypto, stateRoot } = parts
  const keyOf = (hex: Hex): Uint8Array => crypto.keccak256(hexToBytes(hex))
  const emptyRoot = bytesToHex(storageRoot(null, crypto as Crypto))

  const findValue = (root: Hash, hex: Hex, list: unknown, path: string): RlpItem | undefined => {
    const nodes = nodesOf(list, crypto, path)
    if (root === emptyRoot) return undefined
    try {
      const leaf = walk(root, keyOf(hex), nodes)
      return leaf && decodeRlp(leaf)
    } catch {
      // A node that is missing, or one that no trie has.
      throw new SchemaError(path, `a proof under the root ${root}`)
    }
  }

  return (answer, path = '') => {
    if (!isObject(answer)) throw new SchemaError(path, 'an object')
    if (readAddress(answer['address'], `${path}.address`) !== address) {
      throw new SchemaError(`${path}.address`, address)
    }
    const leaf = findValue(stateRoot, address, answer['accountProof'], `${path}.accountProof`)
    const account = leaf === undefined ? null : toAccount(leaf, `${path}.accountProof`)
    requireAmount(answer['balance'], account?.balance ?? 0n, `${path}.balance`)
    requireAmount(answer['nonce'], account?.nonce ?? 0n, `${path}.nonce`)
    const proofs = answer['storageProof']
    if (!Array.isArray(proofs) || proofs.length !== slots.length) {
      throw new SchemaError(`${path}.storageProof`, `an array of ${slots.length} proofs`)
    }
    const values = slots.map((slot, i) => {
      const at = `${path}.storageProof[${i}]`
      const proof: unknown = proofs[i]
      if (!isObject(proof)) throw new SchemaError(at, 'an object')
      requireAmount(proof['key'], BigInt(slot), `${at}.key`)
      const found = findValue(account?.storageHash ?? emptyRoot, slot, proof['proof'], `${at}.proof`)
      const value = found === undefined ? 0n : toInteger(found, 32, `${at}.proof`)
      requireAmount(proof['value'], value, `${at}.value`)
      return value
    })
    return { account, slots: values }
  }
}

/** The nodes of a proof by their hash. */
function nodesOf(list: unknown, crypto: ProofParts['crypto'], path: string): ReadonlyMap<Hash, Uint8Array> {
  if (Array.isArray(list) && list.length > MAX_NODES) {
    throw new SchemaError(path, `at most ${MAX_NODES} nodes`)
  }
  const nodes = nodeList(list, path).map(hexToBytes)
  return new Map(nodes.map((node) => [crypto.keccak256Hex(node), node]))
}

/** The value of a key; undefined if the nodes prove that there is none. Throws if they prove neither. */
function walk(root: Hash, key: Uint8Array, nodes: ReadonlyMap<Hash, Uint8Array>): Uint8Array | undefined {
  let item: RlpItem = hexToBytes(root)
  for (let depth = 0; ; ) {
    const node: RlpItem = item instanceof Uint8Array ? decodeRlp(nodes.get(bytesToHex(item) as Hash)!) : item
    if (node instanceof Uint8Array) throw new Error('no node')
    if (node.length === 17) {
      if (depth === KEY_LENGTH) throw new Error('a branch below a whole key')
      item = node[slotOf(key, depth)]!
      depth += 1
      if (item instanceof Uint8Array && item.length === 0) return undefined
      continue
    }
    const [path, content]: readonly (RlpItem | undefined)[] = node
    if (node.length !== 2 || !(path instanceof Uint8Array) || path.length === 0) throw new Error('no node')
    const flags = path[0]! >> 4
    if (flags > 3) throw new Error('no compact path')
    const [isLeaf, isOdd] = [flags >= 2, flags % 2 === 1]
    const start = isOdd ? 1 : 2
    const length = 2 * path.length - start
    if (depth + length > KEY_LENGTH || (isLeaf ? depth + length !== KEY_LENGTH : length === 0)) {
      throw new Error('a path of another length')
    }
    for (let i = 0; i < length; i++) {
      if (slotOf(path, start + i) !== slotOf(key, depth + i)) return undefined
    }
    if (isLeaf) {
      if (!(content instanceof Uint8Array)) throw new Error('no value')
      return content
    }
    item = content!
    depth += length
  }
}

function toAccount(leaf: RlpItem, path: string): ProvenAccount {
  const isAccount = !(leaf instanceof Uint8Array) && leaf.length === 4
  if (!isAccount) throw new SchemaError(path, 'a leaf with nonce, balance, storage root and code hash')
  const [nonce, balance, storageHash, codeHash] = leaf
  return {
    nonce: toInteger(nonce!, 8, path),
    balance: toInteger(balance!, 32, path),
    storageHash: toHash(storageHash!, path),
    codeHash: toHash(codeHash!, path),
  }
}

function toInteger(item: RlpItem, size: number, path: string): bigint {
  if (item instanceof Uint8Array && item.length <= size) return bytesToBigint(item)
  throw new SchemaError(path, `an integer of up to ${size} bytes in the leaf`)
}

function toHash(item: RlpItem, path: string): Hash {
  if (item instanceof Uint8Array && item.length === 32) return bytesToHex(item)
  throw new SchemaError(path, 'a hash of 32 bytes in the leaf')
}

/** What an answer says beside its proof must be what it proves. */
function requireAmount(value: unknown, proven: bigint, path: string): void {
  if (quantity(256)(value, path) !== proven) throw new SchemaError(path, `0x${proven.toString(16)}`)
}
