/** ethers with push: the receipt arrives at the tick, and events without polling; no settings are needed. */
import { Contract, ContractFactory, Wallet } from 'ethers'
import { createChain, createManualClock } from 'preseal'
import { PresealProvider } from 'preseal/ethers'
import { Token } from './contracts/token.ts'

const clock = createManualClock()
const chain = await createChain({ clock })
const [alice, bob] = chain.accounts
const provider = new PresealProvider(chain)
const signer = new Wallet(alice.privateKey, provider)
const elapsed = () => `${clock.elapsed} ms`

const deployed = await new ContractFactory(Token.abi, Token.bytecode, signer).deploy()
const deployment = deployed.waitForDeployment()
await clock.advance(200)
await deployment
console.log(`${elapsed()}: deployed`)

const token = new Contract(await deployed.getAddress(), Token.abi, signer)
const sealed = new Promise<number>((resolve) => void provider.once('block', resolve))
const sent = await token.getFunction('transfer')(bob!.address, 5n)
const receipt = sent.wait()
await clock.advance(200)
console.log(`${elapsed()}: pre-confirmed in block ${(await receipt).blockNumber}`)
console.log(`${elapsed()}: bob has ${await token.getFunction('balanceOf')(bob!.address)}`)
await clock.advance(1600)
console.log(`${elapsed()}: block ${await sealed} sealed`)
await chain.close()
