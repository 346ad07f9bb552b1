/**
 * The page's end of its channel.
 *
 * Owns: the channel, the calls that wait for an answer, and the receivers of events.
 */
import type { PresealRpcError } from '../../base/errors.ts'
import { DisconnectedError } from '../../core/sequencer/errors.ts'
import { InvalidRequestError } from '../../rpc/errors.ts'
import { revive, reviveError } from './errorMessages.ts'
import { WorkerFailedError } from './errors.ts'
import { CHAIN, type FromPage, type FromWorker, type Port, type Target } from './protocol.ts'

/** The receivers of a target's events. */
export interface Attached {
  onEvent(event: string, values: readonly unknown[]): void
  /** The channel has ended. */
  onEnd(error: PresealRpcError): void
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** See the file's header. */
export class Link {
  readonly #port: Port
  readonly #waiting = new Map<number, Waiting>()
  readonly #attached = new Map<Target, Attached>()
  #lastId = 0
  #lastTarget = CHAIN
  #ended = false

  constructor(port: Port) {
    this.#port = port
    port.addEventListener('message', ({ data }: { readonly data: FromWorker }) => this.#receive(data))
    port.addEventListener('messageerror', () => this.end(new WorkerFailedError('a message cannot be read')))
    // Some hosts emit this if the worker has gone without a last message.
    port.addEventListener('close', () => this.end())
    port.start()
  }

  /** Whether the channel has ended. */
  get ended(): boolean {
    return this.#ended
  }

  /** The number of calls so far. */
  get calls(): number {
    return this.#lastId
  }

  /** The number of a new target. */
  nextTarget(): Target {
    this.#lastTarget += 1
    return this.#lastTarget
  }

  /** Passes the events of a target to `attached` from now on. */
  attach(target: Target, attached: Attached): void {
    this.#attached.set(target, attached)
  }

  /** Removes the receiver of a target's messages. */
  detach(target: Target): void {
    this.#attached.delete(target)
  }

  /** Sends a message that has no answer; does nothing once the channel has ended. */
  post(message: FromPage): void {
    if (!this.#ended) this.#port.postMessage(message, [])
  }

  /**
   * Calls a method of a target.
   *
   * @throws what the method throws, as an instance of its public class; InvalidRequestError if `args` cannot be cloned,
   *   DisconnectedError if the channel ends.
   */
  call(target: Target, method: string, ...args: readonly unknown[]): Promise<unknown> {
    if (this.#ended) return Promise.reject(new DisconnectedError())
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      try {
        this.post({ type: 'call', target, id, method, args })
        this.#waiting.set(id, { resolve, reject })
      } catch {
        reject(new InvalidRequestError('values that structured clone can copy'))
      }
    })
  }

  /** Ends the channel: calls under way reject with 4900, and with the `cause` if there is one. */
  end(cause?: Error): void {
    if (this.#ended) return
    this.post({ type: 'close', target: CHAIN })
    this.#ended = true
    this.#port.close()
    const error = new DisconnectedError({ cause })
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
    for (const { onEnd } of [...this.#attached.values()].reverse()) onEnd(error)
    this.#attached.clear()
  }

  #receive(message: FromWorker): void {
    if (this.#ended) return
    if (message.type === 'event') {
      this.#attached.get(message.target)?.onEvent(message.event, message.values.map(revive))
    } else if (message.type === 'end') {
      this.end()
    } else {
      const waiting = this.#waiting.get(message.id)
      this.#waiting.delete(message.id)
      if (message.type === 'result') waiting?.resolve(message.value)
      else waiting?.reject(reviveError(message.error))
    }
  }
}
