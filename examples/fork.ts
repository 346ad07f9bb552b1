/** A fork: continues a live chain from a block on, and does not change it. */
import { createChain } from 'preseal'
import { createPublicClient, custom, formatEther, parseEther } from 'viem'

// Stands in for a live chain, whose node is given by its URL: fork: { url: 'https://…', block: 21_000_000 }
const live = await createChain({ mining: 'auto' })
const [alice] = live.accounts
await live.setBalance(alice.address, parseEther('5'))

const chain = await createChain({ mining: 'auto', accounts: { count: 0 }, fork: { provider: live.standard } })
const [client, origin] = [chain, live].map(({ preconf }) =>
  createPublicClient({ transport: custom(preconf), cacheTime: 0 }),
)
console.log(`the fork reads ${formatEther(await client!.getBalance(alice))} ether`)

await chain.setBalance(alice.address, parseEther('7'))
const [here, there] = await Promise.all([client!.getBalance(alice), origin!.getBalance(alice)])
console.log(`${formatEther(here)} ether on the fork, ${formatEther(there)} on the forked chain`)

await chain.close()
await live.close()
