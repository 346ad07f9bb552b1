/** JSON-RPC over HTTP for pages, answered in the test process: an app reads from the chain at the URL of its own node. */
import type { BrowserContext, Route } from '@playwright/test'
import type { PresealChain } from '../chain/handle.ts'
import { LIVE_OPTIONS } from '../config/providerOptions.ts'
import { PresealRpcError } from '../primitives/errors.ts'
import { isObject } from '../primitives/schema.ts'
import type { Provider } from '../rpc/provider.ts'

/** Cross-origin requests are usual: an app and its node have different origins. */
const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': '*',
  'Content-Type': 'application/json',
}

/** Where pages of a context find the chain: a glob pattern as of `page.route`, or a regular expression. */
export type RpcUrl = string | RegExp

/**
 * Answers the requests of a context's pages at a URL from the chain's live view.
 *
 * @returns a function that ends this.
 */
export async function routeRpc(
  context: BrowserContext,
  chain: PresealChain,
  url: RpcUrl,
): Promise<() => Promise<void>> {
  const provider = chain.provider('preconf', LIVE_OPTIONS)
  const answer = async (route: Route): Promise<void> => {
    const request = route.request()
    if (request.method() !== 'POST') {
      const status = request.method() === 'OPTIONS' ? 204 : 405
      return route.fulfill({ status, headers: HEADERS })
    }
    const body = JSON.stringify(await answerBody(provider, request.postData() ?? ''))
    // The page may have been closed while the chain answered.
    await route.fulfill({ status: 200, headers: HEADERS, body }).catch(() => {})
  }
  await context.route(url, answer)
  return async () => {
    provider.close()
    await context.unroute(url, answer)
  }
}

async function answerBody(provider: Provider, text: string): Promise<unknown> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'parse error' } }
  }
  return Array.isArray(body)
    ? Promise.all(body.map((one) => answerOne(provider, one)))
    : answerOne(provider, body)
}

async function answerOne(provider: Provider, body: unknown): Promise<object> {
  const { id = null, method, params } = isObject(body) ? body : {}
  try {
    // The provider refuses what has no method.
    const result = await provider.request({ method: method as string, params })
    return { jsonrpc: '2.0', id, result }
  } catch (error) {
    if (!(error instanceof PresealRpcError)) throw error
    const { code, message, data } = error
    return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }
  }
}
