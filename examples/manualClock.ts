/** The manual clock: ten seconds of chain time in no real time, with the same result in every run. */
import { createChain, createManualClock } from 'preseal'
import { createWalletClient, custom } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

async function run(): Promise<string[]> {
  const clock = createManualClock(Date.UTC(2030, 0, 1))
  const chain = await createChain({ clock, blockTime: 2000, preconfInterval: 200 })
  const log: string[] = []
  chain.on('block', ({ block }) => {
    const time = new Date(Number(block.timestamp) * 1000).toISOString()
    log.push(
      `block ${Number(block.number)} of ${time}: ${block.transactions.length} transactions, ${block.hash}`,
    )
  })

  const [alice, bob] = chain.accounts
  const account = privateKeyToAccount(alice.privateKey)
  const wallet = createWalletClient({ account, chain: foundry, transport: custom(chain.live) })
  for (let second = 0; second < 10; second++) {
    await wallet.sendTransaction({ to: bob!.address, value: 1n })
    // Resolves once every preconf block and block due in this second has been made.
    await clock.advance(1000)
  }
  await chain.close()
  return log
}

const first = await run()
const second = await run()
console.log(first.join('\n'))
console.log(`the second run gave the same: ${first.join() === second.join()}`)
