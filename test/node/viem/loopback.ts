/** A node on a socket, as viem's own `ipc` transport reaches it, that knows some names only. */
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { PresealRpcError, Provider } from '../../../src/index.ts'

/** What a request is answered with in place of what the provider would. */
export type Refuse = (method: string, params: readonly unknown[]) => PresealRpcError | undefined

let sockets = 0

/**
 * Serves a provider on a socket until the test ends.
 *
 * @param refuse - what this node does not know.
 * @returns the path of the socket, and the methods it was asked for.
 */
export async function serve(provider: Provider, refuse: Refuse) {
  const path = join(tmpdir(), `preseal-${process.pid}-${sockets++}.ipc`)
  const asked: string[] = []
  const server = createServer((socket) => {
    // Who has gone needs no answer.
    socket.on('error', () => {})
    const send = (message: object) => socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    provider.on('message', ({ type: method, data: params }) =>
      send({ method: 'eth_subscription', params, type: method }),
    )
    socket.setEncoding('utf8').on('data', async (text) => {
      // viem writes one request after the other, with nothing in between; they are short enough to arrive whole.
      const requests = `${text}`.split(/(?<=\})(?=\{)/).map((request) => JSON.parse(request))
      for (const { id, method, params = [] } of requests) {
        asked.push(method === 'eth_subscribe' ? `${method} ${params[0]}` : method)
        const refused = refuse(method, params)
        const answer = refused === undefined ? provider.request({ method, params }) : Promise.reject(refused)
        await answer.then(
          (result) => send({ id, result }),
          ({ code, message, data }) => send({ id, error: { code, message, data } }),
        )
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  onTestFinished(async () => {
    server.close()
    await rm(path, { force: true })
  })
  return { path, asked }
}
