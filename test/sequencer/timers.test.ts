import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import type { Chain } from '../../src/index.ts'
import { startChain } from '../harness.ts'
import { send, sign, TestClock } from './support.ts'

async function startOnTestClock() {
  const clock = new TestClock()
  const chain: Chain = await startChain({ mining: 'interval', clock })
  return { clock, chain, isRef: () => clock.timers[0]!.isRef }
}

it('keeps the process alive while somebody listens to the chain', async () => {
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

it('keeps the process alive until a listener for one event has heard it', async () => {
  const { chain, clock, isRef } = await startOnTestClock()
  chain.once('preconf', () => {})
  expect(isRef()).toBe(true)
  await clock.fire()
  expect(isRef()).toBe(false)
})

it('keeps the process alive while a subscription is on', async () => {
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

it('keeps the process alive while a request waits', async () => {
  const { chain, clock } = await startOnTestClock()
  const isAnyRef = () => clock.timers.some(({ isRef }) => isRef)
  const signed = await sign(chain, { nonce: 0 })
  const accepted = new Promise((resolve) => chain.once('transaction', resolve))
  const receipt = chain.preconf.request({ method: 'eth_sendRawTransactionSync', params: [signed] })
  await accepted
  // Its timeout, and the tick it waits for.
  while (clock.timers.length < 2) await new Promise(setImmediate)
  expect(clock.timers.map(({ isRef }) => isRef)).toEqual([true, true])
  await clock.fire()
  expect((await receipt).status).toBe('0x1')
  expect(isAnyRef()).toBe(false)
})

it('leaves no timer behind', async () => {
  const { chain, clock } = await startOnTestClock()
  chain.on('block', () => {})
  await send(chain, { nonce: 0 })
  await clock.fire()
  await chain.close()
  expect(clock.timers).toEqual([])
})

const run = promisify(execFile)

/** Runs a script in a process of its own, and gives what it printed; the process has to end by itself. */
async function runScript(body: string): Promise<string> {
  const { href } = new URL('../../src/index.ts', import.meta.url)
  const script = `
    import { createChain } from ${JSON.stringify(href)}
    const print = (value) => console.log(JSON.stringify(value))
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    ${body}
  `
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script]
  const { stdout } = await run(process.execPath, args, { timeout: 30_000 })
  return stdout.trim()
}

it('lets a process end that has a chain and does not listen to it, and not before one that does', async () => {
  const printed = await runScript(`
    const chain = await createChain({ blockTime: 20, preconfInterval: 10 })
    const counts = [timers()]
    const listener = () => {}
    chain.on('block', listener)
    counts.push(timers())
    chain.off('block', listener)
    counts.push(timers())
    const closed = await createChain()
    closed.on('block', listener)
    await closed.close()
    counts.push(timers())
    chain.once('block', ({ block }) => print([...counts, block.number]))
  `)
  expect(printed).toBe('[0,1,0,0,"0x1"]')
})

it('makes an error that nobody listens to an uncaught exception, and one of an error listener too', async () => {
  const printed = await runScript(`
    const uncaught = []
    process.on('uncaughtException', ({ message }) => uncaught.push(message))
    const chain = await createChain({ mining: 'manual' })
    chain.on('preconf', () => { throw new Error('of a listener') })
    await chain.tick()
    chain.on('error', () => { throw new Error('of an error listener') })
    await chain.tick()
    await new Promise((resolve) => setImmediate(resolve))
    print(uncaught)
    await chain.close()
  `)
  expect(printed).toBe('["of a listener","of an error listener"]')
})
