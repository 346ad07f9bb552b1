/** The forked node behind an EIP-1193 provider: one request at a time, several side by side. */
import { isObject } from '../../base/schema.ts'
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
  const isAnswered = (question: Question): Promise<boolean> =>
    provider.request(question).then(
      () => true,
      (thrown) => findAnswer(thrown) !== undefined,
    )
  const refusals = new Map<string, Promise<boolean>>()
  /** Whether the provider refuses a kind of requests by errors without a code: again, while it answers another request. */
  const isRefused = (kind: string, question: Question): Promise<boolean> => {
    const known = refusals.get(kind)
    if (known !== undefined) return known
    const asked = isAnswered(question).then(async (isTaken) => {
      const isRefusal = !isTaken && (await isAnswered({ method: 'eth_chainId', params: [] }))
      if (!isRefusal) refusals.delete(kind)
      return isRefusal
    })
    refusals.set(kind, asked)
    return asked
  }
  const ask = async (question: Question): Promise<Outcome> => {
    try {
      const { method, params } = question
      const result = await provider.request({ method, params })
      return result === undefined ? { kind: 'invalid', expected: 'a result' } : toAnswer(result)
    } catch (thrown) {
      const error = findAnswer(thrown)
      if (error !== undefined) return toErrorOutcome(error, hideUrls)
      const kind = refusableKind(question)
      if (kind !== undefined && (await isRefused(kind, question))) {
        return toErrorOutcome({ code: SERVER_ERROR, message: String(Object(thrown).message) }, hideUrls)
      }
      return { kind: 'failure', error: new TripError(place, 'the request failed'), retry: 'later' }
    }
  }
  return { place, batch: 1, send: (questions) => Promise.all(questions.map(ask)) }
}

/** JSON-RPC 2.0, section 5.1. */
const SERVER_ERROR = -32000

/** The kind of a request that not every node takes: by the hash of a block (EIP-1898), or of a method that few have. */
function refusableKind({ method, params }: Question): string | undefined {
  if (method === 'eth_config') return method
  const named = params.at(-1)
  return isObject(named) && named['blockHash'] !== undefined ? 'blockHash' : undefined
}

/** Leaves of each URL its scheme and host: a library's message can have the node's, with a key. */
function hideUrls(text: string): string {
  return text.replace(/\b((?:https?|wss?):\/\/)(?:[^\s/@"'<>]*@)?([^\s/?#"'<>]*)[^\s"'<>]*/gi, '$1$2')
}

/** The node's error; undefined if what was thrown says nothing of it. */
function findAnswer(thrown: unknown): ReturnType<typeof findRpcError> {
  const error = findRpcError(thrown)
  return error !== undefined && DISCONNECTED.includes(error.code) ? undefined : error
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
