/** The dapp in a page: it offers the wallets that announce themselves, and its node has a URL. */
import { createRoot } from 'react-dom/client'
import { defineChain } from 'viem'
import { createConfig, http } from 'wagmi'
import { App } from './app.tsx'

const chain = defineChain({
  id: 31_337,
  name: 'Local',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: ['https://node.example'] } },
})

const config = createConfig({ chains: [chain], transports: { [chain.id]: http() } })

createRoot(document.getElementById('root')!).render(<App config={config} />)
