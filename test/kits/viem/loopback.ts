/** A node on a socket for viem's `ipc` transport, which rejects chosen methods. */
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { PresealRpcError, Provider } from '../../../src/index.ts'

/** The error that a request is answered with; undefined to pass it to the provider. */
export type Refuse = (method: string, params: readonly unknown[]) => PresealRpcError | undefined

let sockets = 0

/**
 * Serves a provider on a socket until the test ends.
 *
 * @param refuse - which requests this node rejects.
 * @returns the path of the socket, and the requested methods.
 */
export async function serve(provider: Provider, refuse: Refuse) {
  const path = join(tmpdir(), `preseal-${process.pid}-${sockets++}.ipc`)
  const asked: string[] = []
  const server = createServer((socket) => {
    // A client that has disconnected needs no answer.
    socket.on('error', () => {})
    const send = (message: object) => socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    provider.on('message', ({ type: method, data: params }) =>
      send({ method: 'eth_subscription', params, type: method }),
    )
    socket.setEncoding('utf8').on('data', async (text) => {
      // viem writes requests without a separator; they are short enough to arrive complete.
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
