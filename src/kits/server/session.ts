/**
 * One WebSocket of the Node server and its connection.
 *
 * Owns: what is gathered before it is written, and the count of what waits to be read.
 */

import type { WebSocket } from 'ws'
import { systemClock } from '../../base/clock.ts'
import type { Provider } from '../../rpc/provider.ts'
import { type Connection, connect, type NotificationResult } from './connection.ts'
import { NOTIFICATION_TAIL, notificationHead } from './envelope.ts'
import type { ServeRules } from './options.ts'

/** The part of a stream that gathers what is written. */
interface Gathering {
  readonly writableLength: number
  cork(): void
  uncork(): void
}

/** What a session works with. */
export interface SessionParts {
  readonly socket: WebSocket
  /** What `socket` writes to. */
  readonly stream: Gathering
  /** Calls a function at the end of the turn of the event loop. */
  readonly atTurnEnd: (call: () => void) => void
  readonly provider: Provider
  readonly rules: ServeRules
  readonly output: UnreadOutput
}

/** See the file's header. */
export class Session implements Receiver {
  readonly #socket: WebSocket
  readonly #stream: Gathering
  readonly #atTurnEnd: SessionParts['atTurnEnd']
  readonly #provider: Provider
  readonly #connection: Connection
  readonly #maxQueuedBytes: number
  readonly #output: UnreadOutput
  /** Messages that wait to be read. */
  #waiting = 0
  readonly #onWritten = (): void => {
    this.#waiting -= 1
  }
  #isGathering = false

  constructor({ socket, stream, atTurnEnd, provider, rules, output }: SessionParts) {
    this.#socket = socket
    this.#stream = stream
    this.#atTurnEnd = atTurnEnd
    this.#provider = provider
    this.#maxQueuedBytes = rules.maxQueuedBytes
    this.#output = output
    output.add(this)
    const transport = {
      send: (text: string) => this.#send(text),
      push: (subscription: string, result: NotificationResult) => this.#push(subscription, result),
      onOverflow: () => {
        this.end(
          TRY_AGAIN_LATER,
          `too slow: more than ${this.#maxQueuedBytes} bytes were waiting for an answer`,
        )
      },
    }
    this.#connection = connect(provider, transport, rules)
    // An error also closes the socket, with a code that says why.
    socket.on('error', () => {})
    socket.on('ping', (data) => this.#pong(data))
    provider.on('disconnect', () => {
      // Yields first, so that the answers to the waiting requests are sent.
      systemClock.yield().then(() => this.end(GOING_AWAY, 'disconnected'))
    })
  }

  get unread(): number {
    return this.#socket.bufferedAmount + MESSAGE_BYTES * this.#waiting
  }

  receive(text: string): Promise<void> {
    return this.#connection.receive(text)
  }

  /** Ends the requests that wait, which are answered with 4900, and the subscriptions. */
  close(): void {
    this.#output.delete(this)
    this.#provider.close()
  }

  /** Closes the socket with a reason, after which nothing is sent; a client that never replies is cut off later. */
  end(code: number, reason: string): void {
    this.#connection.close()
    this.#socket.close(code, reason)
  }

  cutOff(): void {
    this.#socket.terminate()
  }

  #send(text: string): void {
    if (!this.#mayQueue()) return
    this.#gather(text.length)
    this.#socket.send(text, {}, this.#onWritten)
  }

  /** Sends a long notification in two fragments: the second is one buffer for all connections, never copied. */
  #push(subscription: string, result: NotificationResult): void {
    if (!this.#mayQueue()) return
    const { length } = result.json
    this.#gather(length)
    const head = notificationHead(subscription)
    if (length < SHARED_LENGTH) {
      this.#socket.send(head + result.json + NOTIFICATION_TAIL, {}, this.#onWritten)
    } else {
      this.#socket.send(head, { fin: false })
      this.#socket.send(toSharedBytes(result), {}, this.#onWritten)
    }
  }

  #pong(data: Uint8Array): void {
    if (!this.#mayQueue()) return
    this.#gather(data.length)
    this.#socket.pong(data, false, this.#onWritten)
  }

  /**
   * Counts a message that is about to be sent. What is sent in one turn of the event loop is written at once, since a system
   * call for each message would take most of its time.
   */
  #gather(bytes: number): void {
    this.#waiting += 1
    this.#output.note(bytes)
    if (this.#isGathering) {
      if (this.#stream.writableLength < GATHERED_BYTES) return
      this.#stream.uncork()
    } else {
      this.#isGathering = true
      this.#atTurnEnd(() => {
        this.#isGathering = false
        this.#stream.uncork()
      })
    }
    this.#stream.cork()
  }

  /** Whether a message may be sent; ends the connection if too much is queued, whatever the message's length. */
  #mayQueue(): boolean {
    this.#output.makeRoom()
    if (this.#socket.readyState !== OPEN) return false
    if (this.unread <= this.#maxQueuedBytes) return true
    // A client that still reads the queue finds the reason at its end.
    this.end(TRY_AGAIN_LATER, `too slow: more than ${this.#maxQueuedBytes} bytes were waiting to be read`)
    return false
  }
}

/** How much waits at most for the end of the turn. */
const GATHERED_BYTES = 65_536

/** The number of characters from which a copy for each connection costs more than a second frame. */
const SHARED_LENGTH = 4096

const OPEN = 1
/** Close codes of RFC 6455 and its registry. */
export const GOING_AWAY = 1001
const TRY_AGAIN_LATER = 1013

// Long notifications, encoded once for all connections.

const SHARED_BYTES = new WeakMap<NotificationResult, Uint8Array>()

/** The bytes of a notification from its result on. */
export function toSharedBytes(result: NotificationResult): Uint8Array {
  let bytes = SHARED_BYTES.get(result)
  if (bytes === undefined) {
    bytes = new TextEncoder().encode(result.json + NOTIFICATION_TAIL)
    SHARED_BYTES.set(result, bytes)
  }
  return bytes
}

/**
 * What the clients of one port have not read yet: the answers, notifications and pongs that wait in this process.
 *
 * Owns: which connections it is summed over. Does not own the connections.
 */

/** A connection as the sum sees it. */
export interface Receiver {
  /** The bytes that wait to be read, with {@link MESSAGE_BYTES} for each message. */
  readonly unread: number
  /** Ends the connection at once, with all that waits. */
  cutOff(): void
}

/** What a message that waits takes beside its own bytes, at least. */
export const MESSAGE_BYTES = 256

/** See the file's header. */
export class UnreadOutput {
  readonly #limit: number
  readonly #receivers = new Set<Receiver>()
  /** No less than what waits: what was read since the last sum is not subtracted. */
  #atMost = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(receiver: Receiver): void {
    this.#receivers.add(receiver)
  }

  delete(receiver: Receiver): void {
    this.#receivers.delete(receiver)
  }

  /** Notes that a message of so many bytes waits. */
  note(bytes: number): void {
    this.#atMost += bytes + MESSAGE_BYTES
  }

  /** Called before a message is written: while more than the limit waits, cuts off the connection with most of it. */
  makeRoom(): void {
    if (this.#atMost <= this.#limit) return
    const all = [...this.#receivers].map((receiver) => ({ receiver, unread: receiver.unread }))
    this.#atMost = all.reduce((sum, { unread }) => sum + unread, 0)
    all.sort((a, b) => b.unread - a.unread)
    for (const { receiver, unread } of all) {
      if (this.#atMost <= this.#limit) return
      this.#atMost -= unread
      receiver.cutOff()
    }
  }
}
