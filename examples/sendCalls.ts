/** A batch of calls (EIP-5792): one block includes all of them, or none is included. */
import { createChain, createManualClock } from 'preseal'
import { preseal } from 'preseal/viem'
import { createWalletClient, custom, formatEther, parseEther, publicActions } from 'viem'

const clock = createManualClock()
const chain = await createChain({ clock })
const [alice, bob, carol] = chain.accounts
const client = createWalletClient({
  account: alice.address,
  chain: preseal,
  transport: custom(chain.live),
}).extend(publicActions)

const { id } = await client.sendCalls({
  forceAtomic: true,
  calls: [
    { to: bob!.address, value: parseEther('1') },
    { to: carol!.address, value: parseEther('2') },
  ],
})
console.log(`sent: ${(await client.getCallsStatus({ id })).status}`)

await clock.advance(200)
const { status, atomic, receipts } = await client.waitForCallsStatus({ id })
console.log(`pre-confirmed: ${status}, ${receipts?.length} receipts, atomic: ${atomic}`)

const both = await Promise.all(
  [bob!, carol!].map(({ address }) => client.getBalance({ address, blockTag: 'pending' })),
)
console.log(`bob has ${formatEther(both[0]!)} ether, carol ${formatEther(both[1]!)}`)
await chain.close()
