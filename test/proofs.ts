/** Verifies Merkle proofs like a light client (EIP-1186): by the block's state root alone, with stock @ethereumjs. */
import { verifyMerkleProof } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { expect } from 'vitest'
import { bigintToBytes, bytesToHex, hexToBytes } from '../src/base/bytes.ts'
import type { Hash, Hex, PresealRpcAccountProof } from '../src/index.ts'

/** The root of a trie without keys. */
export const EMPTY_ROOT: Hash = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const EMPTY_CODE_HASH: Hash = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'

/** The value that `proof` proves for `key` under `root`; null for absence. Throws if the proof is invalid. */
export async function provenValue(root: Hash, key: Hex, proof: readonly Hex[]): Promise<Uint8Array | null> {
  // @ethereumjs does not accept an empty proof, which is the proof in an empty trie.
  if (root === EMPTY_ROOT) {
    expect(proof).toEqual([])
    return null
  }
  const options = { root: hexToBytes(root), useKeyHashing: true }
  return verifyMerkleProof(hexToBytes(key), proof.map(hexToBytes), options)
}

/** Expects every claim of an answer of eth_getProof to be proven under `stateRoot`. */
export async function expectProven(stateRoot: Hash, answer: PresealRpcAccountProof): Promise<void> {
  const { address, nonce, balance, storageHash, codeHash } = answer
  const account = await provenValue(stateRoot, address, answer.accountProof)
  if (account === null) {
    expect([nonce, balance, storageHash, codeHash]).toEqual(['0x0', '0x0', EMPTY_ROOT, EMPTY_CODE_HASH])
  } else {
    const claimed = [
      ...[nonce, balance].map((value) => bytesToHex(bigintToBytes(BigInt(value)))),
      storageHash,
      codeHash,
    ]
    expect((RLP.decode(account) as Uint8Array[]).map(bytesToHex)).toEqual(claimed)
  }
  for (const { key, value, proof } of answer.storageProof) {
    const slot = await provenValue(storageHash, `0x${key.slice(2).padStart(64, '0')}`, proof)
    expect(slot === null ? 0n : BigInt(bytesToHex(RLP.decode(slot) as Uint8Array))).toBe(BigInt(value))
  }
}
