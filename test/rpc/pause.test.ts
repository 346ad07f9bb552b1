import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { ENDLESS, GAS, LOOPING, requestsOf, startBusy } from './busyChain.ts'
import { ask } from './scene.ts'

const DISCONNECTED = expect.stringContaining('error 4900')

describe('the work of a request', () => {
  it('ends with its connection', async () => {
    const { chain, isBusy, start } = await startBusy()
    for (const [method, params] of requestsOf(chain.accounts[1]!.address)) {
      const provider = chain.provider('preconf')
      const { result } = await start(() => ask(provider, method, params))
      provider.close()
      await systemClock.yield()
      expect([method, await isBusy(), await result]).toEqual([method, false, DISCONNECTED])
    }
    expect(await ask(chain.preconf, 'txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  })

  it('ends with the chain', async () => {
    const { chain, isBusy, start } = await startBusy()
    const { result: called } = await start(() => ask(chain.preconf, 'eth_call', [{ to: ENDLESS, gas: GAS }]))
    const { result: explained } = await start(() =>
      chain.explain({ to: ENDLESS, gas: 50_000_000n }).catch((error: Error) => error.name),
    )
    await chain.close()
    await systemClock.yield()
    expect([await isBusy(), await called, await explained]).toEqual([
      false,
      DISCONNECTED,
      'DisconnectedError',
    ])
  })

  it('goes on if another connection waits for it too', async () => {
    const { chain, hashes, start } = await startBusy()
    const provider = chain.provider('preconf')
    const trace = [hashes[1], { tracer: 'callTracer' }]
    const { result: first } = await start(() => ask(provider, 'debug_traceTransaction', trace))
    const second = ask(chain.preconf, 'debug_traceTransaction', trace)
    provider.close()
    expect(await first).toEqual(DISCONNECTED)
    expect(await second).toMatchObject({ type: 'CALL', to: LOOPING })
  })
})
