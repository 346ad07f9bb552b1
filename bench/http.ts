/** JSON-RPC over Node's plain HTTP client: connections are kept alive, and answers are parsed. */
import { Agent, request as httpRequest } from 'node:http'

/** A JSON-RPC answer. */
export interface JsonRpcResponse {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Sends requests to one URL; concurrent requests use separate connections. */
export interface Poster {
  request(method: string, params: readonly unknown[]): Promise<unknown>
  close(): void
}

export function createPoster(url: string): Poster {
  const agent = new Agent({ keepAlive: true })
  let id = 0
  return {
    async request(method, params) {
      id += 1
      const answer = await post(agent, url, JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      return resultOf(method, JSON.parse(answer) as JsonRpcResponse)
    },
    close: () => agent.destroy(),
  }
}

/** The result of a response. @throws Error if it is an error. */
export function resultOf(method: string, { result, error }: JsonRpcResponse): unknown {
  if (error) throw new Error(`${method}: ${error.code} ${error.message}`)
  return result
}

function post(agent: Agent, url: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const request = httpRequest(url, { agent, method: 'POST', headers }, (response) => {
      let answer = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        answer += chunk
      })
      response.once('end', () => resolve(answer))
      response.once('error', reject)
    })
    request.once('error', reject)
    request.end(body)
  })
}
