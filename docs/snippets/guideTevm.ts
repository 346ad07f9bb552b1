/** A viem client with all viem actions of tevm's memory client. */
import { createChain } from 'preseal'
import { chainTransport, preseal } from 'preseal/viem'
import {
  createWalletClient,
  parseEther,
  publicActions,
  testActions,
} from 'viem'

// #region client
const chain = await createChain({ mining: 'auto' })
const [alice, bob] = chain.accounts
const client = createWalletClient({
  account: alice.address,
  chain: preseal,
  transport: chainTransport(chain),
})
  .extend(publicActions)
  .extend(testActions({ mode: 'anvil' }))

await client.setBalance({ address: bob!.address, value: 0n })
await client.sendTransaction({ to: bob!.address, value: parseEther('1') })
// #endregion client
console.log(await client.getBalance({ address: bob!.address })) // => 1000000000000000000
await chain.close()
