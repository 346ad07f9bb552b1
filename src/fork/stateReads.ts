/** How the state of the forked block is read: as the node gives it, or checked against the state root by proofs. */
import type { Crypto } from '../crypto/crypto.ts'
import { hexToBytes } from '../primitives/bytes.ts'
import { SchemaError } from '../primitives/errors.ts'
import type { Address, Hash, Hex } from '../primitives/types.ts'
import { EMPTY_CODE_HASH } from '../state/account.ts'
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
  /** An account; null if there is none. Rejects as `Remote.ask` does. */
  account(address: Address): Promise<RemoteAccount | null>
  /** A slot; 0n if it is not set. Rejects as `Remote.ask` does. */
  slot(address: Address, slot: Hex): Promise<bigint>
}

/** Reads that take the node's word. */
export function createPlainReads(remote: Remote, at: () => NamedBlock): StateReads {
  const request = <T>(method: string, params: readonly unknown[], read: Reader<T>): RemoteRequest<T> => {
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
      return slot === undefined
        ? accountRequests(address).every((one) => remote.isCached(one))
        : remote.isCached(slotRequest(address, slot))
    },
    async account(address) {
      const [ofBalance, ofNonce, ofCode] = accountRequests(address)
      const [balance, nonce, code] = await Promise.all([
        remote.ask(ofBalance),
        remote.ask(ofNonce),
        remote.ask(ofCode),
      ])
      // Nodes answer for an absent account as for an empty one, which no state has since EIP-161.
      return balance === 0n && nonce === 0n && code === '0x' ? null : { balance, nonce, code }
    },
    slot: async (address, slot) => BigInt(await remote.ask(slotRequest(address, slot))),
  }
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
      if (slot !== undefined) return remote.isCached(proofRequest(address, [slot]))
      const ofCode = codeRequest(address, async () => EMPTY_CODE_HASH)
      return remote.isCached(proofRequest(address, [])) && remote.isCached(ofCode)
    },
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
