/** A client of the forked node: an untrusted JSON-RPC node, over a URL or an EIP-1193 provider. */

import type { Clock } from '../../base/clock.ts'
import { splitBySize } from '../../base/collections.ts'
import { SchemaError } from '../../base/errors.ts'
import type { ForkedProvider, ResolvedFork } from '../../base/options/forkOptions.ts'
import { isObject, readObject } from '../../base/schema.ts'
import type { Hash, Hex } from '../../base/types.ts'
import {
  Dispatcher,
  isStateLost,
  type Outcome,
  type Question,
  type Route,
  toAnswer,
  toErrorOutcome,
} from './dispatcher.ts'
import {
  ForkClosedError,
  ForkedStateUnavailableError,
  InvalidRemoteAnswerError,
  NotInForkCacheError,
  RemoteRpcError,
  TripError,
} from './errors.ts'
import { HttpRoute, resolveTarget } from './httpRoute.ts'

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
   * Asks once, with the retries that are due. Requests that begin at once share a trip if possible, and equal ones in flight
   * are one.
   *
   * @throws RemoteRpcError for an error that the node answered with; ForkedStateUnavailableError,
   * ForkedNodeUnansweredError, InvalidRemoteAnswerError, NotInForkCacheError, ForkClosedError
   */
  ask<Result>(request: RemoteRequest<Result>): Promise<Result>
  /** Of a remote with a cache: the answer that needs no trip, before it is converted; undefined if there is none. */
  cached?(request: RemoteRequest): unknown | undefined
}

/** A connection to a forked node. */
export interface Connection extends Remote {
  /** Whether a text has a secret of the node's URL or headers; a provider has neither. */
  hasSecret(text: string): boolean
  /** Rejects what is in flight, and whatever is asked from now on. */
  close(): void
}

/** The result of a request. */
type ResultOf<Request> = Request extends RemoteRequest<infer Result> ? Result : never

/** Asks for all at once; each request is settled by itself. */
export function askAll<const Requests extends readonly RemoteRequest[]>(
  remote: Remote,
  requests: Requests,
): Promise<{ -readonly [I in keyof Requests]: PromiseSettledResult<ResultOf<Requests[I]>> }> {
  return Promise.allSettled(requests.map((request) => remote.ask(request))) as Promise<never>
}

/** Returns the result of a settled request. @throws its error if it was rejected. */
export function resultOf<Result>(settled: PromiseSettledResult<Result>): Result {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}

/** The node of a fork: an EIP-1193 provider, or a URL with the headers of its requests; neither offline. */
export type ForkedNode = Partial<Pick<ResolvedFork, 'provider' | 'url' | 'headers'>>

/** Gets a function that ends a connection, once that is opened. */
export type OnOpen = (close: () => void) => void

/** What a running chain reads of the chain that it forks. */
export interface Fork {
  /** The number of the forked block. */
  readonly number: bigint
  readonly hash: Hash
  readonly chainId: bigint
  /** Where the node is, without what may be a secret; undefined for a provider. */
  readonly url: string | undefined
  /** The node that it is read from now: another object after {@link readFrom}. */
  readonly node: ForkedNode
  /** @param isPinned - whether the answer never changes in the forked chain, so that it can be kept; default: true. */
  ask<R>(
    method: string,
    params: readonly unknown[],
    read: (answer: unknown) => R,
    isPinned?: boolean,
  ): Promise<R>
  /**
   * Reads from another node from now on, including the reads under way. Headers are kept only for the same host.
   *
   * @throws PresealRpcError if that node cannot be used; nothing has changed then.
   * @throws InvalidOptionError for an unusable URL.
   */
  readFrom(url: string, onOpen: OnOpen): Promise<void>
  /** Rejects all reads, including those under way, until the returned function is called. */
  suspend(): () => void
  /** Whether an error is a consequence of `suspend` or `close`. */
  isExpected(error: Error): boolean
  /** Refuses reads from now on, and completes its cache. @throws ForkCacheError */
  close(): Promise<void>
}

/** How a node is connected to. */
export interface RemoteOptions extends ForkedNode {
  /** Trips in flight. */
  readonly concurrency: number
  /** Requests of a trip. */
  readonly batch: number
  /** Milliseconds for one request, all attempts included. */
  readonly timeout: number
  /** The time of the network: the system clock, also of a chain whose own clock stands still. */
  readonly clock: Clock
}

/** JSON-RPC 2.0, section 5.1. */
const INTERNAL_ERROR = -32603
const SERVER_ERROR = -32000

/** In the place of a node that is never asked. */
const NO_NODE: ForkedProvider = {
  request: ({ method, params }) => Promise.reject(new NotInForkCacheError(method, params)),
}

/** Connects to a node; the first request makes the first trip. @throws InvalidOptionError for an unusable URL or header. */
export function createRemote(options: RemoteOptions): Connection {
  const { provider = NO_NODE, url, headers, batch, clock } = options
  const route =
    url === undefined
      ? createProviderRoute(provider)
      : new HttpRoute(resolveTarget(url, headers), batch, clock)
  const dispatcher = new Dispatcher(route, options)
  return {
    async ask(request) {
      let answer: unknown
      try {
        answer = await dispatcher.ask(request)
      } catch (error) {
        if (!(error instanceof RemoteRpcError)) throw error
        const { stateOf } = request
        if (stateOf !== undefined && isStateLost(error)) throw new ForkedStateUnavailableError(stateOf)
        // Internal errors are the chain's own: that of another node is an error of the request.
        const isInternal = error.code === INTERNAL_ERROR
        throw isInternal ? new RemoteRpcError(SERVER_ERROR, error.message, error.data) : error
      }
      return readAnswer(request, answer)
    },
    hasSecret: (text) => route.hasSecret(text),
    close: () => dispatcher.close(),
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

// The forked node behind an EIP-1193 provider: one request at a time, several side by side.

/** Errors within an error that are looked at: libraries wrap the node's. */
const MAX_CAUSES = 8

/** EIP-1193: the provider is disconnected, from all chains or from this one. */
const DISCONNECTED = [4900, 4901]

/** A route through a provider, whose own errors are not shown: their texts can contain its URL. */
function createProviderRoute(provider: ForkedProvider): Route {
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
  return { place, batch: 1, hasSecret: () => false, send: (questions) => Promise.all(questions.map(ask)) }
}

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

/** A connection that can be replaced while it is used. */
export interface SwitchedConnection extends Connection {
  /** Goes on with another connection, and closes the one before; what is in flight is asked again there. */
  switchTo(next: Connection): void
}

/** Makes a connection replaceable. */
export function switched(first: Connection): SwitchedConnection {
  let current = first
  let isClosed = false
  return {
    switchTo(next) {
      const before = current
      current = next
      before.close()
      if (isClosed) next.close()
    },
    async ask(request) {
      for (;;) {
        const asked = current
        try {
          return await asked.ask(request)
        } catch (error) {
          if (asked === current || !(error instanceof ForkClosedError)) throw error
        }
      }
    },
    hasSecret: (text) => current.hasSecret(text),
    close() {
      isClosed = true
      current.close()
    },
  }
}

// A remote that asks once for the proofs of one account that are asked for at the same time.

/** Slots of one request, as go-ethereum limits them. */
const MAX_SLOTS = 1024

const METHOD = 'eth_getProof'

/** A request for proofs, until it is settled. */
interface Waiting {
  readonly request: RemoteRequest
  readonly slots: readonly Hex[]
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Merges requests of eth_getProof for the same account and block that begin at once. Each gets the part that it asked for,
 * in the shape of an answer of its own: a cache above keeps one answer for each key, however keys came together.
 */
export function withMergedProofs(remote: Remote): Remote {
  let waiting: Waiting[] = []

  const send = (): void => {
    const groups = new Map<string, Waiting[]>()
    for (const one of waiting) {
      const [address, , block] = one.request.params
      const name = JSON.stringify([address, block, one.request.isPinned])
      const group = groups.get(name)
      if (group === undefined) groups.set(name, [one])
      else group.push(one)
    }
    waiting = []
    for (const group of groups.values())
      for (const part of splitBySize(group, MAX_SLOTS, ({ slots }) => slots.length))
        void askTogether(remote, part)
  }

  return {
    ask(request) {
      if (request.method !== METHOD) return remote.ask(request)
      const slots = request.params[1] as readonly Hex[]
      return new Promise((resolve, reject) => {
        // In a microtask that comes before the one in which trips begin.
        if (waiting.length === 0) queueMicrotask(send)
        waiting.push({ request, slots, resolve: resolve as Waiting['resolve'], reject })
      })
    },
  }
}

async function askTogether(remote: Remote, group: readonly Waiting[]): Promise<void> {
  const [{ request }] = group as readonly [Waiting]
  const slots = [...new Set(group.flatMap((one) => one.slots))]
  try {
    const [address, , block] = request.params
    const params = [address, slots, block]
    const answer = await remote.ask({
      ...request,
      params,
      read: (value) => requireCount(value, slots.length),
    })
    for (const one of group) {
      const own = partOf(answer, one.slots, slots)
      readAnswer(one.request, own).then(one.resolve, one.reject)
    }
  } catch (error) {
    for (const one of group) one.reject(error)
  }
}

/** An answer with as many proofs of slots as were asked for. */
function requireCount(answer: unknown, count: number): Record<string, unknown> {
  const read = readObject(answer, '')
  const proofs = read['storageProof']
  if (Array.isArray(proofs) && proofs.length === count) return read
  throw new SchemaError('.storageProof', `an array of ${count} proofs`)
}

function partOf(answer: Record<string, unknown>, own: readonly Hex[], all: readonly Hex[]): unknown {
  const proofs = answer['storageProof'] as readonly unknown[]
  return { ...answer, storageProof: own.map((slot) => proofs[all.indexOf(slot)]) }
}
