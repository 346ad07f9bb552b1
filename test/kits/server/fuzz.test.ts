/** Every random message gets a well-formed answer, and no subscription remains. */
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { quantity } from '../../../src/base/bytes.ts'
import { createConnection, createHandler } from '../../../src/kits/server/index.ts'
import { runs } from '../../full.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { expectAnswer, message } from './messages.ts'

const RUNS = runs(300, 20_000)

describe('a handler with random messages', () => {
  it(`answers ${RUNS.numRuns} bodies by HTTP`, async () => {
    const chain = await startChain()
    const handler = createHandler(chain.preconf, { maxBodyBytes: 2000, maxBatch: 5 })
    const headers = fc.constantFrom(
      { 'Content-Type': 'application/json' },
      { 'Content-Type': 'text/html' },
      {},
    )
    const method = fc.constantFrom('POST', 'POST', 'POST', 'POST', 'GET', 'OPTIONS', 'PATCH')
    await fc.assert(
      fc.asyncProperty(message, headers, method, async (body, headers, method) => {
        const init = { method, headers: { ...headers }, ...(method !== 'GET' && { body: body as never }) }
        const response = await handler(new Request('http://localhost/', init))
        expect([200, 204, 405, 413, 415]).toContain(response.status)
        const text = await response.text()
        if (response.status === 204) {
          expect(text).toBe('')
          return
        }
        expect(response.headers.get('content-type')).toBe('application/json')
        expectAnswer(text)
        if (response.status !== 200)
          expect(JSON.parse(text)).toMatchObject({ id: null, error: { code: -32600 } })
      }),
      RUNS,
    )
    expect(await isAlive(chain)).toBe(true)
  })

  it(`answers ${RUNS.numRuns} messages of a connection, and leaves no subscription`, async () => {
    const chain = await startChain()
    const sent: string[] = []
    const provider = chain.provider('preconf')
    const options = { maxBatch: 5, maxSubscriptions: 3 }
    const connection = createConnection(provider, (text) => void sent.push(text), options)
    onTestFinished(() => connection.close())
    const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
      await connection.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
      return JSON.parse(sent.shift()!)
    }
    await fc.assert(
      fc.asyncProperty(message, async (body) => {
        const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
        await connection.receive(text)
        const [answer, ...more] = sent.splice(0)
        if (answer !== undefined) expectAnswer(answer)
        expect(more.filter((pushed) => JSON.parse(pushed).method !== 'eth_subscription')).toEqual([])
      }),
      RUNS,
    )
    expect(await ask('eth_chainId', [])).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7a69' })
    // The random messages may have left as many as are allowed, all of kinds that no seal notifies.
    for (let id = 1; id <= RUNS.numRuns; id++) await ask('eth_unsubscribe', [quantity(id)])
    expect(await ask('eth_subscribe', ['newHeads'])).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: expect.stringMatching(/^0x[0-9a-f]+$/),
    })
    await chain.seal()
    expect(sent.splice(0)).toHaveLength(1)
    connection.close()
    await chain.tick()
    await chain.seal()
    expect(sent).toEqual([])
    expect(await isAlive(chain)).toBe(true)
  })
})

/** Whether the chain still works. */
async function isAlive(chain: TestChain): Promise<boolean> {
  const before = BigInt(await chain.standard.request({ method: 'eth_blockNumber' }))
  await chain.seal()
  return BigInt(await chain.standard.request({ method: 'eth_blockNumber' })) === before + 1n
}
