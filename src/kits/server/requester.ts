/** Wrappers of requesters: they refuse URLs of nodes to fork, and too many requests in flight. */

import { isAbsent, isObject } from '../../base/schema.ts'
import type { Requester } from './envelope.ts'
import { ForkUrlRefusedError, InFlightLimitError } from './errors.ts'

const RESET = /^(?:anvil|evm|ganache|hardhat)_reset$/
const SET_URL = /^(?:anvil|evm|ganache|hardhat)_setRpcUrl$/

/** Refuses requests that name a URL to connect to, unless `forkUrls` is set. */
export function guardForkUrls(requester: Requester, { forkUrls }: { readonly forkUrls: boolean }): Requester {
  if (forkUrls) return requester
  return {
    request: (args) =>
      namesForkUrl(args) ? Promise.reject(new ForkUrlRefusedError()) : requester.request(args),
  }
}

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

/** Refuses requests with -32005 while `limit` are in flight. */
export function limitInFlight(requester: Requester, limit: number): Requester {
  let inFlight = 0
  return {
    async request(args) {
      if (inFlight >= limit) throw new InFlightLimitError(limit)
      inFlight += 1
      try {
        return await requester.request(args)
      } finally {
        inFlight -= 1
      }
    },
  }
}
