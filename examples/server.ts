/** A chain for clients outside this process: HTTP and WebSocket on two ports, one for each view. */
import { createChain } from 'preseal'
import { serve } from 'preseal/server'
import { createPublicClient, createWalletClient, http, parseEther, webSocket } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

const chain = await createChain({ mining: 'manual' })
const [alice, bob] = chain.accounts
// Any free ports; without these options they are 8545 and 8546.
const server = await serve(chain, { port: 0, preconfPort: 0 })

const account = privateKeyToAccount(alice.privateKey)
const wallet = createWalletClient({ account, chain: foundry, transport: http(server.preconfUrl) })
const watcher = createPublicClient({
  chain: foundry,
  transport: webSocket(server.url.replace('http', 'ws'), { keepAlive: false, reconnect: false }),
})

const sealed = new Promise<bigint>((resolve) => {
  watcher.watchBlockNumber({ onBlockNumber: resolve })
})
await watcher.getChainId()
const hash = await wallet.sendTransaction({ to: bob!.address, value: parseEther('1') })
await chain.tick()

const ask = async (url: string) => {
  const request = { jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [hash] }
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request) })
  const { result } = (await response.json()) as { result: { status: string } | null }
  return result === null ? 'no receipt yet' : `status ${result.status}`
}
console.log(`preconf: ${await ask(server.preconfUrl)}`)
console.log(`standard: ${await ask(server.url)}`)

await chain.seal()
console.log(`sealed: block ${await sealed}`)
console.log(`standard: ${await ask(server.url)}`)
await server.close()
await chain.close()
