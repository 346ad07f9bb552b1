/** A client of the forked node: an untrusted JSON-RPC node, over a URL or an EIP-1193 provider. */
import type { Clock } from '../../base/clock.ts'
import { InvalidOptionError, SchemaError } from '../../base/errors.ts'
import { Dispatcher } from './dispatcher.ts'
import { ForkedStateUnavailableError, InvalidRemoteAnswerError, RemoteRpcError } from './errors.ts'
import { HttpRoute } from './httpRoute.ts'
import { resolveTarget } from './httpTarget.ts'
import { createProviderRoute, type Eip1193Like } from './providerRoute.ts'
import { isStateLost } from './trip.ts'

/** A request to the forked node. */
export interface RemoteRequest<Result = unknown> {
  readonly method: string
  /** JSON values. */
  readonly params: readonly unknown[]
  /**
   * Converts the answer, in most cases a reader of `answers.ts`. It may wait for another answer to compare with.
   *
   * @throws SchemaError if the answer has another shape; `ask` turns it into an InvalidRemoteAnswerError.
   */
  readonly read: (answer: unknown) => Result | Promise<Result>
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
  /** The answer that needs no trip, before it is converted; undefined if there is none. */
  cached(request: RemoteRequest): unknown | undefined
  /** Rejects what is in flight, and whatever is asked from now on. */
  close(): void
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
export function createRemote({ provider, url, headers, batch, clock, ...rest }: RemoteOptions): Remote {
  if ((provider === undefined) === (url === undefined)) {
    throw new InvalidOptionError('fork', 'either provider or url')
  }
  const route = provider
    ? createProviderRoute(provider)
    : new HttpRoute(resolveTarget(url!, headers), batch, clock)
  return new Client(new Dispatcher(route, { ...rest, clock }))
}

/** JSON-RPC 2.0, section 5.1. */
const INTERNAL_ERROR = -32603
const SERVER_ERROR = -32000

class Client implements Remote {
  readonly #dispatcher: Dispatcher

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher
  }

  async ask<Result>(request: RemoteRequest<Result>): Promise<Result> {
    let answer: unknown
    try {
      answer = await this.#dispatcher.ask(request)
    } catch (error) {
      const { stateOf } = request
      const isLost = stateOf !== undefined && error instanceof RemoteRpcError && isStateLost(error)
      if (isLost) throw new ForkedStateUnavailableError(stateOf)
      // Internal errors are the chain's own: that of another node is an error of the request.
      const isInternal = error instanceof RemoteRpcError && error.code === INTERNAL_ERROR
      throw isInternal ? new RemoteRpcError(SERVER_ERROR, error.message, error.data) : error
    }
    return readAnswer(request, answer)
  }

  askAll(requests: readonly RemoteRequest[]): Promise<readonly PromiseSettledResult<unknown>[]> {
    return Promise.allSettled(requests.map((request) => this.ask(request)))
  }

  cached(): undefined {}

  close(): void {
    this.#dispatcher.close()
  }
}

/** Converts an answer as its request says. @throws InvalidRemoteAnswerError if it has another shape. */
export async function readAnswer<Result>(
  { method, params, read }: RemoteRequest<Result>,
  answer: unknown,
): Promise<Result> {
  try {
    return await read(answer)
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    throw new InvalidRemoteAnswerError(method, params, error.path, error.expected)
  }
}
