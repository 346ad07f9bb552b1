/**
 * A chain for every test: nothing is shared and no port is used, so tests can run at the same time.
 * `createChainTest` of preseal/vitest does the same for vitest.
 */
import assert from 'node:assert/strict'
import { createChain, type PresealChain } from 'preseal'
import { createPublicClient, createWalletClient, custom, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

async function test(name: string, body: (chain: PresealChain) => Promise<void>): Promise<string> {
  // With 'auto', a send resolves once its block is sealed.
  const chain = await createChain({ mining: 'auto' })
  try {
    await body(chain)
  } finally {
    await chain.close()
  }
  return `ok: ${name}`
}

function clients(chain: PresealChain) {
  const options = { chain: foundry, transport: custom(chain.standard) }
  const account = privateKeyToAccount(chain.accounts[0].privateKey)
  return { wallet: createWalletClient({ ...options, account }), client: createPublicClient(options) }
}

const outcomes = await Promise.all([
  test('a transfer arrives', async (chain) => {
    const { wallet, client } = clients(chain)
    const to = chain.accounts[1]!.address
    await wallet.sendTransaction({ to, value: parseEther('1') })
    assert.equal(await client.getBalance({ address: to }), parseEther('10001'))
  }),
  test('another test is not affected', async (chain) => {
    const { client } = clients(chain)
    const to = chain.accounts[1]!.address
    assert.equal(await client.getBalance({ address: to }), parseEther('10000'))
    assert.equal(await client.getBlockNumber(), 0n)
  }),
])
console.log(outcomes.join('\n'))
