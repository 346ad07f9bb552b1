/** Reads how a chain makes blocks, and what waits for them, by methods that other development chains also have. */

import type { Provider } from '../rpc/provider.ts'
import type { PresealChain } from './handle.ts'

/** How blocks are made. */
export interface Mining {
  /** Whether each transaction is mined at once. */
  readonly automine: unknown
  /** Seconds from block to block; null if no blocks are made by the clock. */
  readonly interval: unknown
}

/** How a chain makes blocks at the moment. @throws PresealRpcError 4900 if it is closed. */
export async function readMining(provider: Provider): Promise<Mining> {
  const automine = await provider.request({ method: 'hardhat_getAutomine' })
  const interval = await provider.request({ method: 'anvil_getIntervalMining' })
  return { automine, interval }
}

/** How many transactions the next tick can include. @throws PresealRpcError 4900 if the chain is closed. */
export async function countWaiting({ standard }: PresealChain): Promise<number> {
  return Number((await standard.request({ method: 'txpool_status' })).pending)
}

/** How many transactions are pre-confirmed, and wait for the seal. @throws PresealRpcError 4900 if the chain is closed. */
export async function countPreconfirmed({ preconf }: PresealChain): Promise<number> {
  return Number(
    await preconf.request({ method: 'eth_getBlockTransactionCountByNumber', params: ['pending'] }),
  )
}
