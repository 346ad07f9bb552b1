import { describe, expect, it } from 'vitest'
import type { Provider } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { ALICE } from '../../signing.ts'

const accounts = { count: 1 } as const
const params = [{ eth_accounts: {} }] as const

/** Everything a provider emits, in order. */
function record(provider: Provider): unknown[] {
  const events: unknown[] = []
  for (const event of ['connect', 'disconnect', 'accountsChanged', 'chainChanged', 'message']) {
    provider.on(event, (value) => events.push([event, value]))
  }
  return events
}

describe('the events of a provider', () => {
  it('include connect if a listener is added at once', async () => {
    const chain = await startChain({ chainId: 0xabc })
    const connections = [() => chain.standard, () => chain.preconf, () => chain.provider('preconf')]
    for (const connection of connections) {
      const events = record(connection())
      expect(events).toEqual([])
      await Promise.resolve()
      expect(events).toEqual([['connect', { chainId: '0xabc' }]])
    }
  })

  it('include connect only once', async () => {
    const chain = await startChain()
    await chain.preconf.request({ method: 'eth_chainId' })
    const events = record(chain.preconf)
    await chain.preconf.request({ method: 'eth_chainId' })
    expect(events).toEqual([])
  })

  it('include no connect if the provider is closed at once', async () => {
    const chain = await startChain()
    const provider = chain.provider('standard')
    const events = record(provider)
    provider.close()
    await Promise.resolve()
    expect(events).toEqual([['disconnect', expect.objectContaining({ code: 4900 })]])
  })

  it('are disconnect without connect if the chain is closed already', async () => {
    const chain = await startChain()
    await chain.close()
    for (const connection of [() => chain.standard, () => chain.preconf, () => chain.provider('preconf')]) {
      const late = connection()
      const events = record(late)
      await Promise.resolve()
      expect(events).toEqual([
        ['disconnect', expect.objectContaining({ code: 4900, message: 'disconnected' })],
      ])
      late.close()
      expect(events).toHaveLength(1)
    }
  })

  it('include disconnect for every provider if the chain is closed', async () => {
    const chain = await startChain()
    const events = [chain.standard, chain.preconf, chain.provider('preconf')].map(record)
    await Promise.resolve()
    await chain.close()
    const whole = [
      ['connect', { chainId: '0x7a69' }],
      ['disconnect', expect.objectContaining({ code: 4900, message: 'disconnected' })],
    ]
    expect(events).toEqual([whole, whole, whole])
  })

  it('include accountsChanged, before the request is answered and on its connection only', async () => {
    const chain = await startChain({ accounts })
    const { preconf } = chain
    const other = chain.provider('preconf')
    await Promise.resolve()
    const [events, elsewhere] = [record(preconf), record(other)]
    const ask = async (method: string, ...rest: readonly unknown[]) =>
      events.push([method, await preconf.request({ method, params: rest })])

    await ask('eth_requestAccounts')
    await ask('wallet_revokePermissions', ...params)
    await ask('wallet_revokePermissions', ...params)
    await ask('eth_requestAccounts')
    await ask('wallet_revokePermissions', ...params)
    await preconf.request({ method: 'wallet_requestPermissions', params })
    await preconf.request({ method: 'wallet_requestPermissions', params })
    expect(events).toEqual([
      ['eth_requestAccounts', [ALICE]],
      ['accountsChanged', []],
      ['wallet_revokePermissions', null],
      ['wallet_revokePermissions', null],
      ['accountsChanged', [ALICE]],
      ['eth_requestAccounts', [ALICE]],
      ['accountsChanged', []],
      ['wallet_revokePermissions', null],
      ['accountsChanged', [ALICE]],
    ])
    expect(elsewhere).toEqual([])
  })

  it('include no accountsChanged if there are no accounts', async () => {
    const { preconf } = await startChain({ accounts: { count: 0 } })
    await Promise.resolve()
    const events = record(preconf)
    await preconf.request({ method: 'wallet_revokePermissions', params })
    await preconf.request({ method: 'eth_requestAccounts' })
    expect(events).toEqual([])
  })
})
