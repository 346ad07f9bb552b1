/** Chains that are forked, and requests to them. */
import type { ForkCacheLocation } from '../../../src/base/options/forkOptions.ts'
import { hexUpTo, quantity } from '../../../src/core/fork/answers.ts'
import { openForkCache } from '../../../src/core/fork/cache.ts'
import type { RemoteRequest } from '../../../src/core/fork/remote.ts'
import type { Hex, PresealChain } from '../../../src/index.ts'
import { viemOn } from '../../harness.ts'

/** Seals a block with one transfer, and returns its hash. */
export async function transferFrom(chain: PresealChain): Promise<Hex> {
  await viemOn(chain)
    .wallet()
    .sendTransaction({ to: `0x${'77'.repeat(20)}`, value: 1n })
  await chain.seal()
  const block = await chain.standard.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
  return block!.hash!
}

/** The balance of an account at a block. */
export function balanceOf(address: Hex, blockHash: Hex): RemoteRequest<bigint> {
  return { method: 'eth_getBalance', params: [address, { blockHash }], read: quantity(256), isPinned: true }
}

/** The code of an account at a block. */
export function codeOf(address: Hex, blockHash: Hex): RemoteRequest<Hex> {
  return { method: 'eth_getCode', params: [address, { blockHash }], read: hexUpTo(), isPinned: true }
}

/** The lines of the cache of a block, codes included. */
export async function recordedText(location: ForkCacheLocation, blockHash: Hex, chainId = 31_337) {
  const cache = await openForkCache(location)
  await cache.load(chainId, blockHash)
  return cache.toText()
}
