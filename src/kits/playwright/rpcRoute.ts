/** JSON-RPC over HTTP for pages, answered in the test process: an app reads from the chain at the URL of its own node. */
import type { BrowserContext, Route } from '@playwright/test'
import { LIVE_OPTIONS } from '../../base/options/providerOptions.ts'
import type { PresealChain } from '../../chain/handle.ts'
import { createHandler, type Requester } from '../server/index.ts'
import { isOfNodes, offer } from './offered.ts'

/** Where pages of a context find the chain: a glob pattern as of `page.route`, or a regular expression. */
export type RpcUrl = string | RegExp

/**
 * Answers the requests of a context's pages at a URL from the chain's live view, as a served chain does. Pages of every origin
 * may send them: an app and its node have different origins.
 *
 * @returns a function that ends this.
 */
export async function routeRpc(
  context: BrowserContext,
  chain: PresealChain,
  { url, cheats }: { readonly url: RpcUrl; readonly cheats: boolean },
): Promise<() => Promise<void>> {
  const provider = chain.provider('preconf', LIVE_OPTIONS)
  const requester = cheats ? provider : withoutAccounts(provider)
  // URLs to fork are refused already.
  const handle = createHandler(offer(requester, isAnswered, { cheats }), { origins: '*', forkUrls: true })
  const answer = async (route: Route): Promise<void> => {
    const response = await handle(toRequest(route))
    const body = await response.text()
    const headers = Object.fromEntries(response.headers)
    // The page may have been closed while the chain answered.
    await route.fulfill({ status: response.status, headers, body }).catch(() => {})
  }
  await context.route(url, answer)
  return async () => {
    provider.close()
    await context.unroute(url, answer)
  }
}

const ACCOUNTS = 'eth_accounts'

const isAnswered = (method: string): boolean => method === ACCOUNTS || isOfNodes(method)

/** A node that is not a wallet has no accounts. */
function withoutAccounts(requester: Requester): Requester {
  return {
    request: (args) => (args.method === ACCOUNTS ? Promise.resolve([]) : requester.request(args)),
  }
}

function toRequest(route: Route): Request {
  const request = route.request()
  const method = request.method()
  const body = request.postDataBuffer()
  const isSent = body !== null && method !== 'GET' && method !== 'HEAD'
  return new Request(request.url(), {
    method,
    headers: request.headers(),
    ...(isSent && { body: new Uint8Array(body) }),
  })
}
