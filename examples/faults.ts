/** A test of an app against a faulty node, which does not seal every pre-confirmed transaction. */
import { createChain, createManualClock } from 'preseal'
import { createWalletClient, custom, parseEther, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

const clock = createManualClock()
const chain = await createChain({ clock, faults: { dropEvery: 2 } })
const [alice, bob] = chain.accounts
const client = createWalletClient({
  account: privateKeyToAccount(alice.privateKey),
  chain: foundry,
  transport: custom(chain.live),
}).extend(publicActions)

/** The app: it shows a payment once it is pre-confirmed, and sends it again if it is not sealed. */
async function pay(ether: string): Promise<void> {
  const hash = await client.sendTransaction({ to: bob!.address, value: parseEther(ether) })
  await clock.advance(200)
  const { status } = await client.getTransactionReceipt({ hash })
  console.log(`${ether} ether: ${status}`)
  await clock.advance(2000)
  const sealed = await client.getTransactionReceipt({ hash }).catch(() => undefined)
  if (sealed !== undefined) return console.log(`${ether} ether: in block ${sealed.blockNumber}`)
  console.log(`${ether} ether: dropped without notice`)
  await pay(ether)
}

await pay('1')
await pay('2')

chain.faults.set('stale-pending')
const [pending, latest] = [await client.getBlock({ blockTag: 'pending' }), await client.getBlock()]
console.log(`pending is block ${pending.number}, latest is block ${latest.number}`)
chain.faults.clear()
await chain.close()
