/** One chain, two endpoints: what each shows of a transfer that is sent, pre-confirmed, and sealed. */
import { createChain, type Provider } from 'preseal'
import { createWalletClient, custom, formatEther, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

const chain = await createChain({ mining: 'manual' })
const [alice, bob] = chain.accounts
const wallet = createWalletClient({
  account: privateKeyToAccount(alice.privateKey),
  chain: foundry,
  transport: custom(chain.live),
})

async function show(moment: string): Promise<void> {
  const read = async (provider: Provider, tag: 'latest' | 'pending') => {
    const balance = await provider.request({ method: 'eth_getBalance', params: [bob!.address, tag] })
    return formatEther(BigInt(balance)).padStart(7)
  }
  const cells = [
    await read(chain.standard, 'latest'),
    await read(chain.standard, 'pending'),
    await read(chain.preconf, 'latest'),
    await read(chain.preconf, 'pending'),
  ]
  console.log(`${moment.padEnd(14)} ${cells.join('   ')}`)
}

console.log("bob's balance    standard            preconf")
console.log('                latest   pending    latest   pending')
await show('before')
await wallet.sendTransaction({ to: bob!.address, value: parseEther('1') })
await show('sent')
await chain.tick()
await show('pre-confirmed')
await chain.seal()
await show('sealed')
await chain.close()
