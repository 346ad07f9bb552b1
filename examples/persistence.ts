/** Persistence: blocks stay in the database, and the next chain that opens it continues from there. */
import { MemoryLevel } from 'memory-level'
import { createChain } from 'preseal'
import { createPublicClient, createWalletClient, custom, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

// Any abstract-level database works: classic-level writes to a directory, browser-level to IndexedDB.
const database = new MemoryLevel<Uint8Array, Uint8Array>()

async function run(name: string): Promise<void> {
  const chain = await createChain({ mining: 'auto', database })
  const options = { chain: foundry, transport: custom(chain.standard) }
  const client = createPublicClient({ ...options, cacheTime: 0 })
  const [alice, bob] = chain.accounts
  console.log(`${name} starts at block ${await client.getBlockNumber()}`)

  const wallet = createWalletClient({ ...options, account: privateKeyToAccount(alice.privateKey) })
  await wallet.sendTransaction({ to: bob!.address, value: parseEther('1') })
  const balance = await client.getBalance({ address: bob!.address })
  console.log(
    `${name} ends at block ${await client.getBlockNumber()}: bob has ${balance / parseEther('1')} ether`,
  )
  await chain.close()
}

await run('first')
await run('second')
await database.close()
