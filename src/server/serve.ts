/** `serve`: both views of a chain on two ports of this machine. Owns nothing. */
import type { Chain } from '../chain/chain.ts'
import { type AsyncDisposal, toAsyncDisposal } from '../primitives/disposal.ts'
import { resolveServeOptions, type ServeOptions } from './options.ts'

/** A chain that is served. */
export interface ChainServer extends AsyncDisposal {
  /** Where the standard view answers, such as `http://127.0.0.1:8545`; by WebSocket the same with `ws:`. */
  readonly url: string
  /** Where the preconf view answers, such as `http://127.0.0.1:8546`; by WebSocket the same with `ws:`. */
  readonly preconfUrl: string
  /**
   * Stops listening, lets the requests in flight end, within `closeTimeout`, and ends every connection. No handle is
   * left; the chain goes on.
   */
  close(): Promise<void>
}

/**
 * Serves both views of a chain, each on a port of its own: HTTP POST to the root, as {@link createHandler} takes it,
 * and WebSocket at the same address, each with subscriptions of its own. Only on Node, and whatever has its
 * `node:http`.
 *
 * @throws PortInUseError, InvalidOptionError
 * @example
 * const server = await serve(chain, { port: 8545, preconfPort: 8546 })
 * const client = createPublicClient({ transport: http(server.preconfUrl) })
 */
export async function serve(chain: Chain, options: ServeOptions = {}): Promise<ChainServer> {
  const rules = resolveServeOptions(options)
  // Loaded here, so that handlers work without Node too.
  const { listen } = await import('./node.ts')
  const standard = await listen(() => chain.provider('standard', options.standard), rules.port, rules)
  try {
    const preconf = await listen(() => chain.provider('preconf', options.preconf), rules.preconfPort, rules)
    let closed: Promise<unknown> | undefined
    const server: ChainServer = {
      ...toAsyncDisposal(() => server.close()),
      url: toUrl(rules.host, standard.port),
      preconfUrl: toUrl(rules.host, preconf.port),
      async close() {
        closed ??= Promise.all([standard.close(), preconf.close()])
        await closed
      },
    }
    return server
  } catch (error) {
    await standard.close()
    throw error
  }
}

/** A server that listens on every address is found on loopback too. */
function toUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
