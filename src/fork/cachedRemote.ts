/** A remote whose pinned requests are answered from a cache, and whose answers are kept there. */
import type { ForkCache } from './cache.ts'
import { InvalidRemoteAnswerError, NotInForkCacheError } from './errors.ts'
import { type Remote, type RemoteRequest, readAnswer } from './remote.ts'

/**
 * Answers pinned requests from the cache if it has them, and keeps the answers to the others once they were read; null is
 * not kept, since what a node does not have it can have later. Offline, no request makes a trip: what the cache does not
 * have is a NotInForkCacheError.
 */
export function withCache(remote: Remote, cache: ForkCache, options: { readonly offline: boolean }): Remote {
  return new CachedRemote(remote, cache, options.offline)
}

class CachedRemote implements Remote {
  readonly #remote: Remote
  readonly #cache: ForkCache
  readonly #isOffline: boolean

  constructor(remote: Remote, cache: ForkCache, isOffline: boolean) {
    this.#remote = remote
    this.#cache = cache
    this.#isOffline = isOffline
  }

  async ask<Result>(request: RemoteRequest<Result>): Promise<Result> {
    const { method, params, isPinned } = request
    const cached = isPinned ? this.#cache.get(method, params) : undefined
    if (cached !== undefined) {
      try {
        return await readAnswer(request, cached)
      } catch (error) {
        // A line that was changed is asked for again, and the new answer replaces it.
        if (this.#isOffline || !(error instanceof InvalidRemoteAnswerError)) throw error
      }
    }
    if (this.#isOffline) throw new NotInForkCacheError(method, params)
    return this.#remote.ask(isPinned ? this.#keeping(request) : request)
  }

  askAll(requests: readonly RemoteRequest[]): Promise<readonly PromiseSettledResult<unknown>[]> {
    return Promise.allSettled(requests.map((request) => this.ask(request)))
  }

  isCached({ method, params, isPinned }: RemoteRequest): boolean {
    return isPinned && this.#cache.has(method, params)
  }

  close(): void {
    this.#remote.close()
  }

  /** The same request, whose answer is kept before it is converted. */
  #keeping<Result>(request: RemoteRequest<Result>): RemoteRequest<Result> {
    const { method, params, read } = request
    return {
      ...request,
      read: async (answer) => {
        const result = await read(answer)
        if (answer !== null) this.#cache.put(method, params, answer)
        return result
      },
    }
  }
}
