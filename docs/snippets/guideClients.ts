/** What viem and ethers need on the preconf view. */
import { BrowserProvider } from 'ethers'
import { createChain } from 'preseal'
import { createPublicClient, custom } from 'viem'
import { foundry } from 'viem/chains'

const chain = await createChain({ mining: 'manual' })

// #region viem
const client = createPublicClient({
  // viem reads balances, calls, blocks and estimates at `pending`.
  chain: { ...foundry, experimental_preconfirmationTime: 200 },
  transport: custom(chain.live),
  // viem keeps a block number for up to 4 s otherwise.
  cacheTime: 0,
})
// #endregion viem

// #region ethers
// ethers keeps every answer for 250 ms otherwise.
const provider = new BrowserProvider(chain.live, undefined, {
  cacheTimeout: -1,
})
// ethers reads at `latest` unless a read names a block.
const balance = await provider.getBalance(
  chain.accounts[0].address,
  'pending',
)
// #endregion ethers

console.log(
  (await client.getBalance({ address: chain.accounts[0].address })) ===
    balance,
)
// => true
provider.destroy()
await chain.close()
