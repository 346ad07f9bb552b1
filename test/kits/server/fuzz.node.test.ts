/** Random bytes on sockets: HTTP bodies, WebSocket messages, and invalid frames. */
import { connect as connectSocket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../full.ts'
import { expectAnswer, message, result } from './messages.ts'
import { ask, connect, exchange, startServer } from './support.ts'

const MESSAGES = runs(300, 20_000)
const BODIES = runs(100, 5000)
const FRAMES = runs(100, 2000)

describe('a server under random requests', () => {
  it(`answers ${MESSAGES.numRuns} messages of a WebSocket`, async () => {
    const { server } = await startServer({ maxBatch: 5, maxSubscriptions: 3 })
    let client = await connect(server.preconfUrl)
    await fc.assert(
      fc.asyncProperty(message, async (body) => {
        client.socket.send(body)
        client.send(ask('last', 'eth_chainId'))
        for (;;) {
          const answer = await Promise.race([client.next(), client.closed])
          // Invalid UTF-8 in a text message, which closes the WebSocket.
          expect(answer).not.toHaveProperty('code')
          expectAnswer(JSON.stringify(answer))
          if ((answer as { id?: unknown }).id === 'last') break
        }
      }),
      MESSAGES,
    )
    client.socket.close()
    await client.closed
    client = await connect(server.preconfUrl)
    client.send(ask(1, 'eth_subscribe', 'newHeads'))
    expect(await client.next()).toEqual(result(1, '0x1'))
  })

  it(`answers ${BODIES.numRuns} bodies by HTTP`, async () => {
    const { server } = await startServer({ maxBatch: 5, maxBodyBytes: 2000 })
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' } }
    await fc.assert(
      fc.asyncProperty(message, async (body) => {
        const response = await fetch(server.preconfUrl, { ...init, body: body as never })
        expect([200, 204, 413]).toContain(response.status)
        const text = await response.text()
        if (response.status === 204) expect(text).toBe('')
        else expectAnswer(text)
      }),
      BODIES,
    )
  })

  it(`survives ${FRAMES.numRuns} invalid frames and requests`, async () => {
    const { chain, server } = await startServer()
    const { hostname, port } = new URL(server.url)
    const upgrade = `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${btoa('0123456789abcdef')}\r\n\r\n`
    const beginning = fc.constantFrom(
      upgrade,
      'POST / HTTP/1.1\r\nHost: localhost\r\n',
      'POST / HTTP/1.1\r\n\r\n',
      '',
    )
    await fc.assert(
      fc.asyncProperty(beginning, fc.uint8Array({ maxLength: 40 }), async (begin, bytes) => {
        await new Promise<void>((resolve) => {
          const socket = connectSocket(Number(port), hostname)
          socket.on('error', () => {})
          socket.on('close', () => resolve())
          socket.resume()
          socket.write(begin)
          socket.end(bytes)
        })
      }),
      FRAMES,
    )
    expect(await exchange(server.url)).toMatchObject({ status: 200 })
    const client = await connect(server.url)
    client.send(ask(1, 'eth_subscribe', 'newHeads'))
    expect(await client.next()).toEqual(result(1, '0x1'))
    const { block } = await chain.seal()
    expect(await client.next()).toMatchObject({
      params: { subscription: '0x1', result: { hash: block.hash } },
    })
  })
})
