/** The messages of failed transactions and calls of known contracts, by the plugin and on Hardhat's own network. */
import assert from 'node:assert/strict'
import { network } from 'hardhat'

const FUNCTIONS =
  'simple lists empty unknownError forward outOfGas invalidOpcode noContract noAnswer shortAnswer rejected create'
const GAS = { gasLimit: 1_000_000n }
const WORD = '0'.repeat(64)

/** The messages by what failed. */
async function messagesOf(name) {
  const connection = await network.create(name)
  const { ethers } = connection
  const [signer] = await ethers.getSigners()
  const messages = {}
  const attempt = async (what, run) => {
    const succeeded = () => assert.fail(`${what} succeeded`)
    messages[what] = await run().then(succeeded, (error) => error.message)
  }
  const failures = await ethers.deployContract('Failures')
  for (const name of FUNCTIONS.split(' ')) {
    await attempt(`call: ${name}`, () => failures[name].staticCall(GAS))
    await attempt(`send: ${name}`, () => failures[name].send(GAS))
    await attempt(`estimate: ${name}`, () => failures[name].estimateGas())
  }
  await attempt('no reason', () => failures.noReason(true))

  const send = (what, to, data, value = 0n) =>
    attempt(what, async () => signer.sendTransaction({ to, data, value, ...GAS }))
  const target = await failures.getAddress()
  await send('ether for no function', target, '0x', 1n)
  await send('no function', target, '0x12345678')
  await send('one byte', target, '0x12')
  await send('ether for a function', target, failures.interface.getFunction('empty').selector, 1n)
  await send('no arguments', target, failures.interface.getFunction('noReason').selector)
  const fallback = await (await ethers.deployContract('WithFallback')).getAddress()
  await send('ether without data for a fallback', fallback, '0x', 1n)
  await send('ether with data for a fallback', fallback, '0x12345678', 1n)
  const library = await (await ethers.deployContract('Library')).getAddress()
  await send('a library', library, ethers.id('increase(Library.Counter storage)').slice(0, 10) + WORD)
  await send('a library without data', library, '0x')
  const Refusing = await ethers.getContractFactory('Refusing')
  await send('a constructor', null, Refusing.bytecode + WORD.slice(1) + 1)
  await send('a constructor without arguments', null, Refusing.bytecode)
  await send('ether for a constructor', null, Refusing.bytecode + WORD, 1n)
  await connection.close()
  return messages
}

it("are those of Hardhat's own network", async () => {
  const expected = await messagesOf('default')
  assert.match(expected['send: simple'], /reverted with custom error 'Simple\(1000000000000000000, -5, "0x/)
  assert.deepEqual(await messagesOf('served'), expected)
})
