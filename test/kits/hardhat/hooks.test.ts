import { describe, expect, it } from 'vitest'
import type { ResolvedNetwork } from '../../../src/kits/hardhat/config.ts'
import { configHooks } from '../../../src/kits/hardhat/hooks.ts'
import preseal from '../../../src/kits/hardhat/index.ts'

const RESOLVED: ResolvedNetwork = {
  type: 'edr-simulated',
  accounts: [],
  coinbase: new Uint8Array(20),
  hardfork: 'osaka',
  throwOnCallFailures: true,
  throwOnTransactionFailures: true,
  mining: { auto: true, interval: 0 },
}

describe('the hooks of the configuration', () => {
  it('are those of the plugin', async () => {
    expect(await (await preseal.hookHandlers!.config!()).default()).toBe(configHooks)
  })

  it('report the problems of the networks that preseal serves', async () => {
    const networks = {
      served: { type: 'edr-simulated', preseal: true, loggingEnabled: true },
      another: { type: 'edr-simulated', preseal: 'yes' },
      not: { type: 'edr-simulated', preseal: false, loggingEnabled: true },
      own: { type: 'edr-simulated', loggingEnabled: true },
      http: { type: 'http' },
    }
    expect(await configHooks.validateUserConfig({ networks })).toEqual([
      {
        path: ['networks', 'served', 'loggingEnabled'],
        message: 'Expected false, since requests are not logged',
      },
      { path: ['networks', 'another', 'preseal'], message: 'Expected true, false or an object' },
    ])
  })

  it.each([[undefined], [null], [5], [{ net: null }], [{ net: 5 }]])(
    'leave networks that are none to Hardhat: %o',
    async (networks) => {
      expect(await configHooks.validateUserConfig({ networks } as never)).toEqual([])
    },
  )

  it.each([
    [{}, []],
    [{ gas: { snapshot: 'gas.txt', tolerance: 0.5 } }, []],
    [5, [{ path: ['preseal'], message: 'Expected an object' }]],
    [{ gas: 5 }, [{ path: ['preseal', 'gas'], message: 'Expected an object' }]],
    [
      { gas: { snapshot: '', tolerance: -1, table: true }, other: 1 },
      [
        { path: ['preseal', 'other'], message: 'Expected one of gas' },
        { path: ['preseal', 'gas', 'snapshot'], message: 'Expected true, false or a path' },
        { path: ['preseal', 'gas', 'tolerance'], message: 'Expected a number of percent >= 0' },
        { path: ['preseal', 'gas', 'table'], message: 'Expected one of snapshot, tolerance' },
      ],
    ],
  ])('report the problems of the option preseal: %o', async (preseal, problems) => {
    expect(await configHooks.validateUserConfig({ preseal })).toEqual(problems)
  })

  it.each([
    [undefined, undefined],
    [{}, { gas: { snapshot: undefined, tolerance: 0 } }],
    [{ gas: { snapshot: false } }, { gas: { snapshot: undefined, tolerance: 0 } }],
    [{ gas: { snapshot: true } }, { gas: { snapshot: '.gas-snapshot', tolerance: 0 } }],
    [{ gas: { snapshot: 'a.txt', tolerance: 2 } }, { gas: { snapshot: 'a.txt', tolerance: 2 } }],
  ])('resolve the option preseal: %o', async (preseal, resolved) => {
    const config = await configHooks.resolveUserConfig({ preseal }, {}, async () => ({ networks: {} }))
    expect(config.preseal).toEqual(resolved)
  })

  it('resolve the networks that preseal serves, and no others', async () => {
    const user = { networks: { served: { preseal: true }, own: {} } }
    const resolver = () => {}
    const seen: unknown[] = []
    const networks = { served: RESOLVED, own: RESOLVED, default: RESOLVED }
    const config = await configHooks.resolveUserConfig(user, resolver, async (...args) => {
      seen.push(...args)
      return { networks, paths: 'kept' } as { networks: typeof networks }
    })
    expect(seen).toEqual([user, resolver])
    expect(config).toMatchObject({ networks: { served: { preseal: { view: 'standard' } } }, paths: 'kept' })
    expect([config.networks['own'], config.networks['default']]).toEqual([RESOLVED, RESOLVED])
  })
})
