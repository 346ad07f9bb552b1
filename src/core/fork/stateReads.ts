/** How the state of the forked block is read: as the node gives it, or checked against the state root by proofs. */

import { hexToBytes, ZERO_ADDRESS } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { SchemaError } from '../../base/errors.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import { EMPTY_CODE_HASH } from '../../ethereum/state/account.ts'
import { hexUpTo, quantity, type Reader, storageWord } from './answers.ts'
import { type ProofParts, proofReader } from './proof.ts'
import type { Remote, RemoteRequest } from './remote.ts'

/** An account, or with `slot` one of its slots. */
export interface StateKey {
  readonly address: Address
  /** 32 bytes. */
  readonly slot?: Hex
}

/** The parameter of requests that names the block: by hash (EIP-1898), or by number for a node that takes no hash. */
export type BlockParameter = { readonly blockHash: Hash } | Hex

/** A request that every node answers for a block that it has, if it takes how the block is named. */
export const requestAt = (block: BlockParameter): RemoteRequest => ({
  method: 'eth_getBalance',
  params: [ZERO_ADDRESS, block],
  read: quantity(256),
  isPinned: false,
})

/** How requests name the forked block. */
export interface NamedBlock extends Pick<RemoteRequest, 'isPinned' | 'stateOf'> {
  readonly block: BlockParameter
}

/** An account of the forked chain. */
export interface RemoteAccount {
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Hex
}

/** Reads of the state of the forked block. Those that begin at once share a trip. */
export interface StateReads {
  /** Whether the cache has a key, so that it is read without a trip. */
  isCached(key: StateKey): boolean
  /** An account that the cache has, null if there is none; undefined if it has to be waited for. */
  cachedAccount(address: Address): RemoteAccount | null | undefined
  /** A slot that the cache has; undefined if it has to be waited for. */
  cachedSlot(address: Address, slot: Hex): bigint | undefined
  /** An account; null if there is none. Rejects as `Remote.ask` does. */
  account(address: Address): Promise<RemoteAccount | null>
  /** A slot; 0n if it is not set. Rejects as `Remote.ask` does. */
  slot(address: Address, slot: Hex): Promise<bigint>
}

/** Reads that take the node's word. */
export function createPlainReads(remote: Pick<Remote, 'ask' | 'cached'>, at: () => NamedBlock): StateReads {
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
      return requests.every((one) => remote.cached(one) !== undefined)
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

/** A request whose answer is converted at once. */
interface PlainRequest<Result> extends RemoteRequest<Result> {
  readonly read: Reader<Result>
}

/** What the cache has; undefined if a line was changed, so that it is asked for again, or refused, where it is waited for. */
function readCached<Result>(
  remote: Pick<Remote, 'cached'>,
  request: PlainRequest<Result>,
): Result | undefined {
  const answer = remote.cached(request)
  if (answer === undefined) return undefined
  try {
    return request.read(answer)
  } catch (error) {
    if (error instanceof SchemaError) return undefined
    throw error
  }
}

/** Nodes answer for an absent account as for an empty one, which no state has since EIP-161. */
function toAccount(balance: bigint, nonce: bigint, code: Hex): RemoteAccount | null {
  return balance === 0n && nonce === 0n && code === '0x' ? null : { balance, nonce, code }
}

/**
 * Reads by eth_getProof, each checked against the state root, and codes against the hash that is proven.
 *
 * @param remote - merges the proofs of one account, since each key is asked for by itself (`withMergedProofs`).
 */
export function createProvenReads(
  remote: Remote,
  at: () => NamedBlock,
  parts: ProofParts & { readonly crypto: Crypto },
): StateReads {
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
      return requests.every((one) => remote.cached(one) !== undefined)
    },
    // A proof is verified, and a code waits for its proven hash.
    cachedAccount: () => undefined,
    cachedSlot: () => undefined,
    async account(address) {
      // Both at once: what is kept of the code waits for its hash.
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
