/**
 * A remote whose node can be replaced while it is used.
 *
 * Owns: the connection to the node.
 */
import { ForkClosedError } from './errors.ts'
import type { Remote, RemoteRequest } from './remote.ts'

/** See the file's header. */
export class SwitchedRemote implements Remote {
  #current: Remote
  #isClosed = false

  constructor(first: Remote) {
    this.#current = first
  }

  /** Goes on with another connection, and closes the one before; what is in flight is asked again there. */
  switchTo(next: Remote): void {
    const before = this.#current
    this.#current = next
    before.close()
    if (this.#isClosed) next.close()
  }

  async ask<Result>(request: RemoteRequest<Result>): Promise<Result> {
    for (;;) {
      const asked = this.#current
      try {
        return await asked.ask(request)
      } catch (error) {
        if (asked === this.#current || !(error instanceof ForkClosedError)) throw error
      }
    }
  }

  askAll(requests: readonly RemoteRequest[]): Promise<readonly PromiseSettledResult<unknown>[]> {
    return Promise.allSettled(requests.map((request) => this.ask(request)))
  }

  cached(request: RemoteRequest): unknown | undefined {
    return this.#current.cached(request)
  }

  close(): void {
    this.#isClosed = true
    this.#current.close()
  }
}
