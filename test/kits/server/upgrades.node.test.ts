/** Requests on one connection of which some ask for an upgrade: each is answered once, in order. */
import { connect as connectSocket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sign } from '../../rpc/scene.ts'
import { failure, result } from './messages.ts'
import { ask, startServer } from './support.ts'

/** A POST. @param headers - further lines. */
function post(body: string, headers: readonly string[] = []): string {
  const lines = [
    'POST / HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    ...headers,
    `Content-Length: ${body.length}`,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

const H2C = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk']
const plain = (id: number): string => post(JSON.stringify(ask(id, 'eth_chainId')))
const upgrading = (id: number): string => post(JSON.stringify(ask(id, 'eth_chainId')), H2C)

const WEBSOCKET = `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${btoa('0123456789abcdef')}\r\n\r\n`

/** Sends a text on one connection, and returns the heads and bodies of so many responses. */
function converse(url: string, text: string, count: number) {
  const { hostname, port } = new URL(url)
  const socket = connectSocket(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let received = ''
  const responses = new Promise<{ status: string; body: unknown }[]>((resolve) => {
    const toResponses = () =>
      received.split(/(?=HTTP\/1\.1 )/).map((one) => {
        const [head, body] = one.split('\r\n\r\n')
        return { status: head!.slice(9, 12), body: body === '' ? undefined : JSON.parse(body!) }
      })
    socket.on('close', () => resolve(toResponses()))
    socket.on('data', (part) => {
      received += part
      const isWhole = received.endsWith('}') || received.endsWith('\r\n\r\n')
      if (isWhole && received.split('HTTP/1.1 ').length - 1 === count) resolve(toResponses())
    })
  })
  socket.write(text)
  return responses
}

const answer = (id: number) => ({ status: '200', body: result(id, '0x7a69') })

describe('pipelined requests', () => {
  it.each([
    [[plain, upgrading]],
    [[upgrading, upgrading]],
    [[plain, upgrading, plain]],
    [[upgrading, plain, plain]],
    [[plain, plain, upgrading, upgrading, plain, upgrading]],
  ])('that ask for an upgrade to another protocol are answered in order: %#', async (kinds) => {
    const { server } = await startServer()
    const text = kinds.map((kind, i) => kind(i)).join('')
    expect(await converse(server.url, text, kinds.length)).toEqual(kinds.map((_, i) => answer(i)))
  })

  it('are answered before the upgrade to a WebSocket behind them', async () => {
    const { server } = await startServer()
    expect(await converse(server.url, `${plain(1)}${upgrading(2)}${WEBSOCKET}`, 3)).toEqual([
      answer(1),
      answer(2),
      { status: '101', body: undefined },
    ])
  })

  it('are answered before the refusal of an upgrade behind them', async () => {
    const { server } = await startServer()
    const refused = WEBSOCKET.replace('localhost', 'evil.example')
    expect(await converse(server.url, `${plain(1)}${refused}`, 2)).toMatchObject([
      answer(1),
      { status: '403', body: { error: { code: -32600, message: 'host not allowed: see the option hosts' } } },
    ])
  })

  it('do not hold up the end of the server while an upgrade waits behind one', async () => {
    const { chain, server } = await startServer({ closeTimeout: 0 })
    const arrived = new Promise((resolve) => chain.once('transaction', resolve))
    const raw = await sign(chain, 1, { nonce: 0, to: chain.accounts[1]!.address })
    const waiting = post(JSON.stringify(ask(1, 'eth_sendRawTransactionSync', raw)))
    const responses = converse(server.preconfUrl, waiting + upgrading(2), 2)
    await arrived
    await server.close()
    expect(JSON.stringify(await responses)).not.toContain('"id":2')
  })
})

describe('a request with thousands of headers', () => {
  it('that asks for an upgrade keeps its body', async () => {
    const { server } = await startServer()
    const many = Array.from({ length: 2100 }, () => 'a:b')
    const text = post(plain(1), [...H2C, ...many]) + plain(2)
    expect(await converse(server.url, text, 2)).toEqual([
      { status: '200', body: failure(null, -32700, 'parse error') },
      answer(2),
    ])
  })

  it('is refused by the last of them', async () => {
    const { server } = await startServer()
    const many = Array.from({ length: 2100 }, () => 'a:b')
    const text = post(JSON.stringify(ask(1, 'eth_chainId')), [...many, 'Origin: https://evil.example'])
    expect(await converse(server.url, text, 1)).toMatchObject([{ status: '403' }])
  })
})
