/** A server on which a key decides who controls the chain. */
// #region access
import { createChain } from 'preseal'
import { type AccessRequest, serve } from 'preseal/server'

const chain = await createChain({ mining: 'manual' })

/** Everyone has what public nodes serve, and the holder of the key has everything. */
function decide({ headers }: AccessRequest) {
  return headers.get('authorization') === 'Bearer my-key'
    ? 'full'
    : 'public'
}

const server = await serve(chain, {
  port: 0,
  preconfPort: 0,
  access: decide,
  requestsPerSecond: 50,
})

async function mine(headers: Record<string, string>) {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_mine' }),
  })
  return response.text()
}

console.log(await mine({}))
// => {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method anvil_mine does not exist/is not available"}}
console.log(await mine({ Authorization: 'Bearer my-key' }))
// => {"jsonrpc":"2.0","id":1,"result":null}
// #endregion access
await server.close()

// #region public
const open = await serve(chain, {
  port: 0,
  preconfPort: 0,
  public: { port: 0, origins: '*', requestsPerSecond: 50 },
})
console.log(open.publicUrl !== open.url) // => true
// #endregion public
await open.close()
await chain.close()
