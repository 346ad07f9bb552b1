/** A client of the forked node: an untrusted JSON-RPC node, over a URL or an EIP-1193 provider. */
import type { Clock } from '../primitives/clock.ts'
import { InvalidOptionError } from '../primitives/errors.ts'

/** A request to the forked node. */
export interface RemoteRequest<Result = unknown> {
  readonly method: string
  /** JSON values. */
  readonly params: readonly unknown[]
  /**
   * Converts the answer, in most cases a reader of `answers.ts`.
   *
   * @throws SchemaError if the answer has another shape; `ask` turns it into an InvalidRemoteAnswerError.
   */
  readonly read: (answer: unknown) => Result
  /** Whether the answer can never change, since the request names a block by hash or content: it is cached. */
  readonly isPinned: boolean
  /** The block whose state is read: if the node no longer has it, the error names it. */
  readonly stateOf?: bigint
}

/** A forked node that can be asked. */
export interface Remote {
  /**
   * Asks once, with the retries that are due.
   *
   * @throws RemoteRpcError for an error that the node answered with; ForkedStateUnavailableError,
   * ForkedNodeUnansweredError, InvalidRemoteAnswerError, NotInForkCacheError, ForkClosedError
   */
  ask<Result>(request: RemoteRequest<Result>): Promise<Result>
  /**
   * Asks in one trip if possible; each request is settled by itself, in the order of the requests. Requests in flight
   * that are equal are asked once.
   */
  askAll(requests: readonly RemoteRequest[]): Promise<readonly PromiseSettledResult<unknown>[]>
  /** Rejects what is in flight, and whatever is asked from now on. */
  close(): void
}

/** The part of an EIP-1193 provider that is used. */
export interface Eip1193Like {
  request(args: { readonly method: string; readonly params: readonly unknown[] }): Promise<unknown>
}

/** Options of a remote, resolved; `provider` or `url` is given. */
export interface RemoteOptions {
  readonly provider?: Eip1193Like | undefined
  readonly url?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Trips in flight. */
  readonly concurrency: number
  /** Requests of a trip. */
  readonly batch: number
  /** Milliseconds for one request, all attempts included. */
  readonly timeout: number
  /** The time of the network: the system clock, also of a chain whose own clock stands still. */
  readonly clock: Clock
}

/** Connects to a node; the first request makes the first trip. @throws InvalidOptionError for an unusable URL or header. */
export function createRemote(options: RemoteOptions): Remote {
  throw new InvalidOptionError('fork', `a client of ${typeof options}`)
}
