/** The chain's events: new transactions, preconf blocks, blocks and drops. */
import { createChain } from 'preseal'
import { createWalletClient, custom, parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

const chain = await createChain({ mining: 'manual' })
chain
  .on('transaction', ({ nonce, value }) =>
    console.log(`in the pool: nonce ${Number(nonce)}, ${Number(value)} wei`),
  )
  .on('dropped', ({ reason }) => console.log(`dropped: ${reason}`))
  .on('preconf', ({ index, block, added }) => {
    const values = block.transactions.slice(added).map(({ value }) => `${Number(value)} wei`)
    console.log(
      `block ${Number(block.number)}, preconf block ${index}: ${values.join(', ') || 'nothing new'}`,
    )
  })
  .on('block', ({ block, receipts }) => {
    console.log(
      `block ${Number(block.number)} sealed: ${receipts.length} receipts, ${Number(block.gasUsed)} gas`,
    )
  })
  .on('error', (error) => console.error(error))

const [alice, bob] = chain.accounts
const account = privateKeyToAccount(alice.privateKey)
const wallet = createWalletClient({ account, chain: foundry, transport: custom(chain.live) })
const transfer = (nonce: number, value: bigint, maxFee: string, tip: string) =>
  wallet.sendTransaction({
    to: bob!.address,
    nonce,
    value,
    gas: 21_000n,
    maxFeePerGas: parseGwei(maxFee),
    maxPriorityFeePerGas: parseGwei(tip),
  })

await transfer(0, 100n, '10', '1')
await chain.tick()
await transfer(1, 200n, '10', '1')
// The same nonce again with higher fees replaces the previous transaction.
await transfer(1, 300n, '11', '1.1')
await chain.tick()
await chain.seal()
await chain.close()
