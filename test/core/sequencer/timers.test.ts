import { describe, expect, it } from 'vitest'
import { type PresealChain, systemClock } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { send, sign, TestClock } from './support.ts'

async function startOnTestClock() {
  const clock = new TestClock()
  const chain: PresealChain = await startChain({ mining: 'interval', clock })
  return { clock, chain, isRef: () => clock.timers[0]!.isRef }
}

describe('timers of the sequencer', () => {
  it('keep the process alive while the chain has a listener', async () => {
    const { chain, clock, isRef } = await startOnTestClock()
    const listener = () => {}
    expect(isRef()).toBe(false)
    chain.on('block', listener)
    chain.on('preconf', listener)
    expect(isRef()).toBe(true)
    await clock.fire()
    expect(isRef()).toBe(true)
    chain.off('block', listener)
    expect(isRef()).toBe(true)
    chain.off('preconf', listener)
    expect(isRef()).toBe(false)
  })

  it('keep the process alive until a listener of `once` was called', async () => {
    const { chain, clock, isRef } = await startOnTestClock()
    chain.once('preconf', () => {})
    expect(isRef()).toBe(true)
    await clock.fire()
    expect(isRef()).toBe(false)
  })

  it('keep the process alive while there is a subscription', async () => {
    const { chain, isRef } = await startOnTestClock()
    const id = await chain.standard.request({ method: 'eth_subscribe', params: ['newHeads'] })
    expect(isRef()).toBe(true)
    await chain.standard.request({ method: 'eth_unsubscribe', params: [id] })
    expect(isRef()).toBe(false)
    const provider = chain.provider('preconf')
    await provider.request({ method: 'eth_subscribe', params: ['newPreconfBlocks'] })
    expect(isRef()).toBe(true)
    provider.close()
    expect(isRef()).toBe(false)
  })

  it('keep the process alive while a request waits', async () => {
    const { chain, clock } = await startOnTestClock()
    const isAnyRef = () => clock.timers.some(({ isRef }) => isRef)
    const signed = await sign(chain, { nonce: 0 })
    const accepted = new Promise((resolve) => chain.once('transaction', resolve))
    const receipt = chain.preconf.request({ method: 'eth_sendRawTransactionSync', params: [signed] })
    await accepted
    // The timeout of the request, and the tick that it waits for.
    while (clock.timers.length < 2) await systemClock.yield()
    expect(clock.timers.map(({ isRef }) => isRef)).toEqual([true, true])
    await clock.fire()
    expect((await receipt).status).toBe('0x1')
    expect(isAnyRef()).toBe(false)
  })

  it('are all gone after close', async () => {
    const { chain, clock } = await startOnTestClock()
    chain.on('block', () => {})
    await send(chain, { nonce: 0 })
    await clock.fire()
    await chain.close()
    expect(clock.timers).toEqual([])
  })
})
