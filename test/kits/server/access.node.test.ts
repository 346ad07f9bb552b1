/** Which hosts and origins a server accepts: no page of another site, even by DNS rebinding. */
import { describe, expect, it } from 'vitest'
import { createHandler, type HandlerOptions, type ServeOptions } from '../../../src/kits/server/index.ts'
import { startChain } from '../../harness.ts'
import { failure, result } from './messages.ts'
import { connect, exchange, startServer } from './support.ts'

const CHAIN_ID = result(1, '0x7a69')
const HOST_REFUSED = failure(null, -32600, 'host not allowed: see the option hosts')
const ORIGIN_REFUSED = failure(null, -32600, 'origin not allowed: see the option origins')

/** The answers to a request with these headers, by HTTP and by the upgrade to a WebSocket. */
async function reach(headers: Readonly<Record<string, string>>, options: ServeOptions = {}) {
  const { server } = await startServer(options)
  const { status, body } = await exchange(server.url, { headers })
  const upgraded = await connect(server.url, headers).then(
    () => 'upgraded',
    (error: Error) => error.message,
  )
  return { status, body, upgraded }
}

const ACCEPTED = { status: 200, body: CHAIN_ID, upgraded: 'upgraded' }
const refused = (body: unknown) => ({ status: 403, body, upgraded: 'Unexpected server response: 403' })

describe('the host of a request', () => {
  it.each([
    'localhost',
    'LOCALHOST:1',
    'app.localhost:8545',
    '127.0.0.1',
    '127.1.2.3:9',
    '[::1]',
    '[::1]:8545',
  ])('may be %s', async (host) => {
    expect(await reach({ Host: host })).toEqual(ACCEPTED)
  })

  it.each([
    'evil.example',
    'localhost.evil.example',
    'evil.example:8545',
    '127.0.0.1.evil.example',
    'notlocalhost',
    'x@localhost',
    '192.168.0.1',
  ])('may not be %j', async (host) => {
    expect(await reach({ Host: host })).toEqual(refused(HOST_REFUSED))
  })

  it('may be one of the list, or loopback', async () => {
    const options = { hosts: ['DevBox'] }
    expect(await reach({ Host: 'devbox:8545' }, options)).toEqual(ACCEPTED)
    expect(await reach({ Host: 'localhost' }, options)).toEqual(ACCEPTED)
    expect(await reach({ Host: 'evil.example' }, options)).toEqual(refused(HOST_REFUSED))
  })

  it("may be any with '*', and if the server listens beyond loopback", async () => {
    expect(await reach({ Host: 'devbox' }, { hosts: '*' })).toEqual(ACCEPTED)
    expect(await reach({ Host: 'devbox' }, { host: '0.0.0.0' })).toEqual(ACCEPTED)
    expect(await reach({ Host: 'devbox' }, { host: '0.0.0.0', hosts: [] })).toEqual(refused(HOST_REFUSED))
  })

  it('is that of the URL if there is no header', async () => {
    const chain = await startChain()
    const handler = createHandler(chain.standard, { hosts: [] })
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '[]' }
    expect((await handler(new Request('http://localhost:1/', init))).status).toBe(200)
    expect((await handler(new Request('http://evil.example/', init))).status).toBe(403)
  })
})

describe('the origin of a request', () => {
  it.each([
    'http://localhost:5173',
    'https://localhost',
    'http://app.localhost',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn',
    'moz-extension://1b2c',
  ])('may be %s', async (origin) => {
    expect(await reach({ Origin: origin })).toEqual(ACCEPTED)
  })

  it.each(['https://evil.example', 'http://localhost.evil.example', 'null', 'localhost', ''])(
    'may not be %j',
    async (origin) => {
      expect(await reach({ Origin: origin })).toEqual(refused(ORIGIN_REFUSED))
    },
  )

  it('may not be one whose host resolves to this machine', async () => {
    const options = { host: '0.0.0.0' }
    const headers = { Host: 'evil.example:8545', Origin: 'http://evil.example:8545' }
    expect(await reach(headers, options)).toEqual(refused(ORIGIN_REFUSED))
  })

  it('may be one of the list, and no other', async () => {
    const options = { origins: ['https://app.example'] }
    expect(await reach({ Origin: 'https://app.example' }, options)).toEqual(ACCEPTED)
    expect(await reach({}, options)).toEqual(ACCEPTED)
    expect(await reach({ Origin: 'http://localhost' }, options)).toEqual(refused(ORIGIN_REFUSED))
  })

  it("may be any with '*'", async () => {
    expect(await reach({ Origin: 'https://evil.example' }, { origins: '*' })).toEqual(ACCEPTED)
    expect(await reach({ Origin: 'null' }, { origins: '*' })).toEqual(ACCEPTED)
  })

  it.each([
    [{}, 'http://localhost:5173', { 'access-control-allow-origin': 'http://localhost:5173', vary: 'Origin' }],
    [{}, undefined, { 'access-control-allow-origin': undefined, vary: 'Origin' }],
    [{ origins: '*' }, 'https://app.example', { 'access-control-allow-origin': '*', vary: undefined }],
    [{}, 'https://evil.example', { 'access-control-allow-origin': undefined, vary: undefined }],
  ] as const)(
    'gets the headers by which it may read the answer: %j, %s',
    async (options: HandlerOptions, origin, expected) => {
      const { server } = await startServer(options)
      const { headers } = await exchange(server.url, {
        headers: origin === undefined ? {} : { Origin: origin },
      })
      const { 'access-control-allow-origin': allowed, vary } = headers
      expect({ 'access-control-allow-origin': allowed, vary }).toEqual(expected)
    },
  )

  it('gets the answer to its preflight request', async () => {
    const { server } = await startServer()
    const preflight = (origin: string) =>
      exchange(server.url, {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'content-type,x-app',
          'Access-Control-Request-Private-Network': 'true',
        },
      })
    const allowed = await preflight('http://localhost:5173')
    expect(allowed).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': 'http://localhost:5173',
        'access-control-allow-methods': 'POST, OPTIONS',
        'access-control-allow-headers': 'content-type,x-app',
        'access-control-allow-private-network': 'true',
        'access-control-max-age': '600',
      },
      body: undefined,
    })
    expect(await preflight('https://evil.example')).toMatchObject({ status: 403, body: ORIGIN_REFUSED })
  })
})

describe('URLs of nodes to fork', () => {
  const answer = async (options: Parameters<typeof startServer>[0]) => {
    const { server } = await startServer(options)
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'anvil_setRpcUrl',
      params: ['http://127.0.0.1:1'],
    })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(server.url, { method: 'POST', headers, body })
    return ((await response.json()) as { error: { message: string } }).error.message
  }
  const REFUSED =
    'this server accepts no URL of a node to fork: it must listen on loopback, or set the option forkUrls'

  it('are accepted by servers on loopback alone, unless the option says otherwise', async () => {
    for (const host of ['127.0.0.1', 'localhost'])
      expect(await answer({ host })).toContain('the chain is no fork')
    expect(await answer({ host: '0.0.0.0' })).toBe(REFUSED)
    expect(await answer({ host: '127.0.0.1', forkUrls: false })).toBe(REFUSED)
    expect(await answer({ host: '0.0.0.0', forkUrls: true })).toContain('the chain is no fork')
  })
})
