/** Whether a fork can be read from another node. */

import { quantity } from '../../../base/bytes.ts'
import type { Hash } from '../../../base/types.ts'
import { blockOrNull, chainIdQuantity } from '../../fork/answers.ts'
import { OtherForkedChainError, RemoteRpcError } from '../../fork/errors.ts'
import type { Remote, RemoteRequest } from '../../fork/remote.ts'
import { type BlockParameter, requestAt } from '../../fork/stateReads.ts'

/** The forked block, and its chain. */
export interface ForkedPlace {
  readonly chainId: bigint
  readonly number: bigint
  readonly hash: Hash
}

/**
 * Requires that a node has the forked chain, the forked block and its state.
 *
 * @param named - how requests name the block.
 * @returns how they name it at that node: `number` if it takes no hashes (EIP-1898).
 * @throws OtherForkedChainError, RemoteRpcError, ForkedStateUnavailableError, ForkedNodeUnansweredError,
 * InvalidRemoteAnswerError, ForkClosedError
 */
export async function checkNode(
  node: Remote,
  { chainId, number, hash }: ForkedPlace,
  named: BlockParameter,
): Promise<'hash' | 'number'> {
  const stateAt = (block: BlockParameter): RemoteRequest => ({ ...requestAt(block), stateOf: number })
  const [ownId, block, balance] = await node.askAll([
    { method: 'eth_chainId', params: [], read: chainIdQuantity, isPinned: false },
    {
      method: 'eth_getBlockByNumber',
      params: [quantity(number), false],
      read: (answer) => blockOrNull(answer)?.hash.toLowerCase(),
      isPinned: false,
    },
    stateAt(named),
  ])
  if (requireValue(ownId!) !== chainId) throw new OtherForkedChainError(`chain id ${chainId}`)
  if (requireValue(block!) !== hash) throw new OtherForkedChainError(`block ${number} with the hash ${hash}`)
  const isByHash = typeof named !== 'string'
  if (isByHash && balance!.status === 'rejected' && balance!.reason instanceof RemoteRpcError) {
    await node.ask(stateAt(quantity(number)))
    return 'number'
  }
  requireValue(balance!)
  return isByHash ? 'hash' : 'number'
}

function requireValue(settled: PromiseSettledResult<unknown>): unknown {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}
