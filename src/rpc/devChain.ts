/**
 * What the methods of development chains share: the names that anvil, Hardhat and ganache have for them, and handlers
 * that take another unit under another name.
 */
import { dropTransactions } from '../cheats/pool.ts'
import { setBlockTimestampInterval } from '../cheats/time.ts'
import type { Hash } from '../primitives/types.ts'
import { type MethodOptions, method, type RpcContext } from './method.ts'
import { integer } from './params/dev.ts'

const PREFIXES = ['anvil', 'evm', 'ganache', 'hardhat'] as const
type Prefix = (typeof PREFIXES)[number]

/** A method under the prefix of every development chain, or of some: suites use those of the chain they know. */
export function devNames<Name extends string, P extends Prefix = Prefix>(
  name: Name,
  prefixes: readonly P[] = PREFIXES as readonly Prefix[] as readonly P[],
): readonly `${P}_${Name}`[] {
  return prefixes.map((prefix) => `${prefix}_${name}` as const)
}

/** Sets the time between each block and the next, given in the method's own unit. */
export function setTimestampInterval<const Alias extends string = never>(
  toSeconds: (value: number) => number,
  options?: MethodOptions<Alias>,
) {
  return method(
    [integer],
    async ({ control }, value) => {
      await setBlockTimestampInterval(control.cheats, BigInt(toSeconds(value)))
      return null
    },
    options,
  )
}

/** Sets the time from block to block, given in the method's own unit; 0 for none by the clock. */
export function setIntervalMining<const Alias extends string = never>(
  toMs: (value: number) => number,
  options?: MethodOptions<Alias>,
) {
  return method(
    [integer],
    async ({ control }, value) => {
      control.cheats.mining.setBlockTime(toMs(value))
      return null
    },
    options,
  )
}

/** What the chain is, and where it stands; after a reset it is another instance. */
export function metadata({ read, control, viewed }: RpcContext) {
  const { block } = viewed.tip.head
  return {
    clientVersion: read.clientVersion,
    chainId: Number(read.chainId),
    instanceId: control.cheats.snapshots.instance,
    latestBlockNumber: Number(block.number),
    latestBlockHash: block.hash,
  }
}

/** Gives up a transaction that waits or is pre-confirmed. @returns whether there was one. */
export async function dropTransaction({ control }: RpcContext, hash: Hash): Promise<boolean> {
  return (await dropTransactions(control.cheats, (tx) => tx.hash === hash)) > 0
}
