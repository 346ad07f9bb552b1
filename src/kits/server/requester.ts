/** What stands between clients and what answers them: it refuses URLs of nodes to fork, and too many requests in flight. */

import { isAbsent, isObject } from '../../base/schema.ts'
import type { Requester } from './envelope.ts'
import { ForkUrlRefusedError, InFlightLimitError } from './errors.ts'

const RESET = /^(?:anvil|evm|ganache|hardhat)_reset$/
const SET_URL = /^(?:anvil|evm|ganache|hardhat)_setRpcUrl$/

/** A requester that refuses URLs of nodes to fork, which the server would connect to, unless `forkUrls`. */
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

/** Sees the requests of the clients of one port: gets what answers them, and returns what answers them in its place. */
export type Observe = (requester: Requester) => Requester

/** A requester that refuses a request while `limit` others are in flight, with -32005. */
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
