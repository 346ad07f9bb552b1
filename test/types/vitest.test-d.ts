import { describe, expectTypeOf, test } from 'vitest'
import {
  type Clock,
  type ManualClock,
  type PresealChain,
  type Provider,
  systemClock,
} from '../../src/index.ts'
import { createChainTest } from '../../src/kits/vitest/index.ts'

describe('types of preseal/vitest', () => {
  test('a test gets a chain, its providers and a clock that it can advance', () => {
    const onChain = createChainTest({ chainOptions: { mining: 'auto', accounts: { count: 2 } } })
    onChain('one of them', ({ chain, standard, preconf, live, clock, deployed, expect, task }) => {
      expectTypeOf(chain).toEqualTypeOf<PresealChain<ManualClock>>()
      expectTypeOf(chain.advance(200)).resolves.toEqualTypeOf<void>()
      expectTypeOf(standard).toEqualTypeOf<Provider>()
      expectTypeOf(preconf).toEqualTypeOf<Provider>()
      expectTypeOf(live).toEqualTypeOf<Provider>()
      expectTypeOf(clock).toEqualTypeOf<ManualClock>()
      expectTypeOf(deployed).toEqualTypeOf<undefined>()
      expect(task.name).toBe('one of them')
    })
    // @ts-expect-error the source of its chain is not a fixture
    onChain('another', ({ presealTestChain }) => presealTestChain)
  })

  test('preconfirm has the type of what is sent', () => {
    createChainTest()('one of them', async ({ preconfirm }) => {
      expectTypeOf(await preconfirm(Promise.resolve(5n))).toEqualTypeOf<bigint>()
    })
  })

  test('deployed has the type that deploy returns', () => {
    const onChain = createChainTest({
      deploy: async ({ chain, clock }) => {
        expectTypeOf(clock).toEqualTypeOf<ManualClock>()
        expectTypeOf(chain.clock).toEqualTypeOf<ManualClock>()
        return { owner: chain.accounts[0].address, price: () => 5n as bigint }
      },
    })
    onChain('one of them', ({ deployed }) => {
      expectTypeOf(deployed).toEqualTypeOf<{ owner: `0x${string}`; price: () => bigint }>()
    })
  })

  test('a clock has the type that createClock returns', () => {
    const onChain = createChainTest({
      createClock: (): Clock => systemClock,
      deploy: ({ clock }) => clock.now(),
    })
    onChain('one of them', ({ chain, clock, deployed }) => {
      expectTypeOf(chain).toEqualTypeOf<PresealChain>()
      expectTypeOf(chain).not.toHaveProperty('advance')
      expectTypeOf(clock).toEqualTypeOf<Clock>()
      expectTypeOf(deployed).toEqualTypeOf<number>()
    })
  })

  test('clock and database are not options, since each chain has its own', () => {
    // @ts-expect-error see createClock
    createChainTest({ chainOptions: { clock: systemClock } })
    // @ts-expect-error two chains cannot share one
    createChainTest({ chainOptions: { database: {} } })
  })

  test('it can be extended and overridden like any test of vitest', () => {
    const onChain = createChainTest({ deploy: () => 5n }).extend('head', ({ standard, deployed }) => {
      expectTypeOf(deployed).toEqualTypeOf<bigint>()
      return standard.request({ method: 'eth_blockNumber' })
    })
    describe('of a describe', () => {
      onChain.override({ chainOptions: { mining: 'manual' } })
      onChain('one of them', ({ head }) => expectTypeOf(head).toEqualTypeOf<`0x${string}`>())
    })
  })
})
