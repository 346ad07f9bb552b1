/** Malformed frames and requests on raw sockets: the server answers or closes, and leaks nothing. */
import { connect as connectSocket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PresealChain } from '../../../src/index.ts'
import { runs } from '../../full.ts'
import { startChain } from '../../harness.ts'
import { expectAnswer, message, result } from './messages.ts'
import { ask, connect, exchange, serveUntilEnd } from './support.ts'

const HALF = runs(60, 3000)
const RUNS = 2 * HALF.numRuns
/** MiB that the heap may grow by in the second half of the runs; the first half warms up. */
const GROWTH = 8

/** How a client leaves: it ends its side, or the connection is destroyed. */
const leave = fc.constantFrom<Leave>('end', 'end', 'end', 'destroy')
type Leave = 'end' | 'destroy'

/** Serves a chain whose open connections are counted by their providers. */
async function startCounting() {
  const chain = await startChain()
  let open = 0
  const counting: PresealChain = {
    ...chain,
    provider(...of) {
      open += 1
      return chain.provider(...of).on('disconnect', () => {
        open -= 1
      })
    },
  }
  const server = await serveUntilEnd(counting, { maxBatch: 5, maxBodyBytes: 2000, maxSubscriptions: 3 })
  const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  /** Runs a property in two halves, and checks that the second one leaks nothing and the server still works. */
  const assertWithoutLeaks = async <T>(property: fc.IAsyncProperty<T>) => {
    const before = { open, sockets: sockets() }
    await fc.assert(property, HALF)
    const heap = heapMiB()
    await fc.assert(property, { ...HALF, seed: HALF.seed + 1 })
    expect(heapMiB() - heap).toBeLessThan(GROWTH)
    // The server ends a connection only after it has seen the client's end close.
    while (open > before.open || sockets() > before.sockets) await new Promise((next) => setImmediate(next))
    expect(await exchange(server.url)).toMatchObject({ status: 200, body: result(1, '0x7a69') })
    const client = await connect(server.url)
    client.send(ask(1, 'eth_subscribe', 'newHeads'))
    expect(await client.next()).toEqual(result(1, '0x1'))
    const { block } = await chain.seal()
    expect(await client.next()).toMatchObject({ params: { result: { hash: block.hash } } })
  }
  return { port: Number(new URL(server.preconfUrl).port), assertWithoutLeaks }
}

function heapMiB(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed / 2 ** 20
}

/** Sends pieces one by one, a turn of the event loop apart. @returns all bytes received until the connection ended. */
function exchangeRaw(port: number, pieces: readonly Uint8Array[], leave: Leave): Promise<Buffer> {
  return new Promise((resolve) => {
    const received: Buffer[] = []
    const socket = connectSocket({ port, host: '127.0.0.1', noDelay: true })
    socket.on('data', (chunk) => received.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => resolve(Buffer.concat(received)))
    const left = [...pieces]
    const next = () => {
      const piece = left.shift()
      if (piece !== undefined) socket.write(piece, () => setImmediate(next))
      else if (leave === 'destroy') socket.destroy()
      else socket.end()
    }
    next()
  })
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** A frame, mostly well-formed; each of its fields is sometimes wrong. */
const frame = fc
  .record({
    fin: rarely(true, fc.constant(false)),
    rsv: rarely(0, fc.integer({ min: 1, max: 7 })),
    opcode: rarely(1, fc.integer({ min: 0, max: 15 })),
    masked: rarely(true, fc.constant(false)),
    /** By how much the declared length exceeds the real one. */
    excess: rarely(0, fc.constantFrom(-1, 1, 3000, 2 ** 31, 2 ** 52)),
    form: rarely('shortest' as const, fc.constantFrom('short', 'medium', 'long')),
    payload: fc.oneof(message, fc.uint8Array({ maxLength: 130 })),
  })
  .map(({ fin, rsv, opcode, masked, excess, form, payload }) => {
    const bytes = typeof payload === 'string' ? bytesOf(payload) : payload
    const said = BigInt(Math.max(0, bytes.length + excess))
    const shortest = said < 126n ? 'short' : said < 65_536n ? 'medium' : 'long'
    const length = Buffer.alloc({ short: 1, medium: 3, long: 9 }[form === 'shortest' ? shortest : form])
    if (length.length === 1) length[0] = Number(said % 128n)
    else length[0] = length.length === 3 ? 126 : 127
    if (length.length === 3) length.writeUInt16BE(Number(said % 65_536n), 1)
    if (length.length === 9) length.writeBigUInt64BE(said, 1)
    const mask = [1, 2, 3, 4]
    if (masked) length[0]! |= 0x80
    return Buffer.concat([
      Buffer.from([(fin ? 0x80 : 0) | (rsv << 4) | opcode]),
      length,
      Buffer.from(masked ? mask : []),
      masked ? bytes.map((byte, at) => byte ^ mask[at % 4]!) : bytes,
    ])
  })

function rarely<T, U>(usual: T, other: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 8, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other })
}

const UPGRADE = bytesOf(
  `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${btoa('0123456789abcdef')}\r\n\r\n`,
)

/** Whether a server may close with a code: its own, or an echo of the client's (RFC 6455, §5.5.1 and §7.4). */
function isCloseCode(code: number): boolean {
  return (
    (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)
  )
}

/** Every frame of the server is complete, unmasked and of a known kind, and every text an answer or a notification. */
function expectFrames(bytes: Buffer): void {
  let at = 0
  while (at < bytes.length) {
    const [first, short] = [bytes[at]!, bytes[at + 1]!]
    const [length, begin] =
      short < 126
        ? [short, at + 2]
        : short === 126
          ? [bytes.readUInt16BE(at + 2), at + 4]
          : [Number(bytes.readBigUInt64BE(at + 2)), at + 10]
    const payload = bytes.subarray(begin, begin + length)
    expect(payload.length).toBe(length)
    at = begin + length
    if (first === 0x81) {
      const text = payload.toString()
      if (JSON.parse(text).method !== 'eth_subscription') expectAnswer(text)
    } else if (first === 0x88) {
      if (length > 0) expect(payload.readUInt16BE(0)).toSatisfy(isCloseCode)
      expect(at).toBe(bytes.length)
    } else {
      // The pong to a ping.
      expect(first).toBe(0x8a)
    }
  }
}

describe('a server under random bytes', () => {
  it(`survives ${RUNS} connections with malformed frames`, async () => {
    const { port, assertWithoutLeaks } = await startCounting()
    await assertWithoutLeaks(
      fc.asyncProperty(fc.array(frame, { maxLength: 6 }), fc.nat(400), leave, async (frames, cut, leave) => {
        const sent = Buffer.concat(frames)
        const received = await exchangeRaw(port, [UPGRADE, sent.subarray(0, cut), sent.subarray(cut)], leave)
        const end = received.indexOf('\r\n\r\n') + 4
        if (leave === 'destroy' && end < 4) return
        expect(received.toString('latin1', 0, 12)).toBe('HTTP/1.1 101')
        if (leave === 'end') expectFrames(received.subarray(end))
      }),
    )
  })

  /** A request, mostly complete. */
  const request = fc
    .record({
      method: rarely('POST', fc.constantFrom('GET', 'OPTIONS', 'PUT', 'CONNECT', 'post', '')),
      path: rarely('/', fc.constantFrom('/?a', '/x', '*', 'http://localhost/', '//', ' ')),
      version: rarely('1.1', fc.constantFrom('1.0', '2.0', '9')),
      headers: fc.array(
        fc.constantFrom(
          'Connection: close',
          'Connection: keep-alive',
          'Expect: 100-continue',
          'Expect: the unexpected',
          'Origin: http://localhost:1',
          'Origin: https://elsewhere.example',
          'Host: elsewhere.example',
          'Access-Control-Request-Headers: \u00e9,\t',
          'Upgrade: h2c',
          'Connection: Upgrade\r\nUpgrade: h2c',
          'Connection: Upgrade\r\nUpgrade: websocket',
          'Content-Length: 5',
          'Content-Length: -1',
          'Content-Length: 99999999999999999999',
          'Content-Encoding: gzip',
          `X-Long: ${'x'.repeat(20_000)}`,
          'no header',
          ' folded',
          '\u0000',
        ),
        { maxLength: 2 },
      ),
      type: rarely('application/json', fc.constantFrom('text/plain', '')),
      framing: fc.constantFrom<'length' | 'chunked' | 'broken'>(
        'length',
        'length',
        'length',
        'chunked',
        'broken',
      ),
      body: message,
    })
    .map(({ method, path, version, headers, type, framing, body }) => {
      const bytes = Buffer.from(typeof body === 'string' ? bytesOf(body) : body)
      const lines = [
        `${method} ${path} HTTP/${version}`,
        'Host: localhost',
        `Content-Type: ${type}`,
        ...headers,
      ]
      lines.push(framing === 'length' ? `Content-Length: ${bytes.length}` : 'Transfer-Encoding: chunked')
      const size = framing === 'broken' ? 'xyz' : bytes.length.toString(16)
      const chunked = [`${size}\r\n`, bytes, bytes.length > 0 ? '\r\n0\r\n\r\n' : '\r\n']
      return Buffer.concat(
        [`${lines.join('\r\n')}\r\n\r\n`, ...(framing === 'length' ? [bytes] : chunked)].map((part) =>
          typeof part === 'string' ? Buffer.from(part, 'latin1') : part,
        ),
      )
    })

  /** Statuses of this server; below, those with which Node and ws reject malformed requests. */
  const OWN = [200, 204, 403, 404, 405, 413, 415]
  const HOST = [100, 400, 417, 426, 431]

  /** Every response is complete with a known status, and every body of this server's own is an answer. */
  function expectResponses(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      const end = bytes.indexOf('\r\n\r\n', at)
      expect(end).toBeGreaterThan(at)
      const head = bytes.toString('latin1', at, end)
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
      const body = bytes.toString('utf8', end + 4, end + 4 + length)
      at = end + 4 + length
      if (OWN.includes(status)) {
        expect(at).toBeLessThanOrEqual(bytes.length)
        if (length > 0) expectAnswer(body)
        else expect(status).toBe(204)
      } else {
        expect(HOST).toContain(status)
        // Node rejects an expectation with an empty chunked body.
        if (/^transfer-encoding: chunked$/im.test(head))
          at += bytes.toString('latin1', at).indexOf('0\r\n\r\n') + 5
      }
    }
  }

  it(`survives ${RUNS} connections with pipelined malformed requests`, async () => {
    const { port, assertWithoutLeaks } = await startCounting()
    const requests = fc.array(request, { minLength: 1, maxLength: 3 })
    await assertWithoutLeaks(
      fc.asyncProperty(requests, fc.nat(600), leave, async (requests, cut, leave) => {
        const sent = Buffer.concat(requests)
        const received = await exchangeRaw(port, [sent.subarray(0, cut), sent.subarray(cut)], leave)
        if (leave === 'end') expectResponses(received)
      }),
    )
  })
})
