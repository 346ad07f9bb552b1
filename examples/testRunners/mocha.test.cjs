/** One chain for a file, with mocha: it is set up once, and each test starts from that state. */
const assert = require('node:assert/strict')
const { createChain } = require('preseal')
const { createWalletClient, custom, parseEther, publicActions } = require('viem')
const { foundry } = require('viem/chains')

let chain
let beginning
before(async () => {
  chain = await createChain({ mining: 'auto' })
  // Deploy the contracts of all tests here.
  beginning = await chain.snapshot()
})
afterEach(() => chain.revert(beginning))
after(() => chain.close())

function connect() {
  const [alice, bob] = chain.accounts.map(({ address }) => address)
  const options = { account: alice, chain: foundry, transport: custom(chain.standard) }
  return { bob, client: createWalletClient(options).extend(publicActions) }
}

it('a transfer arrives', async () => {
  const { client, bob } = connect()
  await client.sendTransaction({ to: bob, value: parseEther('1') })
  assert.equal(await client.getBalance({ address: bob }), parseEther('10001'))
})

it('tests do not affect each other', async () => {
  const { client, bob } = connect()
  assert.equal(await client.getBalance({ address: bob }), parseEther('10000'))
})
