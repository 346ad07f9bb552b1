/** The methods that pages can use: the methods of real nodes and wallets, and cheats if the test allows them. */
import { MethodNotFoundError } from '../../rpc/errors.ts'
import { methods } from '../../rpc/table.ts'
import type { Requester } from '../server/index.ts'
import { namesForkUrl } from '../server/requester.ts'
import { MethodNotOfferedError, PageForkUrlError } from './errors.ts'

/** Whether a node that holds no accounts has the method. */
export function isOfNodes(name: string): boolean {
  const method = methods.get(name)
  // No node that apps use builds blocks on request.
  return (method?.class === 'node' || method?.class === 'debug') && !name.startsWith('testing_')
}

/** Whether a node or a wallet has the method. */
export const isOfNodesOrWallets = (name: string): boolean =>
  isOfNodes(name) || methods.get(name)?.class === 'wallet'

/**
 * Refuses requests that name a URL to fork, to which this process would connect, and methods that are not offered. If
 * `cheats` is set, offers all methods.
 */
export function offer(
  requester: Requester,
  isOffered: (method: string) => boolean,
  { cheats }: { readonly cheats: boolean },
): Requester {
  return {
    async request(args) {
      const { method } = args
      if (namesForkUrl(args)) throw new PageForkUrlError()
      if (cheats || isOffered(method)) return requester.request(args)
      throw methods.has(method) ? new MethodNotOfferedError(method) : new MethodNotFoundError(method)
    },
  }
}
