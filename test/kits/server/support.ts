/** A chain served on free ports, and clients that send exactly the given bytes. */
import { type IncomingMessage, request as sendRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { ChainOptions, PresealChain } from '../../../src/index.ts'
import { type ServeOptions, serve } from '../../../src/kits/server/index.ts'
import { startChain } from '../../harness.ts'

/** Starts a chain and serves it until the test ends. */
export async function startServer(options: ServeOptions = {}, chainOptions: ChainOptions = {}) {
  const chain = await startChain(chainOptions)
  return { chain, server: await serveUntilEnd(chain, options) }
}

/** Serves a chain on free ports until the test ends. */
export async function serveUntilEnd(chain: PresealChain, options: ServeOptions = {}) {
  const server = await serve(chain, { port: 0, preconfPort: 0, ...options })
  onTestFinished(() => server.close())
  return server
}

/** An HTTP request with exactly these headers, except those that Node adds. */
export interface RawRequest {
  readonly method?: string
  /** The request target, as it is sent. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** An HTTP response. */
export interface RawResponse {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** Parsed; undefined if it was empty. */
  readonly body: unknown
}

/** Sends an HTTP request on a new connection; by default for the chain id. */
export function exchange(url: string, { method = 'POST', path = '/', headers, body }: RawRequest = {}) {
  return new Promise<RawResponse>((resolve, reject) => {
    const sent = sendRequest(
      url,
      { method, path, agent: false, headers: { 'Content-Type': 'application/json', ...headers } },
      async (response) => {
        const content = await text(response)
        const { statusCode: status = 0, headers } = response
        resolve({ status, headers, body: content === '' ? undefined : JSON.parse(content) })
      },
    )
    sent.on('error', reject)
    sent.end(body ?? (method === 'POST' ? JSON.stringify(ask(1, 'eth_chainId')) : undefined))
  })
}

/** A JSON-RPC request. */
export const ask = (id: unknown, method: string, ...params: unknown[]) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
/** A WebSocket to an address given as `http:`, closed when the test ends. */
export async function connect(url: string, headers: Readonly<Record<string, string>> = {}, path = '/') {
  const socket = new WebSocket(new URL(path, url.replace('http', 'ws')).href, { headers })
  onTestFinished(() => socket.terminate())
  const received: unknown[] = []
  const waiting: ((message: unknown) => void)[] = []
  socket.on('message', (data) => {
    const message = JSON.parse(data.toString())
    const take = waiting.shift()
    if (take === undefined) received.push(message)
    else take(message)
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('error', reject)
  })
  return {
    socket,
    /** How the connection ended. */
    closed,
    /** Messages that `next` has not returned yet. */
    received,
    send: (message: unknown) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    /** The next message. */
    next: () =>
      new Promise<unknown>((resolve) => {
        if (received.length > 0) resolve(received.shift())
        else waiting.push(resolve)
      }),
  }
}
