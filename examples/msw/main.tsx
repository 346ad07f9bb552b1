/** A page with MSW: a chain in the page answers the dapp's requests to its node. */
import { setupWorker } from 'msw/browser'
import { createChain } from 'preseal'
import { createRoot } from 'react-dom/client'
import { defineChain } from 'viem'
import { createConfig, http, mock } from 'wagmi'
import { App } from '../playwright/wagmi/app.tsx'
import { createHandlers, RPC_URL } from './handlers.ts'

const preseal = await createChain()
await setupWorker(...createHandlers(preseal)).start({ quiet: true })

// The app itself: it has the node's URL, and none of its code refers to MSW.
const chain = defineChain({
  id: 31_337,
  name: 'Local',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [RPC_URL] } },
})
const config = createConfig({
  chains: [chain],
  // In place of a wallet: sends through the node, which signs for its dev accounts.
  connectors: [mock({ accounts: [preseal.accounts[0].address] })],
  transports: { [chain.id]: http() },
})
createRoot(document.getElementById('root')!).render(<App config={config} />)
