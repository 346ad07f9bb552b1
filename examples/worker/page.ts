/** The page: its chain runs in a worker, so its own thread stays free. */
import { chainTransport, preconfActions, preseal } from 'preseal/viem'
import { connectChain } from 'preseal/worker'
import { createWalletClient, formatEther, parseEther, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const worker = new Worker(new URL('./chain.worker.ts', import.meta.url), { type: 'module' })
const chain = await connectChain(worker, { options: { blockTime: 1000 } })
const [alice, bob] = chain.accounts
const client = createWalletClient({
  account: privateKeyToAccount(alice.privateKey),
  chain: preseal,
  transport: chainTransport(chain),
})
  .extend(publicActions)
  .extend(preconfActions())

const hash = await client.sendTransaction({ to: bob!.address, value: parseEther('1') })
const receipt = await client.waitForPreconfirmation({ hash })
const balance = await client.getBalance({ address: bob!.address })
console.log(`pre-confirmed in block ${receipt.blockNumber}: bob has ${formatEther(balance)} ether`)
const sealed = await client.waitForSeal({ hash })
console.log(`sealed with the pre-confirmed hash: ${sealed.blockHash === receipt.blockHash}`)
await chain.close()
worker.terminate()
