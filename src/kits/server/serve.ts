/** `serve`: both views of a chain on two ports, and on public ones. Owns: the server of each port. */

import { type AsyncDisposal, toAsyncDisposal } from '../../base/disposal.ts'
import type { ViewKind } from '../../base/types.ts'
import type { PresealChain } from '../../chain/handle.ts'
import { resolveServeOptions, type ServeOptions, type ServeRules } from './options.ts'
import type { Observe } from './requester.ts'

/** A served chain. */
export interface ChainServer extends AsyncDisposal {
  /** URL of the standard view, such as `http://127.0.0.1:8545`; for WebSocket the same with `ws:`. */
  readonly url: string
  /** URL of the preconf view, such as `http://127.0.0.1:8546`; for WebSocket the same with `ws:`. */
  readonly preconfUrl: string
  /** URL of the standard view for everyone, if `public.port` is set. */
  readonly publicUrl: string | undefined
  /** URL of the preconf view for everyone, if `public.preconfPort` is set. */
  readonly publicPreconfUrl: string | undefined
  /** Stops listening, waits up to `closeTimeout` for requests in flight, and ends all connections. The chain keeps running. */
  close(): Promise<void>
}

/**
 * Serves both views of a chain, each on a port: HTTP POST to the root, as {@link createHandler} accepts it, and WebSocket
 * at the same address, with subscriptions per socket. Needs Node, or a host that has `node:http`.
 *
 * @throws PortInUseError, InvalidOptionError
 * @example
 * const server = await serve(chain, { port: 8545, preconfPort: 8546 })
 * const client = createPublicClient({ transport: http(server.preconfUrl) })
 */
export function serve(chain: PresealChain, options: ServeOptions = {}): Promise<ChainServer> {
  return serveObserved(chain, options)
}

/** {@link serve}, with the requests of each view observed. */
export async function serveObserved(
  chain: PresealChain,
  options: ServeOptions,
  observe: Partial<Record<ViewKind, Observe>> = {},
): Promise<ChainServer> {
  const rules = resolveServeOptions(options)
  // Loaded here, so that handlers work without Node.
  const { NodeServer } = await import('./node.ts')
  const servers: { close(): Promise<void> }[] = []
  const listen = async (view: ViewKind, port: number, own: ServeRules): Promise<string> => {
    const viewRules = { ...own, observe: observe[view] }
    const server = await new NodeServer(() => chain.provider(view, options[view]), viewRules).listen(port)
    servers.push(server)
    return toUrl(own.host, server.port)
  }
  let closed: Promise<unknown> | undefined
  const close = async (): Promise<void> => {
    closed ??= Promise.all(servers.map((server) => server.close()))
    await closed
  }
  const { port, preconfPort, ...own } = rules.public
  const publicRules: ServeRules = { ...rules, ...own, access: 'public' }
  try {
    const url = await listen('standard', rules.port, rules)
    const preconfUrl = await listen('preconf', rules.preconfPort, rules)
    const publicUrl = port === undefined ? undefined : await listen('standard', port, publicRules)
    const publicPreconfUrl =
      preconfPort === undefined ? undefined : await listen('preconf', preconfPort, publicRules)
    return { ...toAsyncDisposal(close), url, preconfUrl, publicUrl, publicPreconfUrl, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Returns the URL of a server; on loopback if it listens on every address. */
function toUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
