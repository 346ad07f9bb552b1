/** Sending with a manual clock: time passes once a transaction has reached the chain. */
import type { PresealChain } from '../chain/handle.ts'
import { countWaiting, readMining } from '../chain/readMining.ts'
import { isManual } from '../config/optionSchemas.ts'
import type { Clock } from '../primitives/clock.ts'
import type { ChainFixtures } from './fixtures.ts'

/** Creates the fixture `preconfirm`. */
export function createPreconfirm(chain: PresealChain, clock: Clock): ChainFixtures['preconfirm'] {
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
        if (!isWaiting) await Promise.race([settled, arrival])
        else if (!(await publish())) return await sending
      }
    } finally {
      chain.off('transaction', listen)
    }
  }
}
