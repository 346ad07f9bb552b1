/** Snapshots and time: tests that revert the chain to the state after their setup, and a block an hour later. */
import { createChain, createManualClock } from 'preseal'
import { createTestClient, custom, parseEther, publicActions, walletActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

const chain = await createChain({ mining: 'auto', clock: createManualClock() })
const [alice, bob] = chain.accounts
const client = createTestClient({
  chain: foundry,
  mode: 'anvil',
  transport: custom(chain.standard),
  account: privateKeyToAccount(alice.privateKey),
})
  .extend(publicActions)
  .extend(walletActions)
const head = async () => (await client.getBlock()).number

// The state after the setup, to which each test reverts: nothing is copied or executed again.
const ready = await chain.snapshot()
for (const ether of ['1', '2']) {
  await client.sendTransaction({ to: bob!.address, value: parseEther(ether) })
  console.log(`block ${await head()} after sending ${ether} ether`)
  await chain.revert(ready)
  console.log(`block ${await head()} after reverting`)
}

await client.increaseTime({ seconds: 3600 })
await client.sendTransaction({ to: bob!.address, value: 1n })
const { timestamp } = await client.getBlock()
console.log(`an hour later: ${timestamp - BigInt(Math.floor(chain.clock.now() / 1000))} s ahead of the clock`)
await chain.close()
