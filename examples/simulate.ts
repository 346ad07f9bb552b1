/** Simulation on the pre-confirmed state: calls with the assets they would move, and whole blocks. */
import { createChain } from 'preseal'
import { createPublicClient, custom, formatEther, parseEther } from 'viem'
import { foundry } from 'viem/chains'

const chain = await createChain({ mining: 'manual' })
const [alice, bob] = chain.accounts
const client = createPublicClient({ chain: foundry, transport: custom(chain.live) })

const { results, assetChanges } = await client.simulateCalls({
  account: alice.address,
  blockTag: 'pending',
  traceAssetChanges: true,
  calls: [{ to: bob!.address, value: parseEther('1') }],
})
const [ether] = assetChanges
console.log(`the transfer would be a ${results[0].status}: ${formatEther(ether!.value.diff)} ether for alice`)

const stranger = `0x${'99'.repeat(20)}` as const
const blocks = await client.simulateBlocks({
  blockTag: 'pending',
  validation: true,
  blocks: [
    { calls: [{ from: stranger, to: bob!.address, value: 1n, gas: 21_000n, maxFeePerGas: 10n ** 10n }] },
    {
      blockOverrides: { number: 100n },
      stateOverrides: [{ address: stranger, balance: parseEther('1') }],
      calls: [{ from: stranger, to: bob!.address, value: 1n, gas: 21_000n, maxFeePerGas: 10n ** 10n }],
    },
  ],
})
for (const { number, calls } of blocks) console.log(`block ${number}: ${calls[0]!.status}`)

const after = await client.getBlock({ blockTag: 'pending' })
console.log(`the chain is unchanged: block ${after.number} has ${after.transactions.length} transactions`)
await chain.close()
