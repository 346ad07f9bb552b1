/** Whether the forked node still has the block that a chain was forked at. */

import { quantity } from '../../base/bytes.ts'
import { orNull } from '../../core/fork/answers.ts'
import { SETTLED_DEPTH } from '../../core/fork/earlyState.ts'
import { ForkedChainChangedError, NotInForkCacheError } from '../../core/fork/errors.ts'
import type { ForkReads } from '../../core/view/sources.ts'
import { askNow, blockAt, type ForkRequest } from './request.ts'
import { quantity64 } from './shapes.ts'

/** By connection to the node: the check under way, or the last one, if its outcome cannot change. */
const checks = new WeakMap<object, Promise<void>>()

/**
 * Requires that the forked node has the same block at the fork as when the chain was started. Requests at the same time
 * share one check; there are no more once the block is deep enough.
 *
 * @throws ForkedChainChangedError from then on, if it has another one.
 */
export async function requirePinned({ fork }: Pick<ForkRequest, 'fork'>): Promise<void> {
  const { node } = fork
  let check = checks.get(node)
  if (check === undefined) {
    const isFinal = checkPin(fork)
    check = isFinal.then(() => {})
    checks.set(node, check)
    const forget = () => checks.delete(node)
    isFinal.then(
      (final) => final || forget(),
      (error) => error instanceof ForkedChainChangedError || forget(),
    )
  }
  await check
}

/** @returns whether no further check is needed. */
async function checkPin(fork: ForkReads): Promise<boolean> {
  const { number, hash } = fork
  try {
    const [found, head] = await Promise.all([
      askNow<{ hash: string } | null>(
        fork,
        'eth_getBlockByNumber',
        [quantity(number), false],
        orNull(blockAt({ number })),
      ),
      askNow<string>(fork, 'eth_blockNumber', [], quantity64),
    ])
    if (found?.hash.toLowerCase() !== hash) throw new ForkedChainChangedError(number)
    return BigInt(head) - number >= SETTLED_DEPTH
  } catch (error) {
    // Offline all answers are from the cache, which no reorganisation changes.
    if (error instanceof NotInForkCacheError) return true
    throw error
  }
}
