/** A test in Node of code that reads from and sends to a node by its URL: `node --test`. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setupServer } from 'msw/node'
import { createChain } from 'preseal'
import { preseal } from 'preseal/viem'
import { createWalletClient, http, parseEther, publicActions } from 'viem'
import { createHandlers, RPC_URL } from './handlers.ts'

const chain = await createChain({ mining: 'manual' })
const server = setupServer(...createHandlers(chain))

before(() => server.listen({ onUnhandledFrame: 'error' }))
after(async () => {
  server.close()
  await chain.close()
})

test('a transfer is pre-confirmed, then sealed', async () => {
  const [alice, bob] = chain.accounts
  const client = createWalletClient({
    account: alice.address,
    chain: preseal,
    transport: http(RPC_URL, { retryCount: 0 }),
  }).extend(publicActions)
  const balance = (blockTag: 'pending' | 'latest') => client.getBalance({ address: bob!.address, blockTag })

  const hash = await client.sendTransaction({ to: bob!.address, value: parseEther('1') })
  await chain.tick()
  assert.deepEqual(
    [await balance('pending'), await balance('latest')],
    [parseEther('10001'), parseEther('10000')],
  )
  await chain.seal()
  assert.equal(await balance('latest'), parseEther('10001'))
  assert.equal((await client.getTransactionReceipt({ hash })).blockNumber, 1n)
})
