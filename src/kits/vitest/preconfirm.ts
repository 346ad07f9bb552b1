/** Sending with a manual clock: time passes once a transaction has reached the chain. */

import { type Clock, systemClock, type Timer } from '../../base/clock.ts'
import { isManual } from '../../base/options/optionSchemas.ts'
import type { PresealChain } from '../../chain/handle.ts'
import { countWaiting, findNonceGaps, type Left, readMining } from '../../chain/readMining.ts'
import { NonceGapsError } from '../../core/open/errors.ts'
import type { ChainFixtures } from './fixtures.ts'

/** How long, in milliseconds of real time, nothing arrives before a nonce gap counts as the reason. */
const PATIENCE = 2000

interface PreconfirmOptions {
  /** What `deploy` left: a gap in it is no reason. */
  readonly left?: Left
  readonly patience?: number
}

/** Creates the fixture `preconfirm`. */
export function createPreconfirm(
  chain: PresealChain,
  clock: Clock,
  { left, patience = PATIENCE }: PreconfirmOptions = {},
): ChainFixtures['preconfirm'] {
  /** @throws NonceGapsError if there is a gap, and nothing that a tick can include. */
  const checkGaps = async (): Promise<void> => {
    const gaps = await findNonceGaps(chain, left)
    if (gaps.length > 0 && (await countWaiting(chain)) === 0) throw new NonceGapsError(gaps)
  }
  /** Lets the chain publish what waits; resolves to false if it does so by itself. */
  const publish = async (): Promise<boolean> => {
    const { automine, interval } = await readMining(chain.standard)
    if (automine === true) return false
    if (interval === null) await chain.tick()
    else if (isManual(clock)) await clock.advance(chain.preconfInterval)
    else return false
    return true
  }
  return async <T>(sending: PromiseLike<T>): Promise<T> => {
    let outcome: 'none' | 'done' | 'failed' = 'none'
    const settled = Promise.resolve(sending).then(
      () => {
        outcome = 'done'
      },
      () => {
        outcome = 'failed'
      },
    )
    let onArrival = (): void => {}
    const listen = (): void => onArrival()
    chain.on('transaction', listen)
    try {
      for (;;) {
        const arrival = new Promise<void>((resolve) => {
          onArrival = resolve
        })
        // Read before the count: after the count, another transaction may be sent, and the promise resolve.
        const isDone = (outcome as string) === 'done'
        const isWaiting = (await countWaiting(chain)) > 0
        if ((outcome as string) === 'failed' || (isDone && !isWaiting)) return await sending
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
