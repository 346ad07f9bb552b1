/** Reads the state of the forked block, either trusting the node or verifying proofs against the state root. */

import {
  bytesToBigint,
  bytesToHex,
  hexToBytes,
  quantity as quantityToHex,
  ZERO_ADDRESS,
} from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { SchemaError } from '../../base/errors.ts'
import { decodeRlp, type RlpItem } from '../../base/rlp.ts'
import { readObject } from '../../base/schema.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import { EMPTY_CODE_HASH } from '../../ethereum/state/account.ts'
import { storageRoot } from '../../ethereum/state/stateTrie.ts'
import { slotOf } from '../../ethereum/state/trie.ts'
import {
  blockOrNull,
  hexUpTo,
  listOf,
  quantity,
  type Reader,
  address as readAddress,
  storageWord,
} from './answers.ts'
import { ForkedStateUnavailableError, RemoteRpcError } from './errors.ts'
import { type Remote, type RemoteRequest, readAnswer } from './remote.ts'

/** An account, or one of its slots. */
export interface StateKey {
  readonly address: Address
  /** 32 bytes. */
  readonly slot?: Hex
}

/** Returns the key as text, for maps and sets: the address, followed by the slot if there is one. */
export const nameOfKey = ({ address, slot }: StateKey): string => `${address}${slot ?? ''}`

/** Names a block in requests: by hash (EIP-1898), or by number for nodes that reject hashes. */
export type BlockParameter = { readonly blockHash: Hash } | Hex

/** Returns a request that succeeds on any node that has the block's state and accepts this way of naming the block. */
export const requestAt = (block: BlockParameter): RemoteRequest => ({
  method: 'eth_getBalance',
  params: [ZERO_ADDRESS, block],
  read: quantity(256),
  isPinned: false,
})

/** Returns a request for the hash of the block that currently has a number; undefined if no block has it. */
export const hashRequest = (number: bigint): RemoteRequest => ({
  method: 'eth_getBlockByNumber',
  params: [quantityToHex(number), false],
  read: (answer) => blockOrNull(answer)?.hash.toLowerCase(),
  isPinned: false,
})

/** How requests name the forked block. */
interface NamedBlock extends Pick<RemoteRequest, 'isPinned' | 'stateOf'> {
  readonly block: BlockParameter
}

/** An account that exists at the forked block. */
export interface RemoteAccount {
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Hex
}

/** Reads of the forked block's state. Reads that begin together share a trip. */
export interface StateReads {
  /** Whether a key can be read without a trip. */
  isCached(key: StateKey): boolean
  /** Returns the cached account: null if it does not exist, undefined if it must be loaded. */
  cachedAccount(address: Address): RemoteAccount | null | undefined
  /** Returns the cached slot; undefined if it must be loaded. */
  cachedSlot(address: Address, slot: Hex): bigint | undefined
  /** Reads an account; null if it does not exist. Rejects like `Remote.ask`. */
  account(address: Address): Promise<RemoteAccount | null>
  /** Reads a slot; 0n if it is not set. Rejects like `Remote.ask`. */
  slot(address: Address, slot: Hex): Promise<bigint>
}

/** Creates reads that trust the node. */
export function createPlainReads(remote: Remote, at: () => NamedBlock): StateReads {
  const request = <T>(method: string, params: readonly unknown[], read: Reader<T>): PlainRequest<T> => {
    const { block, ...named } = at()
    return { method, params: [...params, block], read, ...named }
  }
  const accountRequests = (address: Address) =>
    [
      request('eth_getBalance', [address], quantity(256)),
      request('eth_getTransactionCount', [address], quantity(64)),
      request('eth_getCode', [address], hexUpTo()),
    ] as const
  const slotRequest = (address: Address, slot: Hex) =>
    request('eth_getStorageAt', [address, slot], storageWord)
  return {
    isCached({ address, slot }) {
      const requests: readonly RemoteRequest[] =
        slot === undefined ? accountRequests(address) : [slotRequest(address, slot)]
      return requests.every((one) => remote.cached?.(one) !== undefined)
    },
    cachedAccount(address) {
      const [ofBalance, ofNonce, ofCode] = accountRequests(address)
      const balance = readCached(remote, ofBalance)
      const nonce = balance === undefined ? undefined : readCached(remote, ofNonce)
      const code = nonce === undefined ? undefined : readCached(remote, ofCode)
      return code === undefined ? undefined : toAccount(balance!, nonce!, code)
    },
    cachedSlot(address, slot) {
      const value = readCached(remote, slotRequest(address, slot))
      return value === undefined ? undefined : BigInt(value)
    },
    async account(address) {
      const [ofBalance, ofNonce, ofCode] = accountRequests(address)
      const answers = [remote.ask(ofBalance), remote.ask(ofNonce), remote.ask(ofCode)] as const
      return toAccount(...(await Promise.all(answers)))
    },
    slot: async (address, slot) => BigInt(await remote.ask(slotRequest(address, slot))),
  }
}

/** A request whose answer is converted synchronously. */
interface PlainRequest<Result> extends RemoteRequest<Result> {
  readonly read: Reader<Result>
}

/** Reads from the cache. Returns undefined for an invalid answer too: the asynchronous read replaces or rejects it. */
function readCached<Result>(remote: Remote, request: PlainRequest<Result>): Result | undefined {
  const answer = remote.cached?.(request)
  if (answer === undefined) return undefined
  try {
    return request.read(answer)
  } catch (error) {
    if (error instanceof SchemaError) return undefined
    throw error
  }
}

/** Returns null for an empty account: nodes answer the same for an absent one, and no state has empty ones (EIP-161). */
function toAccount(balance: bigint, nonce: bigint, code: Hex): RemoteAccount | null {
  return balance === 0n && nonce === 0n && code === '0x' ? null : { balance, nonce, code }
}

/**
 * Creates reads by eth_getProof that verify answers against the state root, and codes against the proven hash.
 *
 * @param remote - must merge proofs (`withMergedProofs`), since each key is requested separately.
 */
export function createProvenReads(remote: Remote, at: () => NamedBlock, parts: ProofParts): StateReads {
  const proofRequest = (address: Address, slots: readonly Hex[]) => {
    const { block, ...named } = at()
    const read = proofReader(parts, address, slots)
    return { method: 'eth_getProof', params: [address, slots, block], read, ...named }
  }
  const codeRequest = (address: Address, codeHash: () => Promise<Hash>): RemoteRequest<Hex> => {
    const { block, ...named } = at()
    const read = async (answer: unknown): Promise<Hex> => {
      const code = hexUpTo()(answer)
      const expected = await codeHash()
      if (parts.crypto.keccak256Hex(hexToBytes(code)) === expected) return code
      throw new SchemaError('', `the code with the hash ${expected}`)
    }
    return { method: 'eth_getCode', params: [address, block], read, ...named }
  }
  return {
    isCached({ address, slot }) {
      const ofCode = codeRequest(address, async () => EMPTY_CODE_HASH)
      const requests: readonly RemoteRequest[] =
        slot === undefined ? [proofRequest(address, []), ofCode] : [proofRequest(address, [slot])]
      return requests.every((one) => remote.cached?.(one) !== undefined)
    },
    // Cached answers are verified only by the asynchronous reads.
    cachedAccount: () => undefined,
    cachedSlot: () => undefined,
    async account(address) {
      // The proof and the code are requested together. The reader of the code waits for the proven hash.
      const proof = remote.ask(proofRequest(address, []))
      const ofCode = codeRequest(address, async () => (await proof).account?.codeHash ?? EMPTY_CODE_HASH)
      const [{ account }, code] = await Promise.all([proof, remote.ask(ofCode)])
      return account && { balance: account.balance, nonce: account.nonce, code }
    },
    async slot(address, slot) {
      const { slots } = await remote.ask(proofRequest(address, [slot]))
      return slots[0]!
    },
  }
}

// Merkle proofs of accounts and slots (EIP-1186). The walk from the root finds each node by its hash, so neither the
// order of the nodes nor additional nodes matter. A path that ends before the key proves absence.

/** How many bytes a trie node may have. A branch of 16 hashes has 532. */
const MAX_NODE_BYTES = 1024

/** How many trie nodes a proof may have. A path has at most 65, and some forked nodes list inlined children too. */
const MAX_NODES = 130

const KEY_LENGTH = 64

interface ProofParts {
  readonly crypto: Crypto
  readonly stateRoot: Hash
}

const nodeList = listOf(hexUpTo(MAX_NODE_BYTES))

/** Returns a reader of eth_getProof. It returns the account, null if it does not exist, and the values of the slots. */
export function proofReader({ crypto, stateRoot }: ProofParts, address: Address, slots: readonly Hex[]) {
  const keyOf = (hex: Hex): Uint8Array => crypto.keccak256(hexToBytes(hex))
  const emptyRoot = bytesToHex(storageRoot(null, crypto))

  const findValue = (root: Hash, hex: Hex, list: unknown, path: string): RlpItem | undefined => {
    const nodes = nodesOf(list, crypto, path)
    if (root === emptyRoot) return undefined
    try {
      const leaf = walk(root, keyOf(hex), nodes)
      return leaf && decodeRlp(leaf)
    } catch {
      // A node is missing or malformed.
      throw new SchemaError(path, `a proof under the root ${root}`)
    }
  }

  return (given: unknown, path = '') => {
    const answer = readObject(given, path)
    if (readAddress(answer['address'], `${path}.address`) !== address) {
      throw new SchemaError(`${path}.address`, address)
    }
    const leaf = findValue(stateRoot, address, answer['accountProof'], `${path}.accountProof`)
    const account = leaf === undefined ? null : toProvenAccount(leaf, `${path}.accountProof`)
    requireAmount(answer['balance'], account?.balance ?? 0n, `${path}.balance`)
    requireAmount(answer['nonce'], account?.nonce ?? 0n, `${path}.nonce`)
    const proofs = answer['storageProof']
    if (!Array.isArray(proofs) || proofs.length !== slots.length) {
      throw new SchemaError(`${path}.storageProof`, `an array of ${slots.length} proofs`)
    }
    const values = slots.map((slot, i) => {
      const at = `${path}.storageProof[${i}]`
      const proof = readObject(proofs[i], at)
      requireAmount(proof['key'], BigInt(slot), `${at}.key`)
      const found = findValue(account?.storageHash ?? emptyRoot, slot, proof['proof'], `${at}.proof`)
      const value = found === undefined ? 0n : toInteger(found, 32, `${at}.proof`)
      requireAmount(proof['value'], value, `${at}.value`)
      return value
    })
    return { account, slots: values }
  }
}

function nodesOf(list: unknown, crypto: ProofParts['crypto'], path: string): ReadonlyMap<Hash, Uint8Array> {
  if (Array.isArray(list) && list.length > MAX_NODES) {
    throw new SchemaError(path, `at most ${MAX_NODES} nodes`)
  }
  const nodes = nodeList(list, path).map(hexToBytes)
  return new Map(nodes.map((node) => [crypto.keccak256Hex(node), node]))
}

/** Returns the value of a key; undefined if its absence is proven. Throws if the nodes prove neither. */
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
      throw new Error('a path of a different length')
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

function toProvenAccount(leaf: RlpItem, path: string) {
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

function requireAmount(value: unknown, proven: bigint, path: string): void {
  if (quantity(256)(value, path) !== proven) throw new SchemaError(path, `0x${proven.toString(16)}`)
}

/** How many blocks must follow a block before it counts as safe from reorganisations. */
export const SETTLED_DEPTH = 256n

/**
 * Requests state of the forked block before the block is known, in the trip that requests the block. State that the node
 * refuses by number is requested by hash later.
 *
 * @param block - the number or hash. Answers by number are used only if the block is too deep for a reorganisation.
 * @returns a function from the block's hash to its remote, which uses each early answer once, and asks the node for the
 *   rest.
 */
export function requestEarly(
  remote: Remote,
  block: bigint | Hash,
  keys: readonly StateKey[],
): (hash: Hash) => Remote {
  const isNumber = typeof block === 'bigint'
  const isSettled = isNumber ? isDeep(remote, block) : Promise.resolve(true)
  const named = isNumber
    ? { block: quantityToHex(block), isPinned: false, stateOf: block }
    : { block: { blockHash: block }, isPinned: true }
  /** Unconverted, since a later request converts the answer and may cache it. */
  const answers = new Map<string, Promise<unknown>>()
  const keep = async <Result>(request: RemoteRequest<Result>): Promise<Result> => {
    const asked = remote.ask({ ...request, read: (answer) => answer })
    answers.set(nameOf(request), asked)
    return readAnswer(request, await asked)
  }
  const reads = createPlainReads({ ask: keep }, () => named)
  for (const { address, slot } of keys) {
    const read = slot === undefined ? reads.account(address) : reads.slot(address, slot)
    read.catch(() => {})
  }
  /** Returns undefined if there is no early answer, or if the node refused it by number. */
  const take = async (request: RemoteRequest): Promise<unknown> => {
    const name = nameOf(request)
    try {
      return await answers.get(name)
    } catch (error) {
      if (isNumber && isRefusal(error)) return undefined
      throw error
    } finally {
      answers.delete(name)
    }
  }
  return (hash) => {
    const takeOrAsk = async <Result>(request: RemoteRequest<Result>): Promise<Result> => {
      // Every request waits for `isSettled`, so that all requests without an early answer share a trip.
      const isUsable = (await isSettled) && isAbout(request, hash)
      const answer = isUsable ? await take(request) : undefined
      return answer === undefined ? remote.ask(request) : readAnswer(request, answer)
    }
    return { ask: (request) => (answers.size === 0 ? remote.ask(request) : takeOrAsk(request)) }
  }
}

/** By method and params without the block. */
const nameOf = ({ method, params }: RemoteRequest): string => JSON.stringify([method, params.slice(0, -1)])

function isAbout({ params }: RemoteRequest, hash: Hash): boolean {
  const block = params.at(-1) as Partial<Exclude<BlockParameter, string>> | undefined
  return block?.blockHash === hash
}

const isRefusal = (error: unknown): boolean =>
  error instanceof RemoteRpcError || error instanceof ForkedStateUnavailableError

async function isDeep(remote: Remote, number: bigint): Promise<boolean> {
  const head = { method: 'eth_blockNumber', params: [], read: quantity(64), isPinned: false }
  try {
    return (await remote.ask(head)) - number >= SETTLED_DEPTH
  } catch {
    return false
  }
}
