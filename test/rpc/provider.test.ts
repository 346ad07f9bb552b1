import { describe, expect, it } from 'vitest'
import { realNow, replaceRealTime, systemClock } from '../../src/base/clock.ts'
import type { MaybePromise } from '../../src/base/types.ts'
import { createChain, type PresealChain, type Provider, type ViewKind } from '../../src/index.ts'
import { send, sign } from '../core/sequencer/support.ts'
import { startChain } from '../harness.ts'

/** Counts the turns of the event loop until `work` is done. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const counting = (async () => {
    while (!isOver) {
      await systemClock.yield()
      turns += 1
    }
  })()
  await work()
  isOver = true
  await counting
  return turns
}

/** Does the work under a real time that advances by 1 ms at each reading. */
async function withTickingTime<Result>(work: () => Promise<Result>): Promise<Result> {
  let ms = realNow()
  const restore = replaceRealTime(() => ms++)
  try {
    return await work()
  } finally {
    restore()
    // Times recorded under the replaced clock are discarded with this turn.
    await systemClock.yield()
  }
}

describe('request', () => {
  it.each<ViewKind>(['standard', 'preconf'])(
    'yields to the event loop every 10 ms in a loop of awaited requests on %s',
    async (view) => {
      const provider = (await startChain()).provider(view)
      const turns = await withTickingTime(() =>
        countTurns(async () => {
          for (let i = 0; i < 500; i++) await provider.request({ method: 'eth_blockNumber' })
        }),
      )
      expect(turns).toBeGreaterThanOrEqual(500 / 11)
    },
  )

  it('yields to the event loop in a loop of awaited requests that fail', async () => {
    const { preconf } = await startChain()
    const turns = await withTickingTime(() =>
      countTurns(async () => {
        for (let i = 0; i < 500; i++) await preconf.request({ method: 'eth_unknown' }).catch(() => {})
      }),
    )
    expect(turns).toBeGreaterThanOrEqual(500 / 11)
  })

  it.each(['tick', 'seal', 'snapshot'] as const)(
    'yields to the event loop in a loop of awaited calls of chain.%s',
    async (name) => {
      const chain = await startChain()
      const turns = await withTickingTime(() =>
        countTurns(async () => {
          for (let i = 0; i < 55; i++) await chain[name]()
        }),
      )
      expect(turns).toBeGreaterThanOrEqual(55 / 11)
    },
  )

  it('answers from the state at the time of the request if the answer is delayed', async () => {
    const chain = await startChain()
    const answers = await withTickingTime(async () => {
      for (let i = 0; i < 9; i++) await chain.preconf.request({ method: 'eth_blockNumber' })
      const before = chain.preconf.request({ method: 'eth_blockNumber' })
      await chain.seal()
      return [await before, await chain.preconf.request({ method: 'eth_blockNumber' })]
    })
    expect(answers).toEqual(['0x0', '0x1'])
  })

  it('rejects a delayed answer if the provider is closed meanwhile', async () => {
    const chain = await startChain()
    const provider = chain.provider('preconf')
    await withTickingTime(async () => {
      for (let i = 0; i < 10; i++) await provider.request({ method: 'eth_blockNumber' })
      const last = provider.request({ method: 'eth_blockNumber' })
      await Promise.resolve()
      await Promise.resolve()
      provider.close()
      await expect(last).rejects.toMatchObject({ code: 4900 })
    })
  })

  it.each<[string, (chain: PresealChain, provider: Provider) => MaybePromise<void>]>([
    ['chain', (chain) => chain.close()],
    ['provider', (_, provider) => provider.close()],
  ])('gives up filters and subscriptions while the %s is closed, and after it', async (_, close) => {
    const chain = await startChain()
    const provider = chain.provider('preconf')
    const filter = await provider.request({ method: 'eth_newBlockFilter' })
    const subscription = await provider.request({ method: 'eth_subscribe', params: ['newHeads'] })
    const giveUp = () =>
      Promise.all([
        provider.request({ method: 'eth_uninstallFilter', params: [filter] }),
        provider.request({ method: 'eth_unsubscribe', params: [subscription] }),
        provider.request({ method: 'eth_getFilterChanges', params: [filter] }).catch(({ code }) => code),
      ])
    const inFlight = giveUp()
    const closing = close(chain, provider)
    expect(await inFlight).toEqual([true, true, 4900])
    await closing
    expect(await giveUp()).toEqual([true, true, 4900])
    // There is nothing that it could name.
    expect(await provider.request({ method: 'eth_unsubscribe' })).toBe(true)
  })

  it('lets the timer of the chain fire while a loop polls for the receipt', async () => {
    const chain = await createChain({ blockTime: 1000, preconfInterval: 10 })
    const hash = await send(chain, { nonce: 0 })
    let receipt: unknown = null
    // If the loop kept the chain's timer from firing, it would keep the test's own timeout from firing too.
    for (let left = 1e6; receipt === null && left > 0; left--) {
      receipt = await chain.preconf.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    }
    expect(receipt).toMatchObject({ transactionHash: hash, status: '0x1' })
    await chain.close()
  })

  it('has answered a sequence of requests that follows a tick when advancing the clock returns', async () => {
    const chain = await startChain({ mining: 'interval' })
    const { preconf } = chain
    const raw = await sign(chain, { nonce: 0 })
    let done = 0
    const work = (async () => {
      await preconf.request({ method: 'eth_sendRawTransactionSync', params: [raw] })
      // More requests than fit between two yields.
      for (; done < 100; done++) await preconf.request({ method: 'eth_blockNumber' })
    })()
    await withTickingTime(async () => {
      await chain.clock.advance(0)
      await chain.clock.advance(200)
    })
    expect(done).toBe(100)
    await work
  })

  it('lets an advance of the clock end while a loop of requests goes on', async () => {
    const chain = await startChain({ mining: 'interval' })
    let isOver = false
    const loop = (async () => {
      while (!isOver) await chain.preconf.request({ method: 'eth_blockNumber' })
    })()
    await withTickingTime(() => chain.clock.advance(200))
    isOver = true
    await loop
    expect(chain.clock.now()).toBe(1_700_000_000_200)
  })
})
