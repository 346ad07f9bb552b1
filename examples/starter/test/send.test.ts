import { chainTransport, preconfActions, preseal } from 'preseal/viem'
import { createChainTest } from 'preseal/vitest'
import { createWalletClient, parseEther, publicActions } from 'viem'
import { expect } from 'vitest'
import { send } from '../src/send.ts'

const test = createChainTest({
  /** Runs once for this file; each test begins with the state after it. */
  deploy({ chain }) {
    const [alice, bob] = chain.accounts
    const client = createWalletClient({
      account: alice.address,
      chain: preseal,
      transport: chainTransport(chain),
    })
      .extend(publicActions)
      .extend(preconfActions())
    return { client, bob: bob!.address }
  },
})

test('the recipient has the ether within 200 ms', async ({ preconfirm, deployed: { client, bob } }) => {
  const before = await client.getBalance({ address: bob })
  // The chain's time is the test's: this advances it until the transfer is pre-confirmed.
  expect(await preconfirm(send(client, bob, parseEther('1')))).toBe(before + parseEther('1'))
})

test('what was pre-confirmed is what is sealed', async ({ chain, preconfirm, deployed: { client, bob } }) => {
  const hash = await preconfirm(client.sendTransaction({ to: bob, value: 1n }))
  const preconfirmed = await client.waitForPreconfirmation({ hash })
  await chain.seal()
  expect(await client.waitForSeal({ hash })).toEqual(preconfirmed)
})
