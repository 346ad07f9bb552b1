import { isAbsent, isObject } from '../../base/schema.ts'
import type { Requester } from './envelope.ts'
import { ForkUrlRefusedError, InFlightLimitError } from './errors.ts'

const RESET = /^(?:anvil|evm|ganache|hardhat)_reset$/
const SET_URL = /^(?:anvil|evm|ganache|hardhat)_setRpcUrl$/

/** Whether a request names the URL of a node to fork. */
export function namesForkUrl({ method, params }: Parameters<Requester['request']>[0]): boolean {
  if (SET_URL.test(method)) return true
  if (!RESET.test(method)) return false
  const request: unknown = Array.isArray(params) ? params[0] : params
  const forking = isObject(request) ? request['forking'] : undefined
  return isObject(forking) && !isAbsent(forking['jsonRpcUrl'])
}

/** Wraps the requester of one port's clients to observe their requests. */
export type Observe = (requester: Requester) => Requester

/** Refuses requests while `maxInFlight` are in flight, and without `forkUrls` those that name the URL of a node to fork. */
export function limitRequests(
  requester: Requester,
  { forkUrls, maxInFlight }: { readonly forkUrls: boolean; readonly maxInFlight: number },
): Requester {
  let inFlight = 0
  return {
    async request(args) {
      if (inFlight >= maxInFlight) throw new InFlightLimitError(maxInFlight)
      if (!forkUrls && namesForkUrl(args)) throw new ForkUrlRefusedError()
      inFlight += 1
      try {
        return await requester.request(args)
      } finally {
        inFlight -= 1
      }
    },
  }
}
