import { expect } from 'vitest'
import { test } from './token.ts'

test('pays an account that has nothing', async ({ chain, deployed: { pay }, clock }) => {
  await pay(9n, chain.accounts[2]!.address)
  await clock.advance(200)
  expect(chain.accounts.length).toBe(10)
})

test('sends ether, which calls no contract', async ({ deployed: { client, bob }, clock, preconf }) => {
  const hash = await client.sendTransaction({ to: bob, value: 1n })
  await clock.advance(200)
  const receipt = await preconf.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  expect(receipt?.gasUsed).toBe('0x5208')
})
