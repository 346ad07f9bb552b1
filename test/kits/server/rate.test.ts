/** Requests per second of handlers and connections, in real time that the test advances. */
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { realNow, replaceRealTime } from '../../../src/base/clock.ts'
import { createConnection, createHandler, type HandlerOptions } from '../../../src/kits/server/index.ts'
import { limitRate } from '../../../src/kits/server/rate.ts'
import { runs } from '../../full.ts'
import { startChain } from '../../harness.ts'
import { failure, result } from './messages.ts'

const ask = (id: unknown, method = 'eth_chainId') => ({ jsonrpc: '2.0', id, method, params: [] })
const CHAIN_ID = '0x7a69'
const limited = (id: unknown, limit: number) =>
  failure(id, -32005, `too many requests: limit ${limit} per second`)

/** Real time that stands still until it is advanced. */
function standStill(): (ms: number) => void {
  let now = realNow()
  onTestFinished(replaceRealTime(() => now))
  return (ms) => {
    now += ms
  }
}

async function handling(options: HandlerOptions) {
  const chain = await startChain()
  const handler = createHandler(chain.standard, options)
  const send = async (message: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const body = typeof message === 'string' ? message : JSON.stringify(message)
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body }
    const response = await handler(new Request('http://localhost/', init))
    const text = await response.text()
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: text === '' ? undefined : JSON.parse(text),
      headers: response.headers,
    }
  }
  return { chain, send }
}

describe('a handler', () => {
  it('answers as many requests as a second may have, then 429 until the time that it names', async () => {
    const pass = standStill()
    const { send } = await handling({ requestsPerSecond: 2 })
    const ok = { status: 200, retryAfter: null, body: result(1, CHAIN_ID) }
    expect(await send(ask(1))).toMatchObject(ok)
    expect(await send(ask(1))).toMatchObject(ok)
    expect(await send(ask(1))).toMatchObject({ status: 429, retryAfter: '1', body: limited(1, 2) })
    pass(499)
    expect(await send(ask('a'))).toMatchObject({ status: 429, retryAfter: '1', body: limited('a', 2) })
    pass(1)
    expect(await send(ask(1))).toMatchObject(ok)
    expect(await send(ask(1))).toMatchObject({ status: 429 })
    pass(3_600_000)
    for (let i = 0; i < 2; i++) expect(await send(ask(1))).toMatchObject(ok)
    expect(await send(ask(1))).toMatchObject({ status: 429 })
  })

  it('counts each request of a batch, and executes all of it or nothing', async () => {
    const pass = standStill()
    const { chain, send } = await handling({ requestsPerSecond: 4 })
    expect((await send([ask(1), ask(2), ask(3)])).body).toEqual([1, 2, 3].map((id) => result(id, CHAIN_ID)))
    const batch = [ask(1, 'evm_mine'), ask(2, 'evm_mine'), { jsonrpc: '2.0', method: 'evm_mine' }]
    expect(await send(batch)).toMatchObject({
      status: 429,
      retryAfter: '1',
      body: [limited(1, 4), limited(2, 4)],
    })
    expect(await chain.standard.request({ method: 'eth_blockNumber' })).toBe('0x0')
    // The refused batch took nothing.
    expect((await send(ask(1))).status).toBe(200)
    pass(750)
    expect((await send(batch)).status).toBe(200)
    expect(await chain.standard.request({ method: 'eth_blockNumber' })).toBe('0x3')
  })

  it('answers a batch longer than a second may have once, and is paid for it afterwards', async () => {
    const pass = standStill()
    const { send } = await handling({ requestsPerSecond: 2 })
    const batch = Array.from({ length: 10 }, (_, id) => ask(id))
    expect((await send(batch)).status).toBe(200)
    expect(await send(ask(1))).toMatchObject({ status: 429, retryAfter: '5' })
    expect(await send(batch)).toMatchObject({ status: 429, retryAfter: '5' })
    pass(4500)
    expect((await send(ask(1))).status).toBe(200)
    pass(999)
    expect(await send(batch)).toMatchObject({ status: 429, retryAfter: '1' })
    pass(1)
    expect((await send(batch)).status).toBe(200)
  })

  it('counts a message without requests as one', async () => {
    standStill()
    const { send } = await handling({ requestsPerSecond: 3, maxBatch: 1 })
    expect((await send('{')).body).toEqual(failure(null, -32700, 'parse error'))
    expect((await send([])).body).toEqual(failure(null, -32600, 'empty batch'))
    expect((await send([ask(1), ask(2)])).body).toEqual(
      failure(null, -32600, 'batch too large: 2 requests, limit 1'),
    )
    for (const message of ['{', [], [ask(1), ask(2)]])
      expect(await send(message)).toMatchObject({ status: 429, body: limited(null, 3) })
    const notification = { jsonrpc: '2.0', method: 'eth_chainId' }
    expect(await send(notification)).toMatchObject({ status: 429, body: limited(null, 3) })
    expect(await send([notification])).toMatchObject({ status: 429, body: limited(null, 3) })
  })

  it('lets a page read when to come again', async () => {
    standStill()
    const { send } = await handling({ requestsPerSecond: 1, origins: ['https://app.example'] })
    const origin = { Origin: 'https://app.example' }
    await send(ask(1), origin)
    const { status, headers } = await send(ask(1), origin)
    expect([
      status,
      ...['access-control-allow-origin', 'access-control-expose-headers'].map((name) => headers.get(name)),
    ]).toEqual([429, 'https://app.example', 'Retry-After'])
  })

  it('counts callers by their key', async () => {
    standStill()
    const rateKey = ({ headers }: { readonly headers: Headers }) => headers.get('x-key') ?? ''
    const { send } = await handling({ requestsPerSecond: 1, rateKey })
    for (const key of ['a', 'b', '__proto__']) {
      expect((await send(ask(1), { 'x-key': key })).status).toBe(200)
      expect((await send(ask(1), { 'x-key': key })).status).toBe(429)
    }
  })

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('no key')
      },
      'no key',
    ],
    ['returns no text', () => 1, 'invalid option rateKey: expected a function that returns a string'],
    ['waits', async () => 'a', 'invalid option rateKey: expected a function that returns a string'],
  ])('refuses a request if the function of keys %s, and reports why', async (_does, rateKey, reason) => {
    const { chain, send } = await handling({ requestsPerSecond: 1, rateKey: rateKey as () => string })
    const errors: string[] = []
    chain.on('error', ({ message }) => errors.push(message))
    expect(await send(ask(1, 'evm_mine'))).toMatchObject({
      status: 200,
      body: failure(1, 4100, 'access refused: the server could not decide it'),
    })
    expect(errors).toEqual([reason])
    expect(await chain.standard.request({ method: 'eth_blockNumber' })).toBe('0x0')
  })

  it.each([0, -1, 1.5, '1', null])('does not start with %j requests a second', async (requestsPerSecond) => {
    const chain = await startChain()
    expect(() => createHandler(chain.standard, { requestsPerSecond } as HandlerOptions)).toThrow(
      'invalid option requestsPerSecond: expected an integer >= 1',
    )
  })
})

it('a connection answers -32005 to each request of a message beyond the limit', async () => {
  const pass = standStill()
  const chain = await startChain()
  const sent: unknown[] = []
  const connection = createConnection(chain.provider('preconf'), (text) => sent.push(JSON.parse(text)), {
    requestsPerSecond: 2,
  })
  onTestFinished(() => connection.close())
  const send = async (message: unknown) => {
    await connection.receive(JSON.stringify(message))
    return sent.splice(0)
  }
  expect(await send(ask(1, 'eth_chainId'))).toEqual([result(1, CHAIN_ID)])
  expect(await send([ask(1), ask(2)])).toEqual([[limited(1, 2), limited(2, 2)]])
  expect(await send({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] })).toEqual([
    result(1, '0x1'),
  ])
  expect(await send(ask(7))).toEqual([limited(7, 2)])
  expect(await send({ jsonrpc: '2.0', method: 'eth_chainId' })).toEqual([])
  // Notifications are no requests.
  await chain.seal()
  expect(sent.splice(0)).toMatchObject([{ method: 'eth_subscription' }])
  pass(500)
  expect(await send(ask(7))).toEqual([result(7, CHAIN_ID)])
})

describe('the limit', () => {
  const caller = (key: string) => () => ({ headers: new Headers(), remoteAddress: key })
  const never = (thrown: unknown) => {
    throw thrown
  }

  it('admits no more than the rate over any time, and a caller who waits as long as it says', () => {
    const pass = standStill()
    const step = fc.record({ ms: fc.nat(3000), requests: fc.integer({ min: 1, max: 12 }) })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.array(step, { maxLength: 40 }), (rate, steps) => {
        const admit = limitRate({ requestsPerSecond: rate }, never)!
        let [ms, admitted, last] = [0, 0, 0]
        for (const { ms: more, requests } of steps) {
          pass(more)
          ms += more
          const refusal = admit(requests, caller('a')) as { readonly retryAfter: number } | undefined
          if (refusal === undefined) {
            admitted += requests
            last = requests
          } else {
            expect(refusal.retryAfter).toBeGreaterThan(0)
            pass(refusal.retryAfter * 1000)
            ms += refusal.retryAfter * 1000
            expect(admit(requests, caller('a'))).toBeUndefined()
            admitted += requests
            last = requests
          }
          expect(admitted - last).toBeLessThanOrEqual((ms * rate) / 1000 + rate + 1e-3)
        }
      }),
      runs(200, 10_000),
    )
  })

  it('forgets the callers that were away longest, of more than 10,000', () => {
    standStill()
    const admit = limitRate({ requestsPerSecond: 1 }, never)!
    for (let i = 0; i < 10_000; i++) expect(admit(1, caller(`${i}`))).toBeUndefined()
    expect(admit(1, caller('0'))).toBeDefined()
    expect(admit(1, caller('new'))).toBeUndefined()
    expect(admit(1, caller('0'))).toBeDefined()
    expect(admit(1, caller('1'))).toBeUndefined()
  })
})
