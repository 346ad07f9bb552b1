/** ethers on the preconf endpoint: deploy, write and read, all within one block. */
import { BrowserProvider, Contract, ContractFactory, Wallet } from 'ethers'
import { createChain } from 'preseal'
import { Token } from './contracts/token.ts'

const chain = await createChain({ mining: 'manual' })
const [alice, bob] = chain.accounts
const connection = chain.live
// Without this, ethers answers repeated requests from memory for 250 ms, longer than a preconf block lasts.
const provider = new BrowserProvider(connection, undefined, { cacheTimeout: -1 })
const signer = new Wallet(alice.privateKey, provider)

const deployed = await new ContractFactory(Token.abi, Token.bytecode, signer).deploy()
await chain.tick()
// Zero confirmations: a pre-confirmed receipt is in no sealed block yet.
const deployment = await deployed.deploymentTransaction()!.wait(0)
console.log(`deployed in block ${deployment!.blockNumber}`)

const token = new Contract(await deployed.getAddress(), Token.abi, signer)
const first = await token.getFunction('transfer')(bob!.address, 1n)
const second = await token.getFunction('transfer')(bob!.address, 2n)
await chain.tick()
for (const sent of [first, second]) {
  const receipt = await sent.wait(0)
  console.log(`transfer ${sent.nonce} in block ${receipt.blockNumber}, index ${receipt.index}`)
}
// ethers reads `latest` by default.
console.log(`bob has ${await token.getFunction('balanceOf')(bob!.address, { blockTag: 'pending' })}`)

const { block } = await chain.seal()
console.log(`sealed: block ${Number(block.number)} with ${block.transactions.length} transactions`)
provider.destroy()
await chain.close()
