/** Who may do what at an endpoint (kits/DECISIONS.md 72j). Owns nothing. */

import { InvalidOptionError, type PresealRpcError } from '../../base/errors.ts'
import { accept } from '../../base/options/optionSchemas.ts'
import { isObject, type Schema } from '../../base/schema.ts'
import type { MaybePromise } from '../../base/types.ts'
import { MethodNotFoundError } from '../../rpc/errors.ts'
import { DEBUG_METHODS, NODE_METHODS } from '../../rpc/methodClasses.ts'
import type { Requester } from './envelope.ts'
import { AccessFailedError, AccessRefusedError } from './errors.ts'

/**
 * What requests may do: `'full'` everything, `'public'` what public nodes serve, `{ debug: true }` also what operators of
 * nodes use. Without `'full'`, the chain has no accounts, and no error names the URL of a node.
 */
export type Access = 'full' | 'public' | { readonly debug: boolean }

/** The sender of a request. */
export interface Caller {
  /** The headers of the HTTP request, for a WebSocket of its upgrade; empty if there is none. */
  readonly headers: Headers
  /** The address of the client's end of the connection, or of the last proxy; undefined except in `serve`. */
  readonly remoteAddress: string | undefined
}

/** A request whose access is to be decided. */
export interface AccessRequest extends Caller {
  readonly method: string
  readonly params: unknown
}

/** Decides what a request may do; false refuses it. */
export type DecideAccess = (request: AccessRequest) => MaybePromise<Access | false>

/** Creates the caller of a request, which few endpoints ask for. */
export type GetCaller = () => Caller

/** The caller of a connection or request about which nothing is known. */
export const unknownCaller: GetCaller = () => ({ headers: new Headers(), remoteAddress: undefined })

/** Passes on what a function of the host has thrown. */
export type Report = (thrown: unknown) => void

const LEVELS = "'full', 'public' or { debug: true }"

/** The schema of the option `access`. */
export const access: Schema<Access | DecideAccess, Access | DecideAccess> = accept(
  `${LEVELS}, or a function of a request`,
  (value) => typeof value === 'function' || isAccess(value),
)

/** Answers a request if its access allows it. @throws MethodNotFoundError for a method that it does not serve */
export async function answerWith(
  access: Exclude<Access, 'full'>,
  args: Parameters<Requester['request']>[0],
  requester: Requester,
): Promise<unknown> {
  const { method } = args
  if (method === 'eth_accounts') return []
  const isServed =
    NODE_METHODS.has(method) || (access !== 'public' && access.debug && DEBUG_METHODS.has(method))
  if (!isServed) throw new MethodNotFoundError(method)
  try {
    return await requester.request(args)
  } catch (thrown) {
    throw withoutUrls(thrown)
  }
}

/** Asks the host what a request may do. @throws AccessRefusedError, AccessFailedError */
export async function decideAccess(
  decide: DecideAccess,
  { method, params }: Parameters<Requester['request']>[0],
  caller: GetCaller,
  report: Report,
): Promise<Access> {
  const decided = await attempt(async () => {
    const { headers, remoteAddress } = caller()
    const access = await decide({ method, params, headers, remoteAddress })
    if (access === false || isAccess(access)) return access
    throw new InvalidOptionError('access', `a function that returns ${LEVELS}, or false`)
  }, report)
  if (decided === false) throw new AccessRefusedError()
  return decided
}

async function attempt<T>(run: () => Promise<T>, report: Report): Promise<T> {
  try {
    return await run()
  } catch (thrown) {
    throw failAccess(thrown, report)
  }
}

/** Reports an error of the host's function, and returns the error that the client gets. */
export function failAccess(thrown: unknown, report: Report): PresealRpcError {
  report(thrown)
  return new AccessFailedError()
}

function isAccess(value: unknown): value is Access {
  if (value === 'full' || value === 'public') return true
  return isObject(value) && typeof value['debug'] === 'boolean' && Object.keys(value).length === 1
}

/** Leaves out URLs: errors of a fork name the forked node by its origin, which can contain a key. */
function withoutUrls(thrown: unknown): unknown {
  if (!isObject(thrown)) return thrown
  const { code, message, data, solidity } = thrown
  const text = JSON.stringify({ code, message, data, solidity })
  return JSON.parse(text.replace(/\b(?:https?|wss?):\/\/[^\s"'<>\\]*[^\s"'<>\\:]/gi, '…'))
}
