import { describe, expect, it, onTestFinished } from 'vitest'
import { replaceRealTime } from '../../../src/base/clock.ts'
import { Suspended } from '../../../src/base/waiting.ts'
import type { ChainParts } from '../../../src/core/open/core.ts'
import { systemClock } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { hashesOf, send, sign, TestClock } from './support.ts'

const DISCONNECTED = { code: 4900, message: 'disconnected' }

/** Blocks the execution of transactions until it is opened. */
function createGate() {
  let open = () => {}
  let arrive = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const parts: ChainParts = {
    executor: (own) => ({
      ...own,
      execute: (...args) => {
        arrive()
        return new Suspended(() => own.execute(...args), opened)
      },
    }),
  }
  return { parts, arrived, open }
}

describe('closing a chain', () => {
  it('rejects every call afterwards', async () => {
    const chain = await startChain()
    await chain.close()
    await expect(chain.tick()).rejects.toMatchObject(DISCONNECTED)
    await expect(chain.seal()).rejects.toMatchObject(DISCONNECTED)
    expect(() => chain.start()).toThrow(expect.objectContaining(DISCONNECTED))
    for (const provider of [chain.standard, chain.preconf, chain.provider('preconf')]) {
      await expect(provider.request({ method: 'eth_chainId' })).rejects.toMatchObject(DISCONNECTED)
    }
    chain.stop()
  })

  it('happens once, after what is under way, however often it is requested', async () => {
    const gate = createGate()
    const chain = await startChain({}, gate.parts)
    await send(chain, { nonce: 0 })
    // Otherwise the answer of the tick could be held back for a turn of the event loop.
    onTestFinished(replaceRealTime(() => 0))
    const ticking = chain.tick()
    await gate.arrived
    const order: string[] = []
    const closing = Promise.all([
      chain.close().then(() => order.push('first close')),
      chain.close().then(() => order.push('second close')),
      ticking.then(() => order.push('tick')),
    ])
    gate.open()
    await closing
    expect(order).toEqual(['tick', 'first close', 'second close'])
    await chain.close()
  })

  it.each(['tick', 'seal'] as const)('waits for a %s that is under way', async (act) => {
    const gate = createGate()
    const clock = new TestClock()
    const chain = await startChain({ mining: 'interval', clock }, gate.parts)
    const hash = await send(chain, { nonce: 0 })
    const events: string[] = []
    chain.on('preconf', () => events.push('preconf'))
    chain.on('block', () => events.push('block'))
    const finished = chain[act]()
    await gate.arrived
    const closing = chain.close()
    gate.open()
    expect(hashesOf(await finished)).toEqual([hash])
    await closing
    expect(events).toEqual(act === 'tick' ? ['preconf'] : ['preconf', 'block', 'preconf'])
    expect(clock.timers).toEqual([])
  })

  it('stops sealing in auto mining, without an error event', async () => {
    const gate = createGate()
    const chain = await startChain({ mining: 'auto', gasLimit: 30_000n }, gate.parts)
    const blocks: unknown[] = []
    const errors: unknown[] = []
    chain.on('block', (block) => blocks.push(block))
    chain.on('error', (error) => errors.push(error))
    await send(chain, { nonce: 1 })
    const signed = await sign(chain, { nonce: 0 })
    const request = chain.preconf.request({ method: 'eth_sendRawTransaction', params: [signed] })
    await gate.arrived
    const later = chain.preconf.request({
      method: 'eth_sendRawTransaction',
      params: [await sign(chain, { from: 1, nonce: 0 })],
    })
    const answers = Promise.allSettled([request, later])
    const closing = chain.close()
    gate.open()
    await closing
    expect((await answers).map((answer) => 'reason' in answer && answer.reason.code)).toEqual([4900, 4900])
    expect(blocks).toHaveLength(1)
    expect(errors).toEqual([])
  })

  it('rejects requests that wait', async () => {
    const clock = new TestClock()
    const chain = await startChain({ clock })
    const waiting = []
    for (const from of [0, 1]) {
      const accepted = new Promise((resolve) => chain.once('transaction', resolve))
      const params = [await sign(chain, { from, nonce: 0 })] as const
      const provider = from === 0 ? chain.standard : chain.preconf
      waiting.push(provider.request({ method: 'eth_sendRawTransactionSync', params }))
      await accepted
    }
    while (clock.timers.length < 2) await systemClock.yield()
    const answers = Promise.allSettled(waiting)
    await chain.close()
    expect((await answers).map((answer) => 'reason' in answer && answer.reason.code)).toEqual([4900, 4900])
    expect(clock.timers).toEqual([])
  })

  it('emits `disconnect` on every provider', async () => {
    const chain = await startChain()
    const provider = chain.provider('preconf')
    const errors: unknown[] = []
    provider.on('disconnect', (error) => errors.push(error))
    await chain.close()
    expect(errors).toEqual([expect.objectContaining(DISCONNECTED)])
  })

  it('happens at the end of an `await using`', async () => {
    const chain = await startChain()
    const dispose = Reflect.get(chain, Symbol.asyncDispose) as () => Promise<void>
    await dispose()
    await expect(chain.tick()).rejects.toMatchObject(DISCONNECTED)
  })
})
