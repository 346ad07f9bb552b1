/** Requests of the Fetch API, answered by a chain. */
// #region handler
import { createChain } from 'preseal'
import { createHandler } from 'preseal/server'

const chain = await createChain({ mining: 'manual' })
const handler = createHandler(chain.live)

// Bun.serve({ hostname: '127.0.0.1', port: 8545, fetch: handler })
// Deno.serve({ hostname: '127.0.0.1', port: 8545 }, handler)
// app.post('/rpc', (context) => handler(context.req.raw)), with Hono

const response = await handler(
  new Request('http://localhost/', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' }),
  }),
)
console.log(response.status, await response.text())
// => 200 {"jsonrpc":"2.0","id":1,"result":"0x7a69"}
// #endregion handler
await chain.close()
