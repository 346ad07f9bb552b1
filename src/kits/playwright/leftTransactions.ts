/** What a failed test waited for in vain: transactions that the chain includes or seals only if the test lets it. */

import { isManual } from '../../base/options/optionSchemas.ts'
import type { PresealChain } from '../../chain/handle.ts'
import { countPreconfirmed, countWaiting, findNonceGaps, readMining } from '../../chain/readMining.ts'
import { NonceGapsError } from '../../core/open/errors.ts'
import { DisconnectedError } from '../../core/sequencer/errors.ts'
import { TransactionsLeftError } from './errors.ts'

/** The parts of Playwright's `testInfo` that tell how a test has failed. */
interface FailedTest {
  readonly status?: string | undefined
  readonly errors: readonly { readonly message?: string | undefined }[]
}

/**
 * The error for transactions that a failed test left waiting: those behind a nonce gap, those that the next tick can include or, if the test waited for
 * something until a timeout, those that are pre-confirmed. Undefined if there are none, if the chain makes its blocks in
 * real time, or if it is closed.
 */
export async function findLeftTransactions(
  chain: PresealChain,
  test: FailedTest,
): Promise<TransactionsLeftError | NonceGapsError | undefined> {
  const { clock, standard } = chain
  try {
    const gaps = await findNonceGaps(chain)
    if (gaps.length > 0) return new NonceGapsError(gaps)
    const isByClock = (await readMining(standard)).interval !== null
    if (isByClock && !isManual(clock)) return undefined
    const elapsedMs = isManual(clock) ? clock.elapsed : undefined
    const expected = (byHand: string): string => (isByClock ? 'chain.advance(ms)' : byHand)
    const waiting = await countWaiting(chain)
    if (waiting > 0) return new TransactionsLeftError(waiting, 'a tick', expected('chain.tick()'), elapsedMs)
    const sealable = hasTimedOut(test) ? await countPreconfirmed(chain) : 0
    if (sealable > 0)
      return new TransactionsLeftError(sealable, 'the seal', expected('chain.seal()'), elapsedMs)
  } catch (error) {
    if (!(error instanceof DisconnectedError)) throw error
  }
  return undefined
}

/** Whether the test, an assertion or an action timed out. An assertion's error has no class, but states its timeout. */
function hasTimedOut({ status, errors }: FailedTest): boolean {
  return status === 'timedOut' || errors.some(({ message = '' }) => /\btime(out|d out)\b/i.test(message))
}
