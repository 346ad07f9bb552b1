/** Who may do what over sockets: access on both views, public ports, requests per second of an address, forks. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { realNow, replaceRealTime } from '../../../src/base/clock.ts'
import type { AccessRequest, ServeOptions } from '../../../src/kits/server/index.ts'
import { serve } from '../../../src/kits/server/index.ts'
import { methods } from '../../../src/rpc/table.ts'
import { startChain } from '../../harness.ts'
import { failure, result } from './messages.ts'
import { ask, connect, exchange, serveUntilEnd, startServer } from './support.ts'

const unknown = (id: unknown, method: string) =>
  failure(id, -32601, `the method ${method} does not exist/is not available`)

/** Sends a message by HTTP, and by a WebSocket. */
const TRANSPORTS = {
  HTTP: async (url: string, message: unknown) =>
    (await exchange(url, { body: JSON.stringify(message) })).body,
  WebSocket: async (url: string, message: unknown) => {
    const client = await connect(url)
    client.send(message)
    return client.next()
  },
} as const

describe.each(['HTTP', 'WebSocket'] as const)('by %s', (transport) => {
  const send = TRANSPORTS[transport]

  it.each<[ServeOptions['access'], readonly string[]]>([
    ['public', ['node']],
    [{ debug: true }, ['node', 'debug']],
  ])('both views serve the methods of access %j alone', async (access, classes) => {
    const { server } = await startServer({ access })
    const refused = [...methods].filter(([, method]) => !classes.includes(method.class)).map(([name]) => name)
    const batch = refused.map((name) => ask(name, name))
    const expected = refused.map((name) => (name === 'eth_accounts' ? result(name, []) : unknown(name, name)))
    for (const url of [server.url, server.preconfUrl]) {
      expect(await send(url, batch)).toEqual(expected)
      expect(await send(url, ask(1, 'eth_chainId'))).toEqual(result(1, '0x7a69'))
      const traced = await send(url, ask(1, 'debug_getRawBlock', 'latest'))
      expect(traced).toMatchObject(
        classes.includes('debug') ? { result: {} } : unknown(1, 'debug_getRawBlock'),
      )
    }
  })

  it('a public port is beside the port that controls the chain', async () => {
    const { chain, server } = await startServer({ public: { port: 0, preconfPort: 0 } })
    const urls = [server.url, server.preconfUrl, server.publicUrl!, server.publicPreconfUrl!]
    expect(new Set(urls).size).toBe(4)
    const mine = ask(1, 'anvil_mine')
    for (const url of urls.slice(2)) expect(await send(url, mine)).toEqual(unknown(1, 'anvil_mine'))
    expect(await chain.standard.request({ method: 'eth_blockNumber' })).toBe('0x0')
    for (const url of urls.slice(0, 2)) expect(await send(url, mine)).toEqual(result(1, null))
    for (const url of urls) expect(await send(url, ask(1, 'eth_blockNumber'))).toEqual(result(1, '0x2'))
    const [first] = chain.accounts
    const { result: listed } = (await send(server.url, ask(1, 'eth_accounts'))) as { result: string[] }
    expect(listed[0]).toBe(first.address)
    expect(await send(server.publicUrl!, ask(1, 'eth_accounts'))).toEqual(result(1, []))
  })

  it('a function gets the headers and the address of the client', async () => {
    const asked: unknown[] = []
    const access = ({ method, params, headers, remoteAddress }: AccessRequest) => {
      const { 'x-key': key, cookie } = Object.fromEntries(headers)
      asked.push({ method, params, key, cookie, remoteAddress })
      return 'full' as const
    }
    const { server } = await startServer({ access })
    const headers = { 'X-Key': 'k', Cookie: 'a=1' }
    const message = ask(1, 'eth_getCode', '0x00')
    if (transport === 'HTTP') await exchange(server.url, { headers, body: JSON.stringify(message) })
    else {
      const client = await connect(server.url, headers)
      client.send(message)
      await client.next()
    }
    const params = ['0x00']
    expect(asked).toEqual([
      { method: 'eth_getCode', params, key: 'k', cookie: 'a=1', remoteAddress: '127.0.0.1' },
    ])
  })

  it('no answer of a public port names the node of a fork', async () => {
    const remote = await startServer()
    const { chain } = await startServer({}, { fork: { url: remote.server.url, timeout: 200 } })
    const server = await serveUntilEnd(chain, {
      access: { debug: true },
      public: { port: 0, preconfPort: 0 },
    })
    await remote.server.close()
    const { port } = new URL(remote.server.url)
    const batch = [...methods.keys()].map((name) => ask(name, name, `0x${'ab'.repeat(20)}`, 'latest'))
    const failing = ask(1, 'eth_getBalance', `0x${'ab'.repeat(20)}`, 'latest')
    for (const url of [server.url, server.preconfUrl, server.publicUrl!, server.publicPreconfUrl!]) {
      expect(await send(url, failing)).toMatchObject({
        error: { message: expect.stringMatching(/^the forked node did not answer eth_get\w+: …: /) },
      })
      const text = JSON.stringify(await send(url, batch))
      expect(text).not.toContain(port)
      expect(text).not.toMatch(/https?:/)
    }
  })
})

describe('the client of a WebSocket', () => {
  it('may subscribe on a public port', async () => {
    const { chain, server } = await startServer({ public: { preconfPort: 0 } })
    expect(server.publicUrl).toBeUndefined()
    const client = await connect(server.publicPreconfUrl!)
    client.send(ask(1, 'eth_subscribe', 'newHeads'))
    expect(await client.next()).toEqual(result(1, '0x1'))
    await chain.seal()
    expect(await client.next()).toMatchObject({ method: 'eth_subscription' })
    client.send(ask(2, 'eth_unsubscribe', '0x1'))
    expect(await client.next()).toEqual(result(2, true))
  })

  it('shares the requests per second of its address with HTTP and with other sockets, on each port', async () => {
    let now = realNow()
    onTestFinished(replaceRealTime(() => now))
    const { server } = await startServer({ requestsPerSecond: 3 })
    const refused = failure(1, -32005, 'too many requests: limit 3 per second')
    const clients = [await connect(server.url), await connect(server.url)] as const
    for (const client of clients) {
      client.send(ask(1, 'eth_chainId'))
      expect(await client.next()).toEqual(result(1, '0x7a69'))
    }
    expect(await exchange(server.url)).toMatchObject({ status: 200 })
    expect(await exchange(server.url)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      body: refused,
    })
    clients[0].send(ask(1, 'eth_chainId'))
    expect(await clients[0].next()).toEqual(refused)
    expect(await exchange(server.preconfUrl)).toMatchObject({ status: 200 })
    now += 1000
    clients[1].send(ask(1, 'eth_chainId'))
    expect(await clients[1].next()).toEqual(result(1, '0x7a69'))
  })
})

describe('a public port', () => {
  it('has its own limit, hosts and origins', async () => {
    let now = realNow()
    onTestFinished(replaceRealTime(() => now))
    const { server } = await startServer({
      public: { port: 0, requestsPerSecond: 1, origins: ['*'] },
    })
    const page = { Host: 'chain.example', Origin: 'https://app.example' }
    expect(await exchange(server.url, { headers: page })).toMatchObject({ status: 403 })
    expect(await exchange(server.publicUrl!, { headers: page })).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': '*' },
    })
    expect(await exchange(server.publicUrl!, { headers: page })).toMatchObject({
      status: 429,
      headers: { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Retry-After' },
    })
    const preflight = { ...page, 'Access-Control-Request-Headers': 'content-type' }
    expect(await exchange(server.publicUrl!, { method: 'OPTIONS', headers: preflight })).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'content-type' },
    })
    for (let i = 0; i < 3; i++) expect(await exchange(server.url)).toMatchObject({ status: 200 })
    now += 1000
    expect(await exchange(server.publicUrl!)).toMatchObject({ status: 200 })
  })

  it('has the limits of the other ports unless it has its own, and refuses pages of other sites', async () => {
    const { server } = await startServer({ requestsPerSecond: 1, public: { port: 0 } })
    const headers = { Origin: 'https://app.example' }
    expect(await exchange(server.publicUrl!, { headers })).toMatchObject({ status: 403 })
    expect(await exchange(server.publicUrl!)).toMatchObject({ status: 200 })
    expect(await exchange(server.publicUrl!)).toMatchObject({ status: 429 })
  })

  it('is closed with the server, and with a port that is in use', async () => {
    const { chain, server } = await startServer({ public: { port: 0 } })
    const port = Number(new URL(server.publicUrl!).port)
    const taken = { port: 0, preconfPort: 0, public: { port } }
    await expect(serve(chain, taken)).rejects.toThrow(`port ${port} of 127.0.0.1 is in use`)
    await server.close()
    const again = await serveUntilEnd(chain, taken)
    expect(again.publicUrl).toBe(server.publicUrl)
  })

  it.each<[ServeOptions, string]>([
    [{ public: { host: '0.0.0.0' } }, 'public.port: expected a port, unless public.preconfPort is given'],
    [{ public: { port: 8546 } }, 'public.port: expected a port other than 8546, the value of preconfPort'],
    [
      { public: { port: 1, preconfPort: 1 } },
      'public.preconfPort: expected a port other than 1, the value of public.port',
    ],
    [{ public: { port: 65_536 } }, 'public.port: expected an integer from 0 to 65535'],
    [{ public: { port: 0, access: 'full' } as never }, 'public.access: expected one of port, '],
    [{ public: { port: 0, requestsPerSecond: 0 } }, 'public.requestsPerSecond: expected an integer >= 1'],
    [{ rateKey: 'x' as never }, 'rateKey: expected a function of a caller'],
  ])('is not opened with %j', async (options, reason) => {
    const chain = await startChain()
    await expect(serve(chain, options)).rejects.toThrow(`invalid option ${reason}`)
  })
})

it('closes although a function never decides', async () => {
  const { chain } = await startServer()
  const server = await serve(chain, {
    port: 0,
    preconfPort: 0,
    closeTimeout: 10,
    access: () => new Promise(() => {}),
  })
  const answer = exchange(server.url)
  const client = await connect(server.preconfUrl)
  client.send(ask(1, 'eth_chainId'))
  const ended = expect(answer).rejects.toThrow()
  await exchange(server.url, { method: 'OPTIONS' })
  await server.close()
  await ended
  await client.closed
})
