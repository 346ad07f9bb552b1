/** A client of the forked node, an untrusted JSON-RPC node that is reached by a URL or an EIP-1193 provider. */

import { getOrInsert, splitBySize } from '../../base/collections.ts'
import { SchemaError } from '../../base/errors.ts'
import type { ForkedProvider, ResolvedFork } from '../../base/options/forkOptions.ts'
import { isObject, readObject } from '../../base/schema.ts'
import type { Hash, Hex } from '../../base/types.ts'
import {
  Dispatcher,
  type DispatcherOptions,
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
import { HttpRoute } from './httpRoute.ts'

/** A request to the forked node, with the reader of its answer. */
export interface RemoteRequest<Result = unknown> {
  readonly method: string
  readonly params: readonly unknown[]
  /** Converts the answer. @throws SchemaError, which `ask` turns into an InvalidRemoteAnswerError */
  readonly read: (answer: unknown) => Result | Promise<Result>
  /** Whether the answer may be cached, since it never changes for the forked block. */
  readonly isPinned: boolean
  /** The block whose state is read, for the error if the node no longer has it. */
  readonly stateOf?: bigint
}

/** A forked node. */
export interface Remote {
  /**
   * Asks the node, with retries. Requests made together share a trip if possible. Equal requests in flight always do.
   *
   * @throws RemoteRpcError for an error answer of the node
   * @throws ForkedStateUnavailableError, ForkedNodeUnansweredError, InvalidRemoteAnswerError
   * @throws NotInForkCacheError, ForkClosedError
   */
  ask<Result>(request: RemoteRequest<Result>): Promise<Result>
  /** Returns the unconverted answer from the cache; undefined if the cache lacks it. The method needs a cache. */
  cached?(request: RemoteRequest): unknown | undefined
}

/** A connection to a forked node. */
export interface Connection extends Remote {
  /** Whether a text contains a secret of the node's URL or headers. A provider has none. */
  hasSecret(text: string): boolean
  /** Rejects requests in flight, and all later ones. */
  close(): void
}

type ResultOf<Request> = Request extends RemoteRequest<infer Result> ? Result : never

/** Asks all requests together, and settles each separately. */
export function askAll<const Requests extends readonly RemoteRequest[]>(
  remote: Remote,
  requests: Requests,
): Promise<{ -readonly [I in keyof Requests]: PromiseSettledResult<ResultOf<Requests[I]>> }> {
  return Promise.allSettled(requests.map((request) => remote.ask(request))) as Promise<never>
}

/** Returns the result of a request of {@link askAll}. @throws its error */
export function resultOf<Result>(settled: PromiseSettledResult<Result>): Result {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}

/** The node of a fork: a provider, or a URL with headers. An offline fork has neither. */
export type ForkedNode = Partial<Pick<ResolvedFork, 'provider' | 'url' | 'headers'>>

/** Called when a connection is opened, with a function that closes it. */
export type OnOpen = (close: () => void) => void

/** The forked chain and block, as a running chain reads them. */
export interface Fork {
  readonly number: bigint
  readonly hash: Hash
  readonly chainId: bigint
  /** The forked node's URL without possible secrets; undefined for a provider. */
  readonly url: string | undefined
  /** The current node: a different object after {@link readFrom}. */
  readonly node: ForkedNode
  /** Asks the forked node. @param isPinned - see {@link RemoteRequest}; by default true. */
  ask<R>(method: string, params: readonly unknown[], read: (_: unknown) => R, isPinned?: boolean): Promise<R>
  /**
   * Reads from a different node, and repeats pending reads there. Keeps headers only for the same host.
   *
   * @throws PresealRpcError, InvalidOptionError if the node cannot be used; nothing has changed then
   */
  readFrom(url: string, onOpen: OnOpen): Promise<void>
  /** Rejects pending and new reads until the returned function is called. */
  suspend(): () => void
  /** Whether an error results from `suspend` or `close`. */
  isExpected(error: Error): boolean
  /** Refuses further reads, and writes the cache. @throws ForkCacheError */
  close(): Promise<void>
}

/** The node to connect to, and the limits of requests. */
export type RemoteOptions = ForkedNode & DispatcherOptions & Pick<Route, 'batch'>

const INTERNAL_ERROR = -32603
const SERVER_ERROR = -32000

/** Stands in for the node of an offline fork. */
const NO_NODE: ForkedProvider = {
  request: ({ method, params }) => Promise.reject(new NotInForkCacheError(method, params)),
}

/** Creates a connection, which opens on the first request. @throws InvalidOptionError for an unusable URL or header */
export function createRemote(options: RemoteOptions): Connection {
  const { provider = NO_NODE, url, headers, batch, clock } = options
  const isByHttp = url !== undefined
  const route = isByHttp ? new HttpRoute(url, headers, batch, clock) : createProviderRoute(provider)
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
        // The code of an internal error would suggest a fault of this chain, so the node's error gets a different one.
        const isInternal = error.code === INTERNAL_ERROR
        throw isInternal ? new RemoteRpcError(SERVER_ERROR, error.message, error.data) : error
      }
      return readAnswer(request, answer)
    },
    hasSecret: (text) => route.hasSecret(text),
    close: () => dispatcher.close(),
  }
}

/** Converts an answer. @throws InvalidRemoteAnswerError if it has a different shape */
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

/** How many nested errors are searched for the node's error, which libraries wrap. */
const MAX_CAUSES = 8

/** Error codes of a provider that is disconnected from all chains, or from the requested one (EIP-1193). */
const DISCONNECTED = [4900, 4901]

/** Sends requests through a provider, concurrently. Hides the errors that it throws, whose texts can contain a URL. */
function createProviderRoute(provider: ForkedProvider): Route {
  const place = 'the provider'
  const isAnswered = (question: Question): Promise<boolean> =>
    provider.request(question).then(
      () => true,
      (thrown) => findAnswer(thrown) !== undefined,
    )
  const refusals = new Map<string, Promise<boolean>>()
  /**
   * Whether errors without a code mean that the provider refuses this kind of request. It does if the request fails
   * again while eth_chainId succeeds.
   */
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

/** Returns the kind of a request that some nodes refuse: for a rare method, or a block by hash (EIP-1898). */
function refusableKind({ method, params }: Question): string | undefined {
  if (method === 'eth_config') return method
  const named = params.at(-1)
  return isObject(named) && named['blockHash'] !== undefined ? 'blockHash' : undefined
}

/** Shortens URLs to scheme and host: messages of libraries can contain the node's URL, with a key. */
function hideUrls(text: string): string {
  return text.replace(/\b((?:https?|wss?):\/\/)(?:[^\s/@"'<>]*@)?([^\s/?#"'<>]*)[^\s"'<>]*/gi, '$1$2')
}

/** Returns the node's error; undefined if the thrown value contains none, or if the provider is disconnected. */
function findAnswer(thrown: unknown): ReturnType<typeof findRpcError> {
  const error = findRpcError(thrown)
  return error !== undefined && DISCONNECTED.includes(error.code) ? undefined : error
}

/** Returns the innermost error with a JSON-RPC code. */
function findRpcError(thrown: unknown): { code: number; message: unknown; data?: unknown } | undefined {
  let found: ReturnType<typeof findRpcError>
  for (let error = thrown, i = 0; isObject(error) && i < MAX_CAUSES; error = error['cause'], i++) {
    const { code, message, details, data = found?.data } = error
    if (!Number.isSafeInteger(code)) continue
    // viem's `details` is the node's message; its `message` adds the URL and the body.
    found = { code: code as number, message: typeof details === 'string' ? details : message, data }
  }
  return found
}

/** A connection whose node can be replaced, as anvil_setRpcUrl does. */
export interface SwitchedConnection extends Connection {
  /** Closes the current connection, and uses `next` from now on. Requests in flight are sent again to `next`. */
  switchTo(next: Connection): void
}

/** Returns a connection that can be replaced later. It uses `first` until then. */
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

/** How many slots one request may ask for. go-ethereum has the same limit. */
const MAX_SLOTS = 1024

interface Waiting {
  readonly request: RemoteRequest
  readonly slots: readonly Hex[]
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Merges requests of eth_getProof for one account and block that begin together. Each request gets its part in the
 * shape of a separate answer, so that a cache stores the same answer whether or not requests were merged.
 */
export function withMergedProofs(remote: Remote): Remote {
  let waiting: Waiting[] = []

  const send = (): void => {
    const groups = new Map<string, Waiting[]>()
    for (const one of waiting) {
      const [address, , block] = one.request.params
      const name = JSON.stringify([address, block, one.request.isPinned])
      getOrInsert(groups, name, () => []).push(one)
    }
    waiting = []
    for (const group of groups.values())
      for (const part of splitBySize(group, MAX_SLOTS, ({ slots }) => slots.length))
        void askTogether(remote, part)
  }

  return {
    ask(request) {
      if (request.method !== 'eth_getProof') return remote.ask(request)
      const slots = request.params[1] as readonly Hex[]
      return new Promise((resolve, reject) => {
        // Queued before the microtask that sends the trip, so that merged requests join the trip.
        if (waiting.length === 0) queueMicrotask(send)
        waiting.push({ request, slots, resolve: resolve as Waiting['resolve'], reject })
      })
    },
  }
}

async function askTogether(remote: Remote, group: readonly Waiting[]): Promise<void> {
  const [{ request }] = group as readonly [Waiting]
  const slots = [...new Set(group.flatMap((one) => one.slots))]
  const [address, , block] = request.params
  const read = (value: unknown) => {
    const answer = readObject(value, '')
    const proofs = answer['storageProof']
    if (Array.isArray(proofs) && proofs.length === slots.length) return { answer, proofs }
    throw new SchemaError('.storageProof', `an array of ${slots.length} proofs`)
  }
  try {
    const { answer, proofs } = await remote.ask({ ...request, params: [address, slots, block], read })
    for (const one of group) {
      const storageProof = one.slots.map((slot) => proofs[slots.indexOf(slot)])
      readAnswer(one.request, { ...answer, storageProof }).then(one.resolve, one.reject)
    }
  } catch (error) {
    for (const one of group) one.reject(error)
  }
}
