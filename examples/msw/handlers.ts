/** The handlers of MSW: a chain in this process answers an app's requests to its node. */
import { type HttpHandler, http } from 'msw'
import type { PresealChain } from 'preseal'
import { createHandler } from 'preseal/server'

/** The node's URL in the app. No request reaches it. */
export const RPC_URL = 'https://node.example/'

export function createHandlers(chain: PresealChain): readonly HttpHandler[] {
  const answer = createHandler(chain.live)
  return [http.post(RPC_URL, ({ request }) => answer(request))]
}
