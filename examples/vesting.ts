/** Time travel: seal first, since pre-confirmed transactions are executed again at the new time. */
import { createChain } from 'preseal'
import { chainTransport, preseal } from 'preseal/viem'
import { createWalletClient, formatEther, parseEther, publicActions, testActions } from 'viem'

// A contract that stores its time of deployment. It reverts for 30 days, then pays its ether to its caller.
const deployment = '0x4262278d00015f55600d8060115f395ff3'
const runtime = '5f54421060095733ff5b5f5ffd'

async function release({ sealFirst }: { sealFirst: boolean }): Promise<string> {
  const chain = await createChain({ mining: 'manual' })
  const account = chain.accounts[0]!.address
  const client = createWalletClient({ account, chain: preseal, transport: chainTransport(chain) })
    .extend(publicActions)
    .extend(testActions({ mode: 'anvil' }))

  const hash = await client.sendTransaction({ data: `${deployment}${runtime}`, value: parseEther('1') })
  await chain.tick()
  const { contractAddress } = await client.getTransactionReceipt({ hash })
  if (sealFirst) await chain.seal()
  await client.increaseTime({ seconds: 31 * 24 * 60 * 60 })
  // With `gas` given, it is included even if it reverts.
  await client.sendTransaction({ to: contractAddress, gas: 100_000n })
  const { receipts } = await chain.tick()
  const left = await client.getBalance({ address: contractAddress! })
  await chain.close()
  return `status ${receipts.at(-1)!.status}, ${formatEther(left)} ether left`
}

console.log(`sealed, then 31 days: ${await release({ sealFirst: true })}`)
console.log(`pre-confirmed, then 31 days: ${await release({ sealFirst: false })}`)
