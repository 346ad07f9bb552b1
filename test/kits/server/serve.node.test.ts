import { describe, expect, it } from 'vitest'
import { InvalidOptionError } from '../../../src/base/errors.ts'
import type { PresealChain } from '../../../src/index.ts'
import { PortInUseError, type ServeOptions, serve } from '../../../src/kits/server/index.ts'
import { SERVE_OPTIONS } from '../../../src/kits/server/options.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { sign } from '../../rpc/scene.ts'
import { failure, result } from './messages.ts'
import { ask, connect, exchange, serveUntilEnd, startServer } from './support.ts'

const portOf = (url: string) => Number(new URL(url).port)
const post = (...requests: unknown[]) => ({
  body: JSON.stringify(requests.length === 1 ? requests[0] : requests),
})

/** A request that the next tick answers, and a promise for its arrival at the chain. */
async function waitingRequest(chain: TestChain, id: unknown) {
  const raw = await sign(chain, Number(id), { nonce: 0, to: chain.accounts[1]!.address })
  const arrived = new Promise<void>((resolve) => chain.once('transaction', () => resolve()))
  return { request: ask(id, 'eth_sendRawTransactionSync', raw), arrived }
}

describe('serve', () => {
  it('serves each view on its own port, by HTTP and by WebSocket', async () => {
    const { server } = await startServer()
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(server.preconfUrl).not.toBe(server.url)
    const subscribe = ask(1, 'eth_subscribe', 'newPreconfBlocks')
    for (const [url, answer] of [
      [server.url, failure(1, -32601, 'no "newPreconfBlocks" subscription in eth namespace')],
      [server.preconfUrl, result(1, '0x1')],
    ] as const) {
      expect(await exchange(url)).toMatchObject({ status: 200, body: result(1, '0x7a69') })
      const client = await connect(url)
      client.send(subscribe)
      expect(await client.next()).toEqual(answer)
    }
  })

  it('applies the options of each view to its connections', async () => {
    const { chain, server } = await startServer({
      preconf: { defaultBlock: 'pending', pendingNonce: 'pool' },
    })
    const { request, arrived } = await waitingRequest(chain, 3)
    const sent = exchange(server.preconfUrl, post(request))
    await arrived
    const nonce = post(ask(1, 'eth_getTransactionCount', chain.accounts[3]!.address))
    expect((await exchange(server.preconfUrl, nonce)).body).toEqual(result(1, '0x1'))
    expect((await exchange(server.url, nonce)).body).toEqual(result(1, '0x0'))
    await chain.tick()
    expect((await sent).body).toMatchObject({ id: 3, result: { status: '0x1' } })
  })

  it('listens on the given ports, and reports which one is in use', async () => {
    const { chain, server } = await startServer()
    const [port, preconfPort] = [portOf(server.url), portOf(server.preconfUrl)]
    await expect(serve(chain, { port, preconfPort: 0 })).rejects.toThrow(
      new PortInUseError('127.0.0.1', port),
    )
    await expect(serve(chain, { port, preconfPort: 0 })).rejects.toMatchObject({ port })
    await server.close()
    const again = await serveUntilEnd(chain, { port, preconfPort })
    expect(again.url).toBe(server.url)
    expect(again.preconfUrl).toBe(server.preconfUrl)
  })

  it('closes the first port if the second view cannot be served', async () => {
    const { chain, server } = await startServer()
    const free = await serve(chain, { port: 0, preconfPort: 0 })
    await free.close()
    const port = portOf(free.url)
    const taken = portOf(server.preconfUrl)
    await expect(serve(chain, { port, preconfPort: taken })).rejects.toThrow(
      `port ${taken} of 127.0.0.1 is in use`,
    )
    const preconf = { dialect: 'x' as never }
    await expect(serve(chain, { port, preconfPort: 0, preconf })).rejects.toThrow(InvalidOptionError)
    const again = await serveUntilEnd(chain, { port })
    expect(portOf(again.url)).toBe(port)
  })

  it('listens on IPv6, and on every address', async () => {
    const six = await startServer({ host: '::1' })
    expect(six.server.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect((await exchange(six.server.url)).status).toBe(200)
    const all = await startServer({ host: '0.0.0.0' })
    expect(all.server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect((await exchange(all.server.url)).status).toBe(200)
  })

  it.each<[ServeOptions, string, string]>([
    [{ port: -1 }, 'port', 'an integer from 0 to 65535'],
    [{ preconfPort: 65_536 }, 'preconfPort', 'an integer from 0 to 65535'],
    [{ port: 9, preconfPort: 9 }, 'preconfPort', 'a port other than 9, the value of port'],
    [{ port: 8546 }, 'preconfPort', 'a port other than 8546, the value of port'],
    [{ host: '' }, 'host', 'a host name or an address'],
    [{ prot: 1 } as never, 'prot', `one of ${Object.keys(SERVE_OPTIONS).join(', ')}; did you mean port?`],
    [{ maxConnections: 0 }, 'maxConnections', 'an integer >= 1'],
    [{ maxQueuedBytes: 0 }, 'maxQueuedBytes', 'an integer >= 1'],
    [{ maxInFlight: 0 }, 'maxInFlight', 'an integer >= 1'],
    [{ closeTimeout: -1 }, 'closeTimeout', 'an integer >= 0'],
    [{ maxBatch: 0 }, 'maxBatch', 'an integer >= 1'],
    [{ maxSubscriptions: -1 }, 'maxSubscriptions', 'an integer >= 0'],
    [{ port: 0, standard: { dialect: 'x' as never } }, 'standard.dialect', "'preconf', 'geth' or 'hardhat'"],
    [
      { port: 0, preconfPort: 0, preconf: { dialect: 'x' as never } },
      'preconf.dialect',
      "'preconf', 'geth' or 'hardhat'",
    ],
  ])('rejects the options %j', async (options, option, expected) => {
    const chain = await startChain()
    await expect(serve(chain, options)).rejects.toThrow(new InvalidOptionError(option, expected))
  })
})

describe('HTTP', () => {
  it('answers batches, notifications and invalid JSON', async () => {
    const { server } = await startServer()
    const { url } = server
    const notification = { jsonrpc: '2.0', method: 'eth_chainId' }
    expect(await exchange(url, post(ask('a', 'eth_chainId'), notification, ask(null, 'x')))).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: [result('a', '0x7a69'), failure(null, -32601, 'the method x does not exist/is not available')],
    })
    expect(await exchange(url, post(notification))).toMatchObject({ status: 204, body: undefined })
    expect(await exchange(url, { body: '{' })).toMatchObject({
      status: 200,
      body: failure(null, -32700, 'parse error'),
    })
    expect(await exchange(url, { method: 'GET' })).toMatchObject({
      status: 405,
      headers: { allow: 'POST, OPTIONS' },
    })
    expect(await exchange(url, { headers: { 'Content-Type': 'text/plain' } })).toMatchObject({ status: 415 })
  })

  it('answers at the root path only', async () => {
    const { server } = await startServer()
    expect(await exchange(server.url, { path: '/?key=1' })).toMatchObject({ status: 200 })
    expect(await exchange(server.url, { path: '/other' })).toMatchObject({
      status: 404,
      body: failure(null, -32600, 'not found: requests are sent to the path /'),
    })
    await expect(connect(server.url, {}, '/other')).rejects.toThrow('Unexpected server response: 404')
  })

  it.each(['http://127.0.0.1/', 'HTTP://localhost:1/?key=1', 'http://[::1]', 'https://127.0.0.1'])(
    'answers a target in absolute form: %s',
    async (path) => {
      const { server } = await startServer()
      expect(await exchange(server.url, { path })).toMatchObject({ status: 200, body: result(1, '0x7a69') })
    },
  )

  it('checks the host of a target in absolute form, not that of the header', async () => {
    const { server } = await startServer({ hosts: ['named.example'] })
    const host = (Host: string) => ({ headers: { Host } })
    const named = { path: 'http://named.example/', ...host('evil.example') }
    expect(await exchange(server.url, named)).toMatchObject({ status: 200, body: result(1, '0x7a69') })
    for (const authority of ['evil.example', 'named.example@evil.example', '']) {
      const refused = { path: `http://${authority}/`, ...host('named.example') }
      expect(await exchange(server.url, refused)).toMatchObject({
        status: 403,
        body: failure(null, -32600, 'host not allowed: see the option hosts'),
      })
    }
    expect(await exchange(server.url, { path: 'http://named.example/other' })).toMatchObject({ status: 404 })
  })

  it('answers OPTIONS of the server as a whole', async () => {
    const { server } = await startServer()
    expect(await exchange(server.url, { method: 'OPTIONS', path: '*' })).toMatchObject({
      status: 204,
      headers: { allow: 'POST, OPTIONS' },
    })
    expect(await exchange(server.url, { path: '*' })).toMatchObject({ status: 404 })
  })

  it.each(['h2c', 'websocket'])('answers a POST that asks for an upgrade to %s', async (protocol) => {
    const { server } = await startServer()
    const headers = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: protocol, 'HTTP2-Settings': 'AAMAAABk' }
    const chainId = { status: 200, body: result(1, '0x7a69') }
    expect(await exchange(server.url, { headers })).toMatchObject(chainId)
    const chunked = { ...headers, 'Transfer-Encoding': 'chunked' }
    expect(await exchange(server.url, { headers: chunked })).toMatchObject(chainId)
    expect(await exchange(server.url, { headers: { ...headers, Host: 'evil.example' } })).toMatchObject({
      status: 403,
    })
  })

  it('keeps the connection open', async () => {
    const { server } = await startServer()
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '[]' }
    const response = await fetch(server.url, init)
    expect(response.headers.get('connection')).toBe('keep-alive')
    expect(await response.json()).toEqual(failure(null, -32600, 'empty batch'))
  })

  it('rejects a body above the limit, declared or not, and continues to answer', async () => {
    const { server } = await startServer({ maxBodyBytes: 1000 })
    const tooLarge = { status: 413, body: failure(null, -32600, 'request too large: limit 1000 bytes') }
    const body = ' '.repeat(3_000_000)
    expect(await exchange(server.url, { body })).toMatchObject(tooLarge)
    expect(await exchange(server.url, { body, headers: { 'Transfer-Encoding': 'chunked' } })).toMatchObject(
      tooLarge,
    )
    expect(await exchange(server.url)).toMatchObject({ status: 200 })
  })

  it('rejects requests in flight above the limit, and continues to answer', async () => {
    const { chain, server } = await startServer({ maxInFlight: 2 })
    const waiting = await Promise.all([1, 2].map((id) => waitingRequest(chain, id)))
    const answers = waiting.map(({ request }) => exchange(server.preconfUrl, post(request)))
    await Promise.all(waiting.map(({ arrived }) => arrived))
    const chainId = ask(3, 'eth_chainId')
    expect((await exchange(server.preconfUrl, post(chainId))).body).toEqual(
      failure(3, -32005, 'too many requests in flight: limit 2'),
    )
    // The limit applies to each port.
    expect((await exchange(server.url, post(chainId))).body).toEqual(result(3, '0x7a69'))
    await chain.tick()
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
    expect((await exchange(server.preconfUrl, post(chainId))).body).toEqual(result(3, '0x7a69'))
  })

  it('continues if a client disconnects', async () => {
    const { chain, server } = await startServer()
    const { request, arrived } = await waitingRequest(chain, 2)
    const aborter = new AbortController()
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
    }
    const broken = fetch(server.preconfUrl, { ...init, signal: aborter.signal })
    await arrived
    aborter.abort()
    await expect(broken).rejects.toThrow('aborted')
    expect((await chain.tick()).block.transactions).toHaveLength(1)
    expect(await exchange(server.preconfUrl)).toMatchObject({ status: 200 })
  })

  it('answers with error 4900 once the chain is closed', async () => {
    const { chain, server } = await startServer()
    await chain.close()
    expect(await exchange(server.url)).toMatchObject({ status: 200, body: failure(1, 4900, 'disconnected') })
  })
})

describe('a WebSocket', () => {
  it('accepts text and bytes, and answers in text', async () => {
    const { server } = await startServer()
    const client = await connect(server.url)
    client.send(ask(1, 'eth_chainId'))
    expect(await client.next()).toEqual(result(1, '0x7a69'))
    client.socket.send(new TextEncoder().encode(JSON.stringify(ask(2, 'eth_chainId'))))
    expect(await client.next()).toEqual(result(2, '0x7a69'))
  })

  it('has its own subscriptions, up to the limit, which end with it', async () => {
    const { chain, server } = await startServer({ maxSubscriptions: 1 })
    const [one, other] = [await connect(server.url), await connect(server.url)]
    for (const client of [one, other]) {
      client.send(ask(1, 'eth_subscribe', 'newHeads'))
      expect(await client.next()).toEqual(result(1, '0x1'))
      client.send(ask(2, 'eth_subscribe', 'newHeads'))
      expect(await client.next()).toEqual(failure(2, -32005, 'too many subscriptions: limit 1'))
    }
    one.socket.close()
    await one.closed
    const { block } = await chain.seal()
    expect(await other.next()).toMatchObject({
      method: 'eth_subscription',
      params: { subscription: '0x1', result: { hash: block.hash } },
    })
    expect(one.received).toEqual([])
  })

  it('has its own limit of requests in flight, and continues to be answered', async () => {
    const { chain, server } = await startServer({ maxInFlight: 2 })
    const [one, other] = [await connect(server.preconfUrl), await connect(server.preconfUrl)]
    const waiting = await Promise.all([1, 2].map((id) => waitingRequest(chain, id)))
    for (const { request } of waiting) one.send(request)
    await Promise.all(waiting.map(({ arrived }) => arrived))
    const refused = (id: number) => failure(id, -32005, 'too many requests in flight: limit 2')
    one.send(ask(3, 'eth_chainId'))
    expect(await one.next()).toEqual(refused(3))
    one.send([ask(4, 'eth_chainId'), ask(5, 'eth_subscribe', 'newHeads')])
    expect(await one.next()).toEqual([refused(4), refused(5)])
    // The limit applies to each connection, and not to HTTP.
    other.send(ask(6, 'eth_chainId'))
    expect(await other.next()).toEqual(result(6, '0x7a69'))
    expect((await exchange(server.preconfUrl, post(ask(7, 'eth_chainId')))).body).toEqual(result(7, '0x7a69'))
    await chain.tick()
    expect([await one.next(), await one.next()]).toMatchObject([
      { id: 1, result: { status: '0x1' } },
      { id: 2, result: { status: '0x1' } },
    ])
    one.send(ask(8, 'eth_chainId'))
    expect(await one.next()).toEqual(result(8, '0x7a69'))
  })

  it('receives long notifications unchanged, under its own subscription', async () => {
    const { chain, server } = await startServer()
    const [one, other] = [await connect(server.preconfUrl), await connect(server.preconfUrl)]
    other.send(ask(1, 'eth_subscribe', 'newHeads'))
    expect(await other.next()).toEqual(result(1, '0x1'))
    const ids = [
      [one, '0x1'],
      [other, '0x2'],
    ] as const
    for (const [client, id] of ids) {
      client.send(ask(2, 'eth_subscribe', 'newPreconfBlocks'))
      expect(await client.next()).toEqual(result(2, id))
    }
    for (let index = 0; index < 5; index++) {
      const raw = await sign(chain, index, { nonce: 0, to: chain.accounts[1]!.address })
      await chain.standard.request({ method: 'eth_sendRawTransaction', params: [raw] })
    }
    const preconfBlock = await chain.tick()
    expect(JSON.stringify(preconfBlock).length).toBeGreaterThan(5000)
    for (const [client, subscription] of ids) {
      expect(await client.next()).toEqual({
        jsonrpc: '2.0',
        method: 'eth_subscription',
        params: { subscription, result: preconfBlock },
      })
    }
  })

  it('is closed if a message is above the limit', async () => {
    const { server } = await startServer({ maxBodyBytes: 100 })
    const client = await connect(server.url)
    client.send(' '.repeat(101))
    expect(await client.closed).toEqual({ code: 1009, reason: '' })
  })

  it('is closed with a reason if it reads too slowly, without delay for others', async () => {
    const chain = await startChain()
    const maxQueuedBytes = 100_000
    let dropped = () => {}
    const isDropped = new Promise<void>((resolve) => {
      dropped = resolve
    })
    // Reports the end of any provider; the slow reader's is the first.
    const watched: PresealChain = {
      ...chain,
      provider: (...of) => chain.provider(...of).on('disconnect', () => dropped()),
    }
    const server = await serveUntilEnd(watched, { maxQueuedBytes })
    const [slow, other] = [await connect(server.url), await connect(server.url)]
    slow.socket.pause()
    other.send(ask(1, 'eth_subscribe', 'newHeads'))
    expect(await other.next()).toEqual(result(1, '0x1'))
    // More than the socket buffers hold.
    const batch = Array.from({ length: 1000 }, (_, id) => ask(id, 'eth_getBlockByNumber', 'latest', true))
    for (let i = 0; i < 20; i++) slow.send(batch)
    await isDropped
    const { block } = await chain.seal()
    expect(await other.next()).toMatchObject({ params: { result: { hash: block.hash } } })
    slow.socket.resume()
    const reason = `too slow: more than ${maxQueuedBytes} bytes were waiting to be read`
    expect(await slow.closed).toEqual({ code: 1013, reason })
    expect(slow.received.length).toBeGreaterThan(0)
    expect(slow.received.length).toBeLessThan(20)
  })

  it('is answered at any length if nothing else is queued', async () => {
    const { server } = await startServer({ maxQueuedBytes: 1 })
    const client = await connect(server.url)
    // Ids of this length make the answer larger than the socket buffers.
    const batch = Array.from({ length: 1000 }, (_, id) => ask(`${id}`.padEnd(5000), 'eth_chainId'))
    client.send(batch)
    const answers = await Promise.race([client.next(), client.closed])
    expect(answers).toHaveLength(1000)
    client.send(ask(1, 'eth_chainId'))
    expect(await client.next()).toEqual(result(1, '0x7a69'))
  })

  it('is closed with a reason if more than the limit is queued behind an answer', async () => {
    const { chain, server } = await startServer({ maxQueuedBytes: 1000 })
    const client = await connect(server.preconfUrl)
    const { request, arrived } = await waitingRequest(chain, 2)
    client.send([ask(1, 'eth_subscribe', 'newPreconfBlocks'), request])
    await arrived
    await chain.tick()
    expect(await client.closed).toEqual({
      code: 1013,
      reason: 'too slow: more than 1000 bytes were waiting for an answer',
    })
    expect(client.received).toEqual([])
  })

  it('is closed with the chain, after its waiting requests are answered', async () => {
    const { chain, server } = await startServer()
    const client = await connect(server.preconfUrl)
    const { request, arrived } = await waitingRequest(chain, 1)
    client.send(request)
    await arrived
    await chain.close()
    expect(await client.next()).toEqual(failure(1, 4900, 'disconnected'))
    expect(await client.closed).toEqual({ code: 1001, reason: 'disconnected' })
  })

  it('accepts text with a byte order mark, as HTTP does', async () => {
    const { server } = await startServer()
    const text = `\uFEFF${JSON.stringify(ask(1, 'eth_chainId'))}`
    expect(await exchange(server.url, { body: text })).toMatchObject({ body: result(1, '0x7a69') })
    const client = await connect(server.url)
    client.send(text)
    expect(await client.next()).toEqual(result(1, '0x7a69'))
  })

  it('is closed at once if the chain is closed already', async () => {
    const { chain, server } = await startServer()
    await chain.close()
    const client = await connect(server.preconfUrl)
    expect(await client.closed).toEqual({ code: 1001, reason: 'disconnected' })
  })
})

describe('connections', () => {
  it('above the limit are rejected', async () => {
    const { server } = await startServer({ maxConnections: 2 })
    const first = await connect(server.url)
    const second = await connect(server.url)
    await expect(exchange(server.url)).rejects.toThrow(/ECONNRESET|socket hang up/)
    expect(await exchange(server.preconfUrl)).toMatchObject({ status: 200 })
    second.socket.close()
    await second.closed
    first.send(ask(1, 'eth_chainId'))
    expect(await first.next()).toEqual(result(1, '0x7a69'))
    expect(await exchange(server.url)).toMatchObject({ status: 200 })
  })
})

describe('close', () => {
  it.runIf(typeof Symbol.asyncDispose === 'symbol')('happens at the end of the scope', async () => {
    const { server } = await startServer()
    await server[Symbol.asyncDispose]()
    await expect(exchange(server.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('waits for the requests in flight, and ends the connections', async () => {
    const { chain, server } = await startServer({ closeTimeout: 60_000 })
    const client = await connect(server.preconfUrl)
    const byHttp = await waitingRequest(chain, 1)
    const answer = exchange(server.preconfUrl, post(byHttp.request))
    await byHttp.arrived
    const bySocket = await waitingRequest(chain, 2)
    client.send(bySocket.request)
    await bySocket.arrived
    const closed = server.close()
    await chain.tick()
    expect(await answer).toMatchObject({
      status: 200,
      headers: { connection: 'close' },
      body: { id: 1, result: { status: '0x1' } },
    })
    expect(await client.next()).toMatchObject({ id: 2, result: { status: '0x1' } })
    expect(await client.closed).toEqual({ code: 1001, reason: 'the server was closed' })
    await closed
    await server.close()
    await expect(exchange(server.url)).rejects.toThrow('ECONNREFUSED')
    await expect(exchange(server.preconfUrl)).rejects.toThrow('ECONNREFUSED')
    expect(await chain.standard.request({ method: 'eth_chainId' })).toBe('0x7a69')
  })

  it('rejects with 4900 the requests that exceed the timeout', async () => {
    const { chain, server } = await startServer({ closeTimeout: 0 })
    const client = await connect(server.preconfUrl)
    const byHttp = await waitingRequest(chain, 1)
    const answer = exchange(server.preconfUrl, post(byHttp.request))
    await byHttp.arrived
    const bySocket = await waitingRequest(chain, 2)
    client.send(bySocket.request)
    await bySocket.arrived
    await server.close()
    expect(await answer).toMatchObject({ status: 200, body: failure(1, 4900, 'disconnected') })
    expect(await client.next()).toEqual(failure(2, 4900, 'disconnected'))
    await client.closed
  })

  it('answers requests that arrive while it waits for others', async () => {
    const { chain, server } = await startServer({ closeTimeout: 60_000 })
    const client = await connect(server.preconfUrl)
    const { request, arrived } = await waitingRequest(chain, 1)
    client.send(request)
    await arrived
    const closed = server.close()
    client.send(ask(2, 'eth_chainId'))
    expect(await client.next()).toEqual(result(2, '0x7a69'))
    await chain.tick()
    expect(await client.next()).toMatchObject({ id: 1, result: { status: '0x1' } })
    expect(await client.closed).toEqual({ code: 1001, reason: 'the server was closed' })
    await closed
  })

  it('does not wait for idle clients', async () => {
    const { chain, server } = await startServer({ closeTimeout: 0 })
    const client = await connect(server.preconfUrl)
    client.socket.pause()
    const { request } = await waitingRequest(chain, 1)
    const body = JSON.stringify(request)
    const halfway = new Request(server.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(body)) }),
      duplex: 'half',
    } as RequestInit)
    const broken = expect(fetch(halfway)).rejects.toThrow('fetch failed')
    await server.close()
    await broken
  })
})
