/** A chain for each test, with vitest: the token is already deployed, and tests are independent. */
import { chainTransport, preconfActions, preseal } from 'preseal/viem'
import { createChainTest } from 'preseal/vitest'
import { createWalletClient, publicActions } from 'viem'
import { describe, expect } from 'vitest'
import { Token } from '../contracts/token.ts'

const test = createChainTest({
  /** Runs once per file and `chainOptions`; every test starts from the state after it. */
  async deploy({ chain, preconfirm }) {
    const [alice, bob] = chain.accounts.map(({ address }) => address)
    const client = createWalletClient({ account: alice!, chain: preseal, transport: chainTransport(chain) })
      .extend(publicActions)
      .extend(preconfActions())
    const hash = await preconfirm(client.deployContract(Token))
    const { contractAddress } = await client.waitForPreconfirmation({ hash })
    return { client, bob: bob!, token: { abi: Token.abi, address: contractAddress! } }
  },
})

test('a transfer takes effect at the next tick', async ({ clock, deployed: { client, bob, token } }) => {
  const balance = () => client.readContract({ ...token, functionName: 'balanceOf', args: [bob] })
  await client.writeContract({ ...token, functionName: 'transfer', args: [bob, 5n] })
  expect(await balance()).toBe(0n)
  await clock.advance(200)
  expect(await balance()).toBe(5n)
})

test('tests do not affect each other', async ({ deployed: { client, bob, token } }) => {
  expect(await client.readContract({ ...token, functionName: 'balanceOf', args: [bob] })).toBe(0n)
})

describe('in auto mining', () => {
  test.override({ chainOptions: { mining: 'auto' } })

  test('the receipt is available at once', async ({ standard, deployed: { client, bob, token } }) => {
    const hash = await client.writeContract({ ...token, functionName: 'transfer', args: [bob, 5n] })
    const receipt = await standard.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    expect(receipt?.status).toBe('0x1')
  })
})
