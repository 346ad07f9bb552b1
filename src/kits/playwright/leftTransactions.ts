/** Finds transactions that a failed test has left waiting, since it lacks the call that would include or seal them. */

import type { TestInfo } from '@playwright/test'
import { isManual } from '../../base/options/optionSchemas.ts'
import type { PresealChain } from '../../chain/handle.ts'
import { findLeft, readMining } from '../../chain/readMining.ts'
import type { NonceGapsError } from '../../core/open/errors.ts'
import { TransactionsLeftError } from './errors.ts'

type FailedTest = Pick<TestInfo, 'status' | 'errors'>

/** Returns the error of {@link findLeft}. If the chain makes blocks in real time, only nonce gaps are an error. */
export function findLeftTransactions(
  chain: PresealChain,
  test: FailedTest,
): Promise<TransactionsLeftError | NonceGapsError | undefined> {
  const { clock, standard } = chain
  return findLeft(chain, { isTimedOut: hasTimedOut(test) }, async (count, what) => {
    const isByClock = (await readMining(standard)).interval !== null
    if (isByClock && !isManual(clock)) return undefined
    const byHand = what === 'a tick' ? 'chain.tick()' : 'chain.seal()'
    const elapsedMs = isManual(clock) ? clock.elapsed : undefined
    return new TransactionsLeftError(count, what, isByClock ? 'chain.advance(ms)' : byHand, elapsedMs)
  })
}

/** Whether the test, an action or an assertion timed out. The test's errors have no class, so their messages decide. */
function hasTimedOut({ status, errors }: FailedTest): boolean {
  return status === 'timedOut' || errors.some(({ message = '' }) => /\btime(out|d out)\b/i.test(message))
}
