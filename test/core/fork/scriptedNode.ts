/** A remote node that answers what a test says or as a chain does, a folder for a cache, and a clock on which retries are due at once. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../../src/base/clock.ts'
import { createManualClock } from '../../../src/base/manualClock.ts'
import { quantity } from '../../../src/core/fork/answers.ts'
import {
  type Connection,
  createRemote,
  type RemoteOptions,
  type RemoteRequest,
} from '../../../src/core/fork/remote.ts'
import type { PresealChain } from '../../../src/index.ts'
import { createHandler } from '../../../src/kits/server/index.ts'

/** A request as it arrives. */
export interface Arrived {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** An HTTP request as it arrives. */
export interface Trip {
  readonly body: Arrived | readonly Arrived[]
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/** An HTTP response; `hang` never comes, and `reset` destroys the connection. */
export type Reply =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly text: string }
  | 'hang'
  | 'reset'

/** Starts a node. `answer` gets each trip and its number, from 0 on. */
export async function startNode(answer: (trip: Trip, number: number) => Reply | Promise<Reply>) {
  const trips: Trip[] = []
  const node = { url: '', trips, inFlight: 0, mostInFlight: 0, aborted: 0 }
  const server = createServer(async (request, response: ServerResponse) => {
    const trip = { body: JSON.parse(await text(request)), path: request.url!, headers: request.headers }
    node.inFlight += 1
    node.mostInFlight = Math.max(node.mostInFlight, node.inFlight)
    response.on('close', () => {
      node.inFlight -= 1
      if (!response.writableFinished) node.aborted += 1
    })
    const reply = await answer(trip, trips.push(trip) - 1)
    if (reply === 'reset') response.destroy()
    else if (reply !== 'hang') response.writeHead(reply.status ?? 200, reply.headers).end(reply.text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(stop)
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(node, { stop })
}

/** Serves a chain as a node. @param meet - called before each request; may wait, or return an answer of its own. */
export function serveNode(
  chain: Pick<PresealChain, 'standard'>,
  meet: (request: Arrived) => unknown = () => undefined,
) {
  return startNode(async ({ body }) => {
    const request = async (args: object) =>
      (await meet(args as Arrived)) ?? (await chain.standard.request(args as never))
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await createHandler({ request })(new Request('http://localhost', init))
    return { text: await response.text() }
  })
}

/** A folder that is removed when the test ends. */
export async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'preseal-fork-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** The answer to each request of a trip: by default its first param. */
export function answering(
  { body }: Trip,
  resultOf: (request: Arrived) => unknown = ({ params }) => params[0],
): { text: string } {
  const answerTo = (request: Arrived) => ({ jsonrpc: '2.0', id: request.id, result: resultOf(request) })
  return { text: JSON.stringify(Array.isArray(body) ? body.map(answerTo) : answerTo(body as Arrived)) }
}

/** Errors in the place of the answers. */
export function failing({ body }: Trip, error: unknown): { text: string } {
  const answerTo = ({ id }: Arrived) => ({ jsonrpc: '2.0', id, error })
  return { text: JSON.stringify(Array.isArray(body) ? body.map(answerTo) : answerTo(body as Arrived)) }
}

export const listOf = ({ body }: Trip): readonly Arrived[] => (Array.isArray(body) ? body : [body as Arrived])

/** A clock that advances by each delay that is set, if it is shorter than `timeout`; `waits` has the delays. */
export function createRetryClock(timeout = 20_000): Clock & { readonly waits: number[] } {
  const manual = createManualClock()
  const waits: number[] = []
  return {
    waits,
    now: () => manual.now(),
    clearTimeout: (timer) => manual.clearTimeout(timer),
    yield: () => manual.yield(),
    setTimeout(fn, ms) {
      const timer = manual.setTimeout(fn, ms)
      if (ms < timeout) {
        waits.push(ms)
        void manual.advance(ms)
      }
      return timer
    },
  }
}

/** A client of a node, closed when the test ends. */
export function connectTo(node: { readonly url: string }, options: Partial<RemoteOptions> = {}): Connection {
  const defaults = { concurrency: 8, batch: 100, timeout: 20_000, clock: createRetryClock() }
  const remote = createRemote({ url: node.url, ...defaults, ...options })
  onTestFinished(() => remote.close())
  return remote
}

/** A pinned request for a quantity, which is its first param. */
export function numberOf(value: string): RemoteRequest<bigint> {
  return { method: 'test_number', params: [value], read: quantity(64), isPinned: true }
}

/** Resolves once `isTrue`, as the event loop turns. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve))
}
