/** wagmi on a chain in the page: its own connector on a provider, and push where it would poll. */
import {
  connect,
  createConfig,
  disconnect,
  getBalance,
  getConnection,
  injected,
  watchBlockNumber,
} from '@wagmi/core'
import { createChain, createManualClock } from 'preseal'
import { inProcess, preseal } from 'preseal/viem'
import { formatEther } from 'viem'

// wagmi's connector wants a page; where there is none, as in Node, anything of that name will do.
if (!('window' in globalThis)) Object.assign(globalThis, { window: new EventTarget() })

const clock = createManualClock()
const chain = await createChain({ clock })
const connector = injected({ target: { id: 'preseal', name: 'preseal', provider: chain.preconf } })
const config = createConfig({
  chains: [preseal],
  connectors: [connector],
  transports: { [preseal.id]: inProcess(chain) },
})

const { accounts } = await connect(config, { connector })
const { value } = await getBalance(config, { address: accounts[0] })
console.log(`connected: ${accounts.length} accounts, the first has ${formatEther(value)} ether`)

const unwatch = watchBlockNumber(config, { onBlockNumber: (number) => console.log(`block ${number} sealed`) })
await clock.advance(4000)
unwatch()

await disconnect(config)
console.log(getConnection(config).status)
await chain.close()
