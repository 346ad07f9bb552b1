/** Results that several methods of development chains share. */

import type { Hash } from '../base/types.ts'
import { dropTransactions } from '../core/cheats/blocks.ts'
import type { RpcContext } from './method.ts'

/** Returns the result of web3_clientVersion. */
export function clientVersion({ read, dialect }: Pick<RpcContext, 'read' | 'dialect'>): string {
  return read.clientVersion ?? dialect.clientVersion
}

/** Returns the chain's identity and head. A reset changes `instanceId`. */
export function metadata(context: RpcContext) {
  const { read, control, viewed } = context
  const { block } = viewed.tip.head
  return {
    clientVersion: clientVersion(context),
    chainId: Number(read.chainId),
    instanceId: control.cheats.snapshots.instance,
    latestBlockNumber: Number(block.number),
    latestBlockHash: block.hash,
  }
}

/** Drops a waiting or pre-confirmed transaction. @returns false if there is none with this hash. */
export async function dropTransaction({ control }: RpcContext, hash: Hash): Promise<boolean> {
  return (await dropTransactions(control.cheats, (tx) => tx.hash === hash)) > 0
}

/** Returns the forked chain as in anvil_metadata and hardhat_metadata; undefined if the chain is not a fork. */
export function forkedNetwork({ viewed }: RpcContext) {
  const { fork } = viewed.tip.base
  if (fork === undefined) return undefined
  return {
    chainId: Number(fork.chainId),
    forkBlockNumber: Number(fork.number),
    forkBlockHash: fork.hash,
  }
}
