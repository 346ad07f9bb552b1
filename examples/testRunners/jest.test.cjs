/** One chain for a file, with jest: it is set up once, and each test starts from that state. */
const { createChain } = require('preseal')
const { createWalletClient, custom, parseEther, publicActions } = require('viem')
const { foundry } = require('viem/chains')

let chain
let beginning
beforeAll(async () => {
  chain = await createChain({ mining: 'auto' })
  // Deploy the contracts of all tests here.
  beginning = await chain.snapshot()
})
afterEach(() => chain.revert(beginning))
afterAll(() => chain.close())

function connect() {
  const [alice, bob] = chain.accounts.map(({ address }) => address)
  const options = { account: alice, chain: foundry, transport: custom(chain.standard) }
  return { bob, client: createWalletClient(options).extend(publicActions) }
}

test('a transfer arrives', async () => {
  const { client, bob } = connect()
  await client.sendTransaction({ to: bob, value: parseEther('1') })
  expect(await client.getBalance({ address: bob })).toBe(parseEther('10001'))
})

test('tests do not affect each other', async () => {
  const { client, bob } = connect()
  expect(await client.getBalance({ address: bob })).toBe(parseEther('10000'))
})
