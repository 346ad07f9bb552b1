import { describe, expect } from 'vitest'
import { test } from './token.ts'

test('pays, pre-confirmed only', async ({ deployed: { pay }, clock, standard }) => {
  await pay(5n)
  await clock.advance(200)
  expect(await standard.request({ method: 'eth_blockNumber' })).toBe('0x0')
})

test('pays the same, and seals it', async ({ deployed: { pay }, clock, standard }) => {
  await pay(5n)
  await clock.advance(2000)
  expect(await standard.request({ method: 'eth_blockNumber' })).toBe('0x1')
})

let attempts = 0
test('fails at first, after a payment', { retry: 1 }, async ({ deployed: { pay }, clock }) => {
  attempts += 1
  await pay(attempts === 1 ? 6n : 7n)
  await clock.advance(200)
  expect(attempts).toBe(2)
})

test('pays twice, as its chain goes back in between', async ({ chain, deployed: { pay }, clock }) => {
  const snapshot = await chain.snapshot()
  await pay(5n)
  await clock.advance(2000)
  await chain.revert(snapshot)
  await pay(5n)
  await clock.advance(2000)
  expect(chain.missedTicks).toBe(0)
})

test('pays once, as a reorg includes it again', async ({ chain, deployed: { pay }, clock }) => {
  await pay(8n)
  await clock.advance(2000)
  await chain.reorg({ depth: 1 })
  await clock.advance(2000)
  expect(chain.missedTicks).toBe(0)
})

test('reverts, which does not count', async ({ deployed: { client, token, bob }, clock, preconf }) => {
  const hash = await client.writeContract({
    ...token,
    functionName: 'transferFrom',
    args: [bob, bob, 1n],
    gas: 100_000n,
  })
  await clock.advance(200)
  const receipt = await preconf.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  expect(receipt?.status).toBe('0x0')
})

describe('concurrently', () => {
  test.concurrent.for([1, 2, 3])(
    'approves %i',
    async (amount, { deployed: { client, token, bob }, clock }) => {
      await client.writeContract({ ...token, functionName: 'approve', args: [bob, BigInt(amount)] })
      await clock.advance(200)
      expect(amount).toBeGreaterThan(0)
    },
  )
})
