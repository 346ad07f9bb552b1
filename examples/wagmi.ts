/** wagmi on a chain in the page: its `injected` connector on a provider, and push instead of polling. */
import {
  connect,
  createConfig,
  disconnect,
  getBalance,
  getConnection,
  getTransactionReceipt,
  injected,
  sendTransaction,
  watchBlockNumber,
} from '@wagmi/core'
import { createChain, createManualClock } from 'preseal'
import { chainTransport, preseal } from 'preseal/viem'
import { formatEther, parseEther } from 'viem'

// wagmi's connector needs a `window`; without one, as in Node, an event target is enough.
if (!('window' in globalThis)) Object.assign(globalThis, { window: new EventTarget() })

const clock = createManualClock()
const chain = await createChain({ clock })
const connector = injected({ target: { id: 'preseal', name: 'preseal', provider: chain.live } })
const config = createConfig({
  chains: [preseal],
  connectors: [connector],
  transports: { [preseal.id]: chainTransport(chain) },
})

const { accounts } = await connect(config, { connector })
console.log(`connected: ${accounts.length} accounts`)

const unwatch = watchBlockNumber(config, { onBlockNumber: (number) => console.log(`block ${number} sealed`) })
const hash = await sendTransaction(config, { to: accounts[1]!, value: parseEther('1') })
await clock.advance(200)
const { value } = await getBalance(config, { address: accounts[1]! })
console.log(`pre-confirmed: the second account has ${formatEther(value)} ether`)
await clock.advance(1800)
const { blockNumber } = await getTransactionReceipt(config, { hash })
console.log(`the receipt is in block ${blockNumber}`)
unwatch()

await disconnect(config)
console.log(getConnection(config).status)
await chain.close()
