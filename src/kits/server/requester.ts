import { isAbsent, isObject } from '../../base/schema.ts'
import { reportTo } from '../../rpc/services.ts'
import { type Access, answerWith, type DecideAccess, decideAccess, type GetCaller } from './access.ts'
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

/** Answers the requests that their callers may make. */
export interface LimitedRequester {
  request(args: Parameters<Requester['request']>[0], caller: GetCaller): Promise<unknown>
}

interface RequestLimits {
  readonly access: Access | DecideAccess
  readonly forkUrls: boolean
  readonly maxInFlight: number
}

/**
 * Refuses requests while `maxInFlight` are in flight, what their `access` does not allow, and without `forkUrls` the URL of
 * a node to fork.
 */
export function limitRequests(
  requester: Requester,
  { access, forkUrls, maxInFlight }: RequestLimits,
): LimitedRequester {
  const report = (thrown: unknown): void => reportTo(requester, thrown)
  let inFlight = 0
  return {
    async request(args, caller) {
      if (inFlight >= maxInFlight) throw new InFlightLimitError(maxInFlight)
      inFlight += 1
      try {
        const granted =
          typeof access === 'function' ? await decideAccess(access, args, caller, report) : access
        if (granted !== 'full') return await answerWith(granted, args, requester)
        if (!forkUrls && namesForkUrl(args)) throw new ForkUrlRefusedError()
        return await requester.request(args)
      } finally {
        inFlight -= 1
      }
    },
  }
}
