/** One request over HTTP, by each of its two ways: Node's module, and `fetch` where there is none. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { codeOf, exchange, type HttpResponse } from '../../../src/core/fork/httpRoute.ts'

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  settings: { readonly keepAliveTimeout?: number } = {},
) {
  const server = createServer(settings, answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { server, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/path?key=1`) }
}

async function textOf(response: HttpResponse): Promise<string> {
  const decoder = new TextDecoder()
  let read = ''
  for await (const part of response.parts()) read += decoder.decode(part, { stream: true })
  return read
}

const post = (url: URL, body = '{}', signal = new AbortController().signal) =>
  exchange(url, { headers: { accept: 'application/json', 'x-key': 'ü' }, body, signal })

describe.each(['node', 'fetch'])('a request by %s', (way) => {
  const prepare = (): void => {
    if (way === 'node') return
    vi.stubGlobal('process', { ...process, getBuiltinModule: undefined })
    onTestFinished(() => void vi.unstubAllGlobals())
  }

  it('posts a text with its headers, and reads status, headers and body', async () => {
    const { url } = await serve(({ method, url, headers }, response) => {
      const { accept, 'x-key': key, 'content-length': length } = headers
      response.writeHead(418, { 'retry-after': '3' })
      response.end(JSON.stringify({ method, url, accept, key, length }))
    })
    prepare()
    const response = await post(url, '["é"]')
    expect({
      status: response.status,
      isRedirect: response.isRedirect,
      retryAfter: response.header('retry-after'),
      absent: response.header('location'),
      body: JSON.parse(await textOf(response)),
    }).toEqual({
      status: 418,
      isRedirect: false,
      retryAfter: '3',
      absent: null,
      body: { method: 'POST', url: '/path?key=1', accept: 'application/json', key: 'ü', length: '6' },
    })
  })

  const same = (text: string): Buffer => Buffer.from(text)

  it.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['deflate, gzip', (text: string) => gzipSync(deflateSync(text))],
    ['identity', same],
    ['', same],
    ['a-coding', same],
  ] as const)('decodes %j', async (encoding, compress) => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(compress('a long text'.repeat(1_000)))
    })
    prepare()
    expect(await textOf(await post(url))).toBe('a long text'.repeat(1_000))
  })

  it('rejects a body that is compressed wrongly, or cut', async () => {
    const { url } = await serve(async (request, response) => {
      const isCut = (await text(request)) === 'cut'
      response.writeHead(200, isCut ? { 'content-length': '100' } : { 'content-encoding': 'gzip' })
      response.write('no gzip', () => (isCut ? response.destroy() : response.end()))
    })
    prepare()
    await expect(post(url, 'wrong').then(textOf)).rejects.toThrow()
    await expect(post(url, 'cut').then(textOf)).rejects.toThrow()
  })

  it('follows no redirect, and ends the connection if its body is discarded', async () => {
    let ended = () => {}
    const end = new Promise<void>((resolve) => {
      ended = resolve
    })
    const { url } = await serve((_, response) => {
      response.on('close', ended)
      response.writeHead(302, { location: '/there' }).write('never ends')
    })
    prepare()
    const response = await post(url)
    expect([response.isRedirect, response.header('location')]).toEqual([true, '/there'])
    response.discard()
    await end
  })

  it('rejects with the code of the failure', async () => {
    const { url, server } = await serve(() => {})
    await new Promise((resolve) => server.close(resolve))
    prepare()
    expect(await post(url).catch(codeOf)).toBe('ECONNREFUSED')
  })

  it('ends if it is aborted', async () => {
    const controller = new AbortController()
    const { url } = await serve(() => controller.abort())
    prepare()
    await expect(post(url, '{}', controller.signal)).rejects.toThrow(/aborted/)
  })
})

it('is sent again by node if the server has closed the connection that was kept', async () => {
  let requests = 0
  const { url } = await serve((request, response) => {
    requests += 1
    // The second request arrives on the connection of the first, and is not read.
    if (requests === 2) request.socket.resetAndDestroy()
    else response.end('answer')
  })
  expect(await textOf(await post(url))).toBe('answer')
  expect(await textOf(await post(url))).toBe('answer')
  expect(requests).toBe(3)
})
