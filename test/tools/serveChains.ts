/**
 * Serves chains to the tests in a browser, which have no server of their own: `/start` starts one, in auto mining, and
 * answers with its URL; `/stop?url=…` ends it.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where tests in a browser start chains that are served over HTTP. */
    readonly servedChains: string
  }
}

export default async function serveChains({ provide }: TestProject): Promise<() => Promise<void>> {
  const stops = new Map<string, () => Promise<void>>()
  const start = async (): Promise<string> => {
    // Loaded when the first chain is started: most runs of single files start none.
    const { createChain } = await import('../../src/index.ts')
    const { serve } = await import('../../src/kits/server/index.ts')
    const chain = await createChain({ mining: 'auto' })
    const server = await serve(chain, { port: 0, preconfPort: 0 })
    stops.set(server.url, async () => {
      await server.close()
      await chain.close()
    })
    return server.url
  }
  const stop = async (url: string): Promise<string> => {
    await stops.get(url)?.()
    stops.delete(url)
    return ''
  }
  const control = createServer((request, response) => {
    // The tests' page has another origin.
    response.setHeader('access-control-allow-origin', '*')
    const { pathname, searchParams } = new URL(request.url!, 'http://127.0.0.1')
    const answer = pathname === '/start' ? start() : stop(searchParams.get('url')!)
    answer.then(
      (text) => response.end(text),
      (error) => response.writeHead(500).end(`${error}`),
    )
  })
  await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve))
  provide('servedChains', `http://127.0.0.1:${(control.address() as AddressInfo).port}`)
  return async () => {
    control.close()
    control.closeAllConnections()
    await Promise.all([...stops.keys()].map(stop))
  }
}
