/** The page: its node is `/rpc`, which the service worker answers, with and without a network. */
import { createRoot } from 'react-dom/client'
import { defineChain } from 'viem'
import { createConfig, http, mock } from 'wagmi'
import { App } from '../playwright/wagmi/app.tsx'

const { serviceWorker } = navigator
const isControlled = new Promise((resolve) => {
  serviceWorker.addEventListener('controllerchange', resolve, { once: true })
})
await serviceWorker.register('./sw.js')
if (serviceWorker.controller === null) {
  await isControlled
  // Caches the files that the page has already loaded, for the next visit without a network.
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
  await (await caches.open('page')).addAll([
    location.href,
    ...loaded.filter((url) => url.startsWith(location.origin)),
  ])
}

const chain = defineChain({
  id: 31_337,
  name: 'Local',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [new URL('./rpc', location.href).href] } },
})
const config = createConfig({
  chains: [chain],
  // In place of a wallet: sends through the node, which signs for its dev accounts.
  connectors: [mock({ accounts: ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'] })],
  transports: { [chain.id]: http() },
})
createRoot(document.getElementById('root')!).render(<App config={config} />)
