/** The quick start: send a transfer, read its receipt within 200 ms, and find it in the sealed block. */
import { createChain } from 'preseal'
import { createPublicClient, createWalletClient, custom, formatEther, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

const chain = await createChain()
const [alice, bob] = chain.accounts
const options = {
  // With this, viem reads balances, calls and blocks at `pending`.
  chain: { ...foundry, experimental_preconfirmationTime: 200 },
  transport: custom(chain.live),
}
const wallet = createWalletClient({ ...options, account: privateKeyToAccount(alice.privateKey) })
const client = createPublicClient(options)

const receipt = await wallet.sendTransactionSync({ to: bob!.address, value: parseEther('1') })
const balance = await client.getBalance({ address: bob!.address })
console.log(`pre-confirmed in block ${receipt.blockNumber}: bob has ${formatEther(balance)} ether`)

const { block } = await chain.seal()
console.log(`sealed with the pre-confirmed hash: ${block.hash === receipt.blockHash}`)
await chain.close()
