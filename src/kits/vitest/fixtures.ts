/** The options and the fixtures of `preseal/vitest`, and the fixture `preconfirm`. */

import { type Clock, systemClock, type Timer } from '../../base/clock.ts'
import type { ManualClock } from '../../base/manualClock.ts'
import { isManual } from '../../base/options/optionSchemas.ts'
import type { PresealChain } from '../../chain/handle.ts'
import { countWaiting, findNonceGaps, type Left, readMining } from '../../chain/readMining.ts'
import { NonceGapsError } from '../../core/open/errors.ts'
import type { ChainOptions } from '../../core/options.ts'
import type { Provider } from '../../rpc/provider.ts'

/** The options of `createChain`, except `clock` and `database`, which each test chain creates for itself. */
export type TestChainOptions = Omit<ChainOptions, 'clock' | 'database'>

/** The fixtures of a chain, for tests and `deploy`. */
export interface ChainFixtures<ChainClock extends Clock = ManualClock> {
  /** The chain, in the same state for each test. Its connections and listeners are closed when the test ends. */
  readonly chain: PresealChain<ChainClock>
  /** `chain.standard`: answers from sealed blocks. */
  readonly standard: Provider
  /** `chain.preconf`: answers `pending` from the block under construction. */
  readonly preconf: Provider
  /** `chain.live`: the preconf view for stock clients. */
  readonly live: Provider
  /** The chain's clock: `await clock.advance(200)` lets 200 ms pass. */
  readonly clock: ChainClock
  /**
   * Waits for a send, such as `client.sendTransactionSync(…)`, while the chain pre-confirms all that arrives: advances a
   * manual clock tick by tick, or calls `chain.tick()` in `manual` mining.
   *
   * @throws NonceGapsError if for two seconds only transactions behind a nonce gap wait.
   * @throws the error of the send.
   * @returns the result of the send. If the fixture makes the ticks, it first waits until no transaction needs a tick.
   */
  preconfirm<T>(sending: PromiseLike<T>): Promise<T>
}

/** The fixtures of `createChainTest`. */
export interface ChainTestFixtures<Deployed = undefined, ChainClock extends Clock = ManualClock>
  extends ChainFixtures<ChainClock> {
  /** The result of `deploy` for this chain. */
  readonly deployed: Deployed
  /** The options of the chain; override them with a value for the tests of a `describe`. */
  readonly chainOptions: TestChainOptions
}

/** The options of `createChainTest`. */
export interface ChainTestOptions<Deployed = undefined, ChainClock extends Clock = ManualClock> {
  /** The options of each chain; by default `{}`. */
  readonly chainOptions?: TestChainOptions | undefined
  /** Creates the clock of a chain; by default `createManualClock`. */
  createClock?(): ChainClock
  /**
   * Prepares a chain: deploys contracts, sets balances. Runs once per chain: once per file and `chainOptions`, and more
   * often if tests run concurrently or a chain cannot be rolled back. Connections that it opens stay open until the chain
   * closes.
   */
  deploy?(fixtures: ChainFixtures<ChainClock>): Deployed | Promise<Deployed>
}

/**
 * @param left - the transactions that `deploy` left. A nonce gap before them is no error.
 * @param patience - after how many milliseconds of real time without a new transaction it looks for a nonce gap.
 */
export function createPreconfirm(
  chain: PresealChain,
  { left, patience = 2000 }: { readonly left?: Left; readonly patience?: number } = {},
): ChainFixtures['preconfirm'] {
  const { clock } = chain
  /** @throws NonceGapsError if there is a nonce gap and a tick can include nothing */
  const checkGaps = async (): Promise<void> => {
    const gaps = await findNonceGaps(chain, left)
    if (gaps.length > 0 && (await countWaiting(chain)) === 0) throw new NonceGapsError(gaps)
  }
  /** Makes the chain pre-confirm the waiting transactions. Resolves to false if the chain does so by itself. */
  const publish = async (): Promise<boolean> => {
    const { automine, interval } = await readMining(chain.standard)
    if (automine === true) return false
    if (interval === null) await chain.tick()
    else if (isManual(clock)) await clock.advance(chain.preconfInterval)
    else return false
    return true
  }
  return async <T>(sending: PromiseLike<T>): Promise<T> => {
    let outcome = 'none' as 'none' | 'done' | 'failed'
    const settle = (as: 'done' | 'failed') => (): void => {
      outcome = as
    }
    const settled = Promise.resolve(sending).then(settle('done'), settle('failed'))
    let onArrival = (): void => {}
    const listen = (): void => onArrival()
    chain.on('transaction', listen)
    try {
      for (;;) {
        const arrival = new Promise<void>((resolve) => {
          onArrival = resolve
        })
        // Read before the count: during the count, `sending` may send a further transaction and resolve.
        const isDone = outcome === 'done'
        const isWaiting = (await countWaiting(chain)) > 0
        if (outcome === 'failed' || (isDone && !isWaiting)) return await sending
        if (!isWaiting) {
          let timer: Timer | undefined
          const late = new Promise<'late'>((resolve) => {
            timer = systemClock.setTimeout(() => resolve('late'), patience)
          })
          const first = await Promise.race([settled, arrival, late])
          systemClock.clearTimeout(timer!)
          if (first === 'late') await checkGaps()
        } else if (!(await publish())) return await sending
      }
    } finally {
      chain.off('transaction', listen)
    }
  }
}
