/** The forked node behind an EIP-1193 provider: one request at a time, several side by side. */
import { isObject } from '../primitives/schema.ts'
import { TripError } from './errors.ts'
import { type Outcome, type Question, type Route, toAnswer, toErrorOutcome } from './trip.ts'

/** Errors within an error that are looked at: libraries wrap the node's. */
const MAX_CAUSES = 8

/** EIP-1193: the provider is disconnected, from all chains or from this one. */
const DISCONNECTED = [4900, 4901]

/** The part of an EIP-1193 provider that is used. */
export interface Eip1193Like {
  request(args: { readonly method: string; readonly params: readonly unknown[] }): Promise<unknown>
}

/** A route through a provider, whose own errors are not shown: their texts can contain its URL. */
export function createProviderRoute(provider: Eip1193Like): Route {
  const place = 'the provider'
  const ask = async ({ method, params }: Question): Promise<Outcome> => {
    try {
      const result = await provider.request({ method, params })
      return result === undefined ? { kind: 'invalid', expected: 'a result' } : toAnswer(result)
    } catch (thrown) {
      const error = findRpcError(thrown)
      if (error !== undefined && !DISCONNECTED.includes(error.code)) return toErrorOutcome(error, hideUrls)
      return { kind: 'failure', error: new TripError(place, 'the request failed'), retry: 'later' }
    }
  }
  return { place, batch: 1, send: (questions) => Promise.all(questions.map(ask)) }
}

/** Leaves of each URL its scheme and host: a library's message can have the node's, with a key. */
function hideUrls(text: string): string {
  return text.replace(/\b((?:https?|wss?):\/\/)(?:[^\s/@"'<>]*@)?([^\s/?#"'<>]*)[^\s"'<>]*/gi, '$1$2')
}

/** The node's error within what a provider throws: the innermost with a JSON-RPC code. */
function findRpcError(thrown: unknown): { code: number; message: unknown; data?: unknown } | undefined {
  let found: ReturnType<typeof findRpcError>
  for (let error = thrown, i = 0; isObject(error) && i < MAX_CAUSES; error = error['cause'], i++) {
    const { code, message, details, data = found?.data } = error
    if (!Number.isSafeInteger(code)) continue
    // viem's `details` is the node's message; its message has the URL and the body besides.
    found = { code: code as number, message: typeof details === 'string' ? details : message, data }
  }
  return found
}
