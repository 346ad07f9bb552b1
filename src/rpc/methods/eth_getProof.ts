import { bytesToHex, quantity } from '../../base/bytes.ts'
import type { PresealRpcAccountProof } from '../../base/rpcTypes.ts'
import { array, optional } from '../../base/schema.ts'
import { EMPTY_ACCOUNT } from '../../ethereum/state/account.ts'
import { proveAccount, proveSlot, storageRoot } from '../../ethereum/state/stateTrie.ts'
import { createPause, defineMethod } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { address, proofKey } from '../params/params.ts'

/** Maximum number of slots per request, as in go-ethereum. */
const MAX_KEYS = 1024

/**
 * Returns an account and some of its slots with Merkle proofs (EIP-1186). An absent account has the values of an empty
 * one, or zero hashes in the `geth` dialect.
 *
 * @throws HeaderNotFoundError
 * @throws StateUnavailableError for a block older than `history.proofs`
 * @group State and calls
 * @example ["$probe", ["0x7", "$unknown"], "latest"]
 */
export const eth_getProof = defineMethod({
  class: 'node',
  onFork: { reads: 'trie', answer: 'proof' },
  params: [address, array(proofKey, { max: MAX_KEYS }), optional(blockParameter)],
  handler: async (
    { viewed, read, dialect, closed },
    account,
    keys,
    reference,
  ): Promise<PresealRpcAccountProof> => {
    const { crypto } = read
    const { stateTrie } = await viewed.require(reference)
    const { value: leaf, proof } = proveAccount(stateTrie, account, crypto)
    const { nonce, balance, codeHash } = leaf?.record ?? EMPTY_ACCOUNT
    const storage = leaf?.storage ?? null
    const absent = leaf === undefined ? dialect.absentAccountHash : undefined
    const storageProof: PresealRpcAccountProof['storageProof'][number][] = []
    const pause = createPause({ read, closed })
    for (const { slot, shown } of keys) {
      const { value, proof: nodes } = proveSlot(storage, slot, crypto)
      storageProof.push({ key: shown, value: quantity(value), proof: nodes.map(bytesToHex) })
      const wait = pause()
      if (wait) await wait
    }
    return {
      address: account,
      accountProof: proof.map(bytesToHex),
      balance: quantity(balance),
      codeHash: absent ?? codeHash,
      nonce: quantity(nonce),
      storageHash: absent ?? bytesToHex(storageRoot(storage, crypto)),
      storageProof,
    }
  },
})
