/** The Merkle tries of a state: accounts by the hash of their address; each leaf holds its storage trie. */
import { hexToBytes } from '../../base/bytes.ts'
import { getOrInsert, RecentMap } from '../../base/collections.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { putHex, putInteger, putList, putString, startRlp, writtenRlp } from '../../base/rlp.ts'
import type { Address, Hex } from '../../base/types.ts'
import type { Pause } from '../../base/waiting.ts'
import { type AccountRecord, countChanges, EMPTY_CODE_HASH, type StateChanges } from './account.ts'
import { NoForkProofsError } from './errors.ts'
import {
  type TrieChange,
  type TrieCodec,
  type TrieRoot,
  trieGet,
  trieHash,
  trieProof,
  trieUpdate,
} from './trie.ts'

/** A leaf of the account trie: an account, and its storage, whose root is encoded with it. */
export interface AccountLeaf {
  readonly record: AccountRecord
  readonly storage: TrieRoot<bigint>
}

/** An immutable commitment to a state that is not a built account trie: a forked chain's, or an {@link UnbuiltTrie}. */
export abstract class OtherCommitment {
  abstract update(changes: StateChanges, crypto: Crypto): StateTrie
  abstract root(crypto: Crypto): Uint8Array
}

/** An account trie with a known root, built when it is first changed or asked for a proof. */
export class UnbuiltTrie extends OtherCommitment {
  readonly #root: Uint8Array
  readonly #build: () => StateTrie
  #built: StateTrie | undefined

  constructor(root: Uint8Array, build: () => StateTrie) {
    super()
    this.#root = root
    this.#build = build
  }

  get built(): StateTrie {
    this.#built ??= this.#build()
    return this.#built
  }

  override update(changes: StateChanges, crypto: Crypto): StateTrie {
    return updateStateTrie(this.built, changes, crypto)
  }

  override root(): Uint8Array {
    return this.#root
  }
}

/** The commitment to a state; null is the trie of the empty state. */
export type StateTrie = TrieRoot<AccountLeaf> | OtherCommitment

/** Returns the trie after changes. Takes time proportional to the changes, not to the state. */
export function updateStateTrie(root: StateTrie, changes: StateChanges, crypto: Crypto): StateTrie {
  if (root instanceof OtherCommitment) return root.update(changes, crypto)
  const leaves: TrieChange<AccountLeaf>[] = []
  for (const [address, record] of changes.accounts) {
    const key = hashedKey(address, crypto)
    if (record === null) {
      leaves.push([key, null])
      continue
    }
    const before = trieGet(root, key)
    // A new storage id means that the storage was cleared: its trie starts empty.
    let storage = before?.record.storageId === record.storageId ? before.storage : null
    const slots = record.storageId === 0 ? undefined : changes.slots.get(record.storageId)
    if (slots !== undefined) storage = trieUpdate(storage, slotChanges(slots, crypto))
    if (before?.record === record && before.storage === storage) continue
    leaves.push([key, { record, storage }])
  }
  return trieUpdate(root, leaves)
}

/** The number of accounts and slots in a part. */
const PART_SIZE = 200

/** {@link updateStateTrie}, but many changes are applied and hashed in parts. @param pause - called after each part. */
export async function updateStateTrieInParts(
  root: StateTrie,
  changes: StateChanges,
  crypto: Crypto,
  pause: Pause,
): Promise<StateTrie> {
  if (countChanges(changes) < PART_SIZE) return updateStateTrie(root, changes, crypto)
  let trie = root
  for (const part of partsOf(changes, crypto)) {
    trie = updateStateTrie(trie, part, crypto)
    stateRoot(trie, crypto)
    await pause()
  }
  return trie
}

/** Splits changes into parts to apply in order; an account is in every part that has slots of it. */
function* partsOf({ accounts, slots, codes }: StateChanges, crypto: Crypto): Generator<StateChanges> {
  let part = {
    accounts: new Map<Address, AccountRecord | null>(),
    slots: new Map<number, Map<Hex, bigint>>(),
    codes,
  }
  let size = 0
  for (const [address, record] of byHashedKey(accounts, crypto)) {
    const values = record === null ? undefined : slots.get(record.storageId)
    const own = values === undefined ? [] : byHashedKey(values, crypto)
    for (let at = 0; at === 0 || at < own.length; at += PART_SIZE) {
      const some = own.slice(at, at + PART_SIZE)
      part.accounts.set(address, record)
      if (record !== null && some.length > 0) part.slots.set(record.storageId, new Map(some))
      size += 1 + some.length
      if (size < PART_SIZE) continue
      yield part
      part = { accounts: new Map(), slots: new Map(), codes }
      size = 0
    }
  }
  if (size > 0) yield part
}

/** Sorts entries by the first byte of their trie keys: parts then change separate nodes, and few are hashed twice. */
function byHashedKey<Key extends Hex, Value>(
  entries: ReadonlyMap<Key, Value>,
  crypto: Crypto,
): (readonly [Key, Value])[] {
  if (entries.size < PART_SIZE) return [...entries]
  const byFirstByte: (readonly [Key, Value])[][] = Array.from({ length: 256 }, () => [])
  for (const entry of entries) byFirstByte[hashedKey(entry[0], crypto)[0]!]!.push(entry)
  return byFirstByte.flat()
}

/** Returns the root of a state, as 32 bytes. Each node of the trie is hashed only once. */
export function stateRoot(root: StateTrie, crypto: Crypto): Uint8Array {
  if (root instanceof OtherCommitment) return root.root(crypto)
  return trieHash(root, accountCodec(crypto), crypto.keccak256)
}

/** Returns the root of a storage trie, as 32 bytes. */
export function storageRoot(root: TrieRoot<bigint>, crypto: Crypto): Uint8Array {
  return trieHash(root, SLOT_CODEC, crypto.keccak256)
}

/** The value of a key, and the nodes from the root down that prove it or its absence (EIP-1186). */
export interface Proven<T> {
  readonly value: T
  /** RLP; empty if the trie is empty. */
  readonly proof: readonly Uint8Array[]
}

/** Proves an account's leaf, or its absence. @throws NoForkProofsError for the state of a fork. */
export function proveAccount(
  root: StateTrie,
  address: Address,
  crypto: Crypto,
): Proven<AccountLeaf | undefined> {
  const trie = root instanceof UnbuiltTrie ? root.built : root
  if (trie instanceof OtherCommitment) throw new NoForkProofsError()
  const key = hashedKey(address, crypto)
  const proof = trieProof(trie, key, accountCodec(crypto), crypto.keccak256)
  return { value: trieGet(trie, key), proof }
}

/** Proves a slot's value, 0n if unset. `slot` is the 32-byte key that contracts use. */
export function proveSlot(root: TrieRoot<bigint>, slot: Hex, crypto: Crypto): Proven<bigint> {
  const key = hashedKey(slot, crypto)
  return { value: trieGet(root, key) ?? 0n, proof: trieProof(root, key, SLOT_CODEC, crypto.keccak256) }
}

/** Hashes of addresses and slots: blocks change the same ones repeatedly. */
const hashedKeys = new RecentMap<Hex, Uint8Array>(8192)

/** The key of an account or a slot in its trie: the hash of the address, or of the 32-byte key that contracts use. */
export function hashedKey(hex: Hex, { keccak256 }: Crypto): Uint8Array {
  let key = hashedKeys.get(hex)
  if (key === undefined) {
    key = keccak256(hexToBytes(hex))
    hashedKeys.set(hex, key)
  }
  return key
}

const SLOT_CODEC = {
  encode(value: bigint) {
    startRlp()
    putInteger(value)
    return writtenRlp()
  },
}

const EMPTY_CODE_HASH_BYTES = hexToBytes(EMPTY_CODE_HASH)

const accountCodec = (crypto: Crypto): TrieCodec<AccountLeaf> =>
  getOrInsert(codecs, crypto, createAccountCodec)

const codecs = new WeakMap<Crypto, TrieCodec<AccountLeaf>>()

function createAccountCodec(crypto: Crypto): TrieCodec<AccountLeaf> {
  return {
    encode({ record, storage }) {
      // Hashing the storage encodes slots in the same buffer, so it comes before this encoding starts.
      const root = storageRoot(storage, crypto)
      startRlp()
      if (record.codeHash === EMPTY_CODE_HASH) putString(EMPTY_CODE_HASH_BYTES)
      else putHex(record.codeHash)
      putString(root)
      putInteger(record.balance)
      putInteger(record.nonce)
      putList(0)
      return writtenRlp()
    },
  }
}

function slotChanges(slots: ReadonlyMap<Hex, bigint>, crypto: Crypto): TrieChange<bigint>[] {
  const changes: TrieChange<bigint>[] = []
  slots.forEach((value, key) => {
    changes.push([hashedKey(key, crypto), value === 0n ? null : value])
  })
  return changes
}
