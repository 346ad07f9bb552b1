/**
 * Limits how many requests a second each caller of an endpoint may send, in real time (kits/DECISIONS.md 72k).
 *
 * Owns: a bucket of tokens per key.
 */

import { realNow } from '../../base/clock.ts'
import { InvalidOptionError, type PresealRpcError } from '../../base/errors.ts'
import { type Caller, failAccess, type GetCaller, type Report } from './access.ts'
import { RateLimitError } from './errors.ts'

/** Counts the requests of a message. Returns the refusal if its caller has sent too many. */
export type Admit = (requests: number, caller: GetCaller) => PresealRpcError | undefined

/** Callers with the same key share their requests per second. */
export type RateKey = (caller: Caller) => string

/** How many keys are remembered; a caller whose key is forgotten may send as many requests as a new one. */
const MAX_KEYS = 10_000

/** Much less than a token, for what divisions lose. */
const TOLERANCE = 1e-6

interface Bucket {
  readonly tokens: number
  /** When it had them, by {@link realNow}. */
  readonly at: number
}

/**
 * Creates the limit of an endpoint; undefined if it has none. A caller may send the requests of a second at once. A
 * longer batch needs a full bucket, and its other requests are waited for afterwards.
 */
export function limitRate(
  {
    requestsPerSecond: rate,
    rateKey = ({ remoteAddress = '' }) => remoteAddress,
  }: { readonly requestsPerSecond?: number | undefined; readonly rateKey?: RateKey | undefined },
  report: Report,
): Admit | undefined {
  if (rate === undefined) return undefined
  /** The least recently used first. */
  const buckets = new Map<string, Bucket>()
  return (requests, caller) => {
    let key: string
    try {
      key = rateKey(caller())
      if (typeof key !== 'string') throw new InvalidOptionError('rateKey', 'a function that returns a string')
    } catch (thrown) {
      return failAccess(thrown, report)
    }
    const at = realNow()
    const bucket = buckets.get(key) ?? { tokens: rate, at }
    const tokens = Math.min(rate, bucket.tokens + ((at - bucket.at) * rate) / 1000)
    const missing = Math.min(requests, rate) - tokens
    const isAdmitted = missing <= TOLERANCE
    buckets.delete(key)
    buckets.set(key, { tokens: isAdmitted ? tokens - requests : tokens, at })
    if (buckets.size > MAX_KEYS) buckets.delete(buckets.keys().next().value as string)
    return isAdmitted ? undefined : new RateLimitError(rate, Math.ceil(missing / rate - TOLERANCE))
  }
}
