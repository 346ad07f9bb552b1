/** Cheats: methods of the chain, and requests. */
import { createChain } from 'preseal'
import {
  createTestClient,
  createWalletClient,
  custom,
  parseEther,
} from 'viem'
import { foundry } from 'viem/chains'
import { Token } from '../../examples/contracts/token.ts'

const chain = await createChain({ mining: 'manual' })
const address = chain.accounts[0].address
const wallet = createWalletClient({
  account: address,
  chain: foundry,
  transport: custom(chain.live),
})
const hash = await wallet.deployContract(Token)
await chain.seal()
const created = await chain.standard.request({
  method: 'eth_getTransactionReceipt',
  params: [hash],
})
const token = created!.contractAddress!

// #region cheats
await chain.mine(3) // resolves to the newest block; 1 block by default
await chain.increaseTime(3600) // seconds; does not move the clock
await chain.setBalance(address, parseEther('5'))
await chain.setCode(address, '0x6001')
await chain.setStorageAt(address, 0n, 7n) // slot and value, as hex or bigint
await chain.impersonateAccount(address)
await chain.stopImpersonatingAccount(address)
await chain.deal(token, address, 1_000_000n) // of an ERC-20 token
// #endregion cheats

// #region requests
await chain.standard.request({
  method: 'anvil_setNonce',
  params: [address, '0x7'],
})

const client = createTestClient({
  chain: foundry,
  mode: 'anvil',
  transport: custom(chain.live),
})
await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 1n })
// #endregion requests

const nonce = await chain.standard.request({
  method: 'eth_getTransactionCount',
  params: [address, 'latest'],
})
console.log(nonce) // => 0x7
await chain.close()
