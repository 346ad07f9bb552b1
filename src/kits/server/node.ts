/**
 * The Node server of one view: HTTP and WebSocket on one port. The only file of the server that needs Node.
 *
 * Owns: the sockets, a provider for all HTTP requests, and a connection with a provider for each WebSocket.
 */

import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { nextTick } from 'node:process'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { systemClock, type Timer } from '../../base/clock.ts'
import { getOrInsert } from '../../base/collections.ts'
import type { Provider } from '../../rpc/provider.ts'
import { reportTo } from '../../rpc/services.ts'
import type { GetCaller } from './access.ts'
import {
  type Client,
  type Connection,
  connect,
  type NotificationResult,
  type Transport,
} from './connection.ts'
import { encodeFailure, NOTIFICATION_TAIL, notificationHead } from './envelope.ts'
import { HttpPathError, PortInUseError } from './errors.ts'
import { type HttpRequest, type HttpResponse, refuse, respond, toHttpRequester } from './http.ts'
import type { ServeRules } from './options.ts'
import { type Admit, limitRate } from './rate.ts'
import type { LimitedRequester } from './requester.ts'

/** Serves the providers that `connect` creates: one for HTTP, and one per WebSocket. */
export class NodeServer {
  readonly #connect: () => Provider
  readonly #rules: ServeRules
  readonly #provider: Provider
  readonly #requester: LimitedRequester
  readonly #admit: Admit | undefined
  readonly #http = createServer({ keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS })
  readonly #upgrades: WebSocketServer
  readonly #sessions = new Set<Session>()
  readonly #output: UnreadOutput
  readonly #httpReceivers = new WeakMap<Duplex, { unread: number; cutOff(): void }>()
  readonly #lastResponses = new WeakMap<Duplex, ServerResponse>()
  /** Connections whose upgrade waits for earlier answers. */
  readonly #upgrading = new Set<Duplex>()
  readonly #inFlight = new Set<Promise<void>>()
  #closing = false

  constructor(connect: () => Provider, rules: ServeRules) {
    this.#connect = connect
    this.#rules = rules
    this.#provider = connect()
    this.#requester = toHttpRequester(this.#provider, rules)
    this.#admit = limitRate(rules, (thrown) => reportTo(this.#provider, thrown))
    this.#output = new UnreadOutput(rules.maxUnreadBytes)
    this.#upgrades = new WebSocketServer({
      noServer: true,
      // The session sends the pongs, so that they count as output like answers.
      autoPong: false,
      maxPayload: rules.maxBodyBytes,
      perMessageDeflate: false,
      clientTracking: false,
    })
    this.#http.maxConnections = rules.maxConnections
    // Longer than in most clients: the side that closes first may cut off a request in transit.
    this.#http.keepAliveTimeout = KEEP_ALIVE_MS
    // Any number of headers, as a dropped one could be the origin or the body's length. Node limits their size.
    this.#http.maxHeadersCount = 0
    // Emitted if the system could not accept a connection; the server continues.
    this.#http.on('error', () => {})
    this.#http.on('request', (request, response) => this.#track(this.#answer(request, response)))
    this.#http.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port
  }

  /** @throws PortInUseError */
  async listen(port: number): Promise<this> {
    const { host } = this.#rules
    try {
      await new Promise<void>((resolve, reject) => {
        this.#http.once('error', reject)
        this.#http.listen(port, host, () => {
          this.#http.off('error', reject)
          resolve()
        })
      })
      return this
    } catch (error) {
      this.#provider.close()
      throw (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? new PortInUseError(host, port) : error
    }
  }

  async close(): Promise<void> {
    this.#closing = true
    const closed = new Promise((resolve) => this.#http.close(resolve))
    let deadline: Timer | undefined
    let isCutOff = false
    // A function of the host that decides nothing may hold requests for ever.
    const cutOff = new Promise<void>((resolve) => {
      deadline = systemClock.setTimeout(async () => {
        await this.#cutOff()
        isCutOff = true
        resolve()
      }, this.#rules.closeTimeout)
    })
    while (this.#inFlight.size > 0 && !isCutOff) await Promise.race([Promise.all(this.#inFlight), cutOff])
    for (const session of this.#sessions) session.end(GOING_AWAY, 'the server was closed')
    this.#http.closeIdleConnections()
    await closed
    systemClock.clearTimeout(deadline!)
    this.#provider.close()
  }

  /** Ends the remaining requests and connections at the deadline. */
  async #cutOff(): Promise<void> {
    this.#provider.close()
    for (const session of this.#sessions) session.close()
    // Lets the waiting requests be answered with 4900.
    await systemClock.yield()
    for (const session of this.#sessions) session.cutOff()
    for (const socket of this.#upgrading) socket.destroy()
    this.#http.closeAllConnections()
  }

  #track(request: Promise<void>): void {
    const tracked = request.finally(() => this.#inFlight.delete(tracked))
    this.#inFlight.add(tracked)
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { socket } = incoming
    this.#lastResponses.set(socket, outgoing)
    const request = { ...toHttpRequest(incoming), onClose: (fn: () => void) => outgoing.on('close', fn) }
    const { status, headers, body } = isRoot(incoming)
      ? await respond(request, this.#requester, this.#rules, this.#admit)
      : (refuse(request, this.#rules) ?? NOT_FOUND)
    // The client has disconnected.
    if (outgoing.destroyed || socket.destroyed) return
    this.#output.makeRoom()
    outgoing.writeHead(status, { ...headers, ...length(body), ...(this.#closing && { Connection: 'close' }) })
    outgoing.end(body ?? undefined)
    // Usually the system has taken the whole answer by now.
    if (!outgoing.writableFinished) this.#countUnread(socket, outgoing, body?.length ?? 0)
  }

  #countUnread(socket: Socket, outgoing: ServerResponse, bytes: number): void {
    const receiver = getOrInsert(this.#httpReceivers, socket, () => {
      const added = { unread: 0, cutOff: () => void socket.destroy() }
      this.#output.receivers.add(added)
      socket.once('close', () => this.#output.receivers.delete(added))
      return added
    })
    receiver.unread += bytes + MESSAGE_BYTES
    this.#output.note(bytes)
    outgoing.once('close', () => {
      receiver.unread -= bytes + MESSAGE_BYTES
    })
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const before = this.#lastResponses.get(socket)
    if (before !== undefined && !before.closed) {
      // Answers keep the order of their requests. Node's server no longer handles errors of this socket.
      const onError = (): void => void socket.destroy()
      socket.on('error', onError)
      this.#upgrading.add(socket)
      before.once('close', () => {
        this.#upgrading.delete(socket)
        socket.off('error', onError)
        // Removes the timeout that Node has set for idle HTTP connections.
        request.socket.setTimeout(0)
        if (!socket.destroyed) this.#upgrade(request, socket, head)
      })
      return
    }
    if (request.method !== 'GET' || request.headers.upgrade?.toLowerCase() !== 'websocket') {
      // For example an upgrade to HTTP/2, as curl and Java clients ask for: servers may ignore it (RFC 9110 §7.8).
      socket.unshift(Buffer.concat([toBytesWithoutUpgrade(request), head]))
      this.#http.emit('connection', socket)
      return
    }
    socket.on('error', () => socket.destroy())
    const refused = refuse(toHttpRequest(request), this.#rules) ?? (isRoot(request) ? undefined : NOT_FOUND)
    if (refused !== undefined) {
      socket.end(toText(refused))
      return
    }
    if (this.#closing) return void socket.destroy()
    this.#upgrades.handleUpgrade(request, socket, head, (webSocket) => {
      const client = { caller: toHttpRequest(request).caller, admit: this.#admit }
      const session = new Session(webSocket, socket, this.#connect(), this.#rules, this.#output, client)
      this.#sessions.add(session)
      webSocket.on('message', (data) => this.#track(session.receive(decoder.decode(data))))
      webSocket.on('close', () => {
        this.#sessions.delete(session)
        session.close()
      })
    })
  }
}

/** How many milliseconds an idle connection is kept, as in go-ethereum. */
const KEEP_ALIVE_MS = 120_000

/** Removes a byte order mark, as the decoder of HTTP bodies does. */
const decoder = new TextDecoder()

const NOT_FOUND: HttpResponse = {
  status: 404,
  headers: { 'Content-Type': 'application/json' },
  body: encodeFailure(new HttpPathError()),
}

/** Returns the head of a request without its upgrade, for Node to parse again. */
function toBytesWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at]!, rawHeaders[at + 1]!]
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${value}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

/** Whether the target is the path `/`, or the whole server (OPTIONS *). */
function isRoot(request: IncomingMessage): boolean {
  const { path } = readTarget(request)
  return /^\/?(?:\?|$)/.test(path) || (request.method === 'OPTIONS' && path === '*')
}

/** Returns the target of a request (RFC 9112 §3.2): its absolute form replaces the `Host` header. */
function readTarget({ url = '', headers }: IncomingMessage): { path: string; host: string | null } {
  const [, authority, path = url] = /^(?:http|ws)s?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  return { path, host: authority ?? headers.host ?? null }
}

function toHttpRequest(request: IncomingMessage): HttpRequest {
  return {
    method: request.method ?? '',
    header(name) {
      const value = request.headers[name]
      return typeof value === 'string' ? value : null
    },
    host: readTarget(request).host,
    caller: toCaller(request),
    read: (limit) => readBody(request, limit),
  }
}

/** Reads the address at once: a socket that was closed has none. */
function toCaller({ socket, rawHeaders }: IncomingMessage): GetCaller {
  const { remoteAddress } = socket
  return () => {
    const headers = new Headers()
    for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!)
    return { headers, remoteAddress }
  }
}

function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.byteLength
      if (size <= limit) {
        chunks.push(chunk)
      } else {
        // Keeps reading, as a client that is still sending would not read the answer.
        chunks.length = 0
        resolve(undefined)
      }
    })
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', reject)
    request.on('close', () => {
      // Errors capture a stack, so none is created for a complete request.
      if (!request.complete) reject(new Error('the request was aborted'))
    })
  })
}

function length(body: string | null): Record<string, number> {
  return body === null ? {} : { 'Content-Length': Buffer.byteLength(body) }
}

/** Encodes a response for a socket that Node's server has released. */
function toText({ status, headers, body }: HttpResponse): string {
  const fields = { ...headers, ...length(body), Connection: 'close' }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body ?? ''].join('\r\n')
}

/** A WebSocket and its connection. Owns: the messages gathered for the next write, and the count of unread messages. */
class Session implements Receiver {
  readonly #socket: WebSocket
  readonly #stream: Duplex
  readonly #provider: Provider
  readonly #connection: Connection
  readonly #maxQueuedBytes: number
  readonly #output: UnreadOutput
  #unreadMessages = 0
  readonly #onWritten = (): void => {
    this.#unreadMessages -= 1
  }
  #isGathering = false

  constructor(
    socket: WebSocket,
    stream: Duplex,
    provider: Provider,
    rules: ServeRules,
    output: UnreadOutput,
    client: Client,
  ) {
    this.#socket = socket
    this.#stream = stream
    this.#provider = provider
    this.#maxQueuedBytes = rules.maxQueuedBytes
    this.#output = output
    output.receivers.add(this)
    const transport: Transport = {
      send: (text) => this.#send(text),
      push: (subscription, result) => this.#push(subscription, result),
      onOverflow: () => this.#endSlow('waiting for an answer'),
    }
    this.#connection = connect(provider, transport, rules, client)
    // The socket closes after an error, with a code that tells the reason.
    socket.on('error', () => {})
    socket.on('ping', (data) => this.#pong(data))
    provider.on('disconnect', () => {
      // Lets the waiting requests be answered first.
      systemClock.yield().then(() => this.end(GOING_AWAY, 'disconnected'))
    })
  }

  get unread(): number {
    return this.#socket.bufferedAmount + MESSAGE_BYTES * this.#unreadMessages
  }

  receive(text: string): Promise<void> {
    return this.#connection.receive(text)
  }

  /** Ends the subscriptions, and fails the waiting requests with 4900. */
  close(): void {
    this.#output.receivers.delete(this)
    this.#provider.close()
  }

  /** Closes the socket with a reason; a client that does not reply is cut off later. */
  end(code: number, reason: string): void {
    this.#connection.close()
    this.#socket.close(code, reason)
  }

  cutOff(): void {
    this.#socket.terminate()
  }

  #send(text: string): void {
    if (this.#begin(text.length)) this.#socket.send(text, {}, this.#onWritten)
  }

  /** Sends a notification. A long one has two fragments; the second is the same buffer for all connections. */
  #push(subscription: string, result: NotificationResult): void {
    const { length } = result.json
    if (!this.#begin(length)) return
    const head = notificationHead(subscription)
    if (length < SHARED_LENGTH) {
      this.#socket.send(head + result.json + NOTIFICATION_TAIL, {}, this.#onWritten)
    } else {
      this.#socket.send(head, { fin: false })
      this.#socket.send(getOrInsert(SHARED_BYTES, result, encodeTail), {}, this.#onWritten)
    }
  }

  #pong(data: Uint8Array): void {
    if (this.#begin(data.length)) this.#socket.pong(data, false, this.#onWritten)
  }

  /** Counts a message, and returns whether it may be sent. Ends the connection if more than `maxQueuedBytes` are queued. */
  #begin(bytes: number): boolean {
    this.#output.makeRoom()
    if (this.#socket.readyState !== OPEN) return false
    if (this.unread > this.#maxQueuedBytes) {
      // A client that reads on finds the reason at the end of the queue.
      this.#endSlow('waiting to be read')
      return false
    }
    this.#unreadMessages += 1
    this.#output.note(bytes)
    this.#gather()
    return true
  }

  /** Gathers the messages of a turn into few writes, as system calls take most of the time. */
  #gather(): void {
    if (this.#isGathering) {
      if (this.#stream.writableLength < GATHERED_BYTES) return
      this.#stream.uncork()
    } else {
      this.#isGathering = true
      nextTick(() => {
        this.#isGathering = false
        this.#stream.uncork()
      })
    }
    this.#stream.cork()
  }

  #endSlow(state: string): void {
    this.end(TRY_AGAIN_LATER, `too slow: more than ${this.#maxQueuedBytes} bytes were ${state}`)
  }
}

/** How many bytes may be gathered before they are written; fewer are written at the end of the turn. */
const GATHERED_BYTES = 65_536

/** From this many characters on, a copy per connection costs more than a second frame. */
const SHARED_LENGTH = 4096

const OPEN = 1
/** Close codes (RFC 6455 and its registry). */
const GOING_AWAY = 1001
const TRY_AGAIN_LATER = 1013

const SHARED_BYTES = new WeakMap<NotificationResult, Uint8Array>()

function encodeTail({ json }: NotificationResult): Uint8Array {
  return new TextEncoder().encode(json + NOTIFICATION_TAIL)
}

interface Receiver {
  /** Unread bytes, plus {@link MESSAGE_BYTES} per message. */
  readonly unread: number
  cutOff(): void
}

/** How many bytes a queued message takes at least, beside its content. */
const MESSAGE_BYTES = 256

/** The output that the clients of one port have not read: answers, notifications and pongs. Owns: its receivers. */
class UnreadOutput {
  readonly #limit: number
  readonly receivers = new Set<Receiver>()
  /** At most this many bytes are unread. Bytes read since the last exact sum are still included. */
  #atMost = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  note(bytes: number): void {
    this.#atMost += bytes + MESSAGE_BYTES
  }

  /** Called before each write. While too much is unread, cuts off the connection with the most unread bytes. */
  makeRoom(): void {
    if (this.#atMost <= this.#limit) return
    const all = [...this.receivers].map((receiver) => ({ receiver, unread: receiver.unread }))
    this.#atMost = all.reduce((sum, { unread }) => sum + unread, 0)
    all.sort((a, b) => b.unread - a.unread)
    for (const { receiver, unread } of all) {
      if (this.#atMost <= this.#limit) return
      this.#atMost -= unread
      receiver.cutOff()
    }
  }
}
