/** A server of prool: each path is a separate chain, so that the workers of a test runner are independent. */
import { preseal } from 'preseal/prool'
import { Server } from 'prool'

const server = Server.create({ instance: preseal({ mining: 'manual', chainId: 31337 }) })
await server.start()
const { port } = server.address()

async function request(worker, method, ...params) {
  const response = await fetch(`http://localhost:${port}/${worker}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()).result
}

await request(1, 'anvil_mine', 3)
console.log(`worker 1 is at block ${Number(await request(1, 'eth_blockNumber'))}`)
console.log(`worker 2 is at block ${Number(await request(2, 'eth_blockNumber'))}`)

await fetch(`http://localhost:${port}/1/restart`)
console.log(`worker 1 begins again at block ${Number(await request(1, 'eth_blockNumber'))}`)
await server.stop()
