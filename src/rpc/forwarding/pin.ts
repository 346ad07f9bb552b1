/** Whether the forked node still has the block that a chain was forked at. */
import type { ForkReads } from '../../view/sources.ts'
import { ForkReorganizedError } from '../errors.ts'
import { ask, blockAt } from './request.ts'
import { nullable } from './shapes.ts'

/** By fork: the check under way, or its error, which stays. */
const checks = new WeakMap<ForkReads, Promise<void>>()

/**
 * Requires that the forked node has the same block at the fork as when the chain was started. Requests at the same time
 * share one check.
 *
 * @throws ForkReorganizedError from then on, if it has another one.
 */
export async function requirePinned({ fork }: { readonly fork: ForkReads }): Promise<void> {
  let check = checks.get(fork)
  if (check === undefined) {
    check = checkPin(fork)
    checks.set(fork, check)
  }
  try {
    await check
    forget(fork, check)
  } catch (error) {
    if (!(error instanceof ForkReorganizedError)) forget(fork, check)
    throw error
  }
}

function forget(fork: ForkReads, check: Promise<void>): void {
  if (checks.get(fork) === check) checks.delete(fork)
}

async function checkPin(fork: ForkReads): Promise<void> {
  const { number, hash } = fork
  const params = [`0x${number.toString(16)}`, false]
  const found = await ask<{ hash: string } | null>(
    { fork },
    'eth_getBlockByNumber',
    params,
    nullable(blockAt({ number })),
  )
  if (found?.hash.toLowerCase() !== hash) throw new ForkReorganizedError(number, hash)
}
