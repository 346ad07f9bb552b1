/** A remote whose pinned requests are answered from a cache, and whose answers are kept there. */
import type { ForkCache } from './cache.ts'
import { InvalidRemoteAnswerError, NotInForkCacheError } from './errors.ts'
import { type Remote, type RemoteRequest, readAnswer } from './remote.ts'

/**
 * Answers pinned requests from the cache if it has them, and keeps the answers to the others once they were read; null is
 * not kept, since what a node does not have it can have later. Offline, no request makes a trip: what the cache does not
 * have is a NotInForkCacheError.
 */
export function withCache(remote: Remote, cache: ForkCache, options: CachedRemoteOptions): Remote {
  return new CachedRemote(remote, cache, options)
}

/** Options of {@link withCache}. */
export interface CachedRemoteOptions {
  /** Whether no request makes a trip. */
  readonly offline: boolean
  /** Whether a text has a secret of the node's URL: an answer that repeats one is not kept. */
  readonly hasSecret?: ((text: string) => boolean) | undefined
}

class CachedRemote implements Remote {
  readonly #remote: Remote
  readonly #cache: ForkCache
  readonly #isOffline: boolean
  readonly #hasSecret: (text: string) => boolean

  constructor(remote: Remote, cache: ForkCache, { offline, hasSecret }: CachedRemoteOptions) {
    this.#remote = remote
    this.#cache = cache
    this.#isOffline = offline
    this.#hasSecret = hasSecret ?? (() => false)
  }

  async ask<Result>(request: RemoteRequest<Result>): Promise<Result> {
    const { method, params, isPinned } = request
    const cached = this.cached(request)
    if (cached !== undefined) {
      try {
        return await readAnswer(request, cached)
      } catch (error) {
        // A line that was changed is asked for again, and the new answer replaces it.
        if (this.#isOffline || !(error instanceof InvalidRemoteAnswerError)) throw error
      }
    }
    if (this.#isOffline) throw new NotInForkCacheError(method, params, this.#cache.path)
    return this.#remote.ask(isPinned ? this.#keeping(request) : request)
  }

  askAll(requests: readonly RemoteRequest[]): Promise<readonly PromiseSettledResult<unknown>[]> {
    return Promise.allSettled(requests.map((request) => this.ask(request)))
  }

  cached({ method, params, isPinned }: RemoteRequest): unknown | undefined {
    return isPinned ? this.#cache.get(method, params) : undefined
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
        if (answer !== null && !this.#hasSecret(JSON.stringify(answer)))
          this.#cache.put(method, params, answer)
        return result
      },
    }
  }
}
