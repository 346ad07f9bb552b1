/** The page's end of a channel. Owns: the channel, the calls that wait for an answer, and the receivers of events. */

import { Emitter } from '../../base/emitter.ts'
import type { PresealRpcError } from '../../base/errors.ts'
import { type ProviderOptions, resolveProviderOptions } from '../../base/options/providerOptions.ts'
import type { Hex, ViewKind } from '../../base/types.ts'
import { DisconnectedError } from '../../core/sequencer/errors.ts'
import { InvalidRequestError } from '../../rpc/errors.ts'
import type { Provider, ProviderEvents } from '../../rpc/provider.ts'
import { givesUp } from '../../rpc/services.ts'
import { WorkerFailedError } from './errors.ts'
import {
  ALWAYS_FORWARDED,
  CHAIN,
  type FromPage,
  type FromWorker,
  type Port,
  revive,
  reviveError,
  type Target,
} from './protocol.ts'

/** Receives the events of a target. */
export interface Attached {
  onEvent(event: string, values: readonly unknown[]): void
  /** Called when the channel ends. */
  onEnd(error: PresealRpcError): void
}

/** Calls the methods of the worker's chain, and passes events to their receivers. */
export class Link {
  readonly #port: Port
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  readonly attached = new Map<Target, Attached>()
  /** The number of calls so far. */
  calls = 0
  lastTarget = CHAIN
  ended = false

  constructor(port: Port) {
    this.#port = port
    port.addEventListener('message', ({ data }: { readonly data: FromWorker }) => this.#receive(data))
    port.addEventListener('messageerror', () => this.end(new WorkerFailedError('a message cannot be read')))
    // Some hosts emit this if the worker is gone without a last message.
    port.addEventListener('close', () => this.end())
    port.start()
  }

  /** Sends a message; does nothing when the channel has ended. */
  post(message: FromPage): void {
    if (!this.ended) this.#port.postMessage(message, [])
  }

  /** Calls a method of a target. @throws its error, DisconnectedError, InvalidRequestError if `args` cannot be cloned */
  call(target: Target, method: string, ...args: readonly unknown[]): Promise<unknown> {
    if (this.ended) return Promise.reject(new DisconnectedError())
    this.calls += 1
    const id = this.calls
    return new Promise((resolve, reject) => {
      try {
        this.post({ type: 'call', target, id, method, args })
        this.#waiting.set(id, { resolve, reject })
      } catch {
        reject(new InvalidRequestError('values that structured clone can copy'))
      }
    })
  }

  /** Ends the channel: calls under way reject with an error that has code 4900 and this `cause`. */
  end(cause?: Error): void {
    if (this.ended) return
    this.post({ type: 'close', target: CHAIN })
    this.ended = true
    this.#port.close()
    const error = new DisconnectedError({ cause })
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
    for (const { onEnd } of [...this.attached.values()].reverse()) onEnd(error)
    this.attached.clear()
  }

  #receive(message: FromWorker): void {
    if (this.ended) return
    if (message.type === 'event') {
      this.attached.get(message.target)?.onEvent(message.event, message.values.map(revive))
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

/** Opens a connection to the chain. Without a `chainId`, the returned provider is closed. @throws InvalidOptionError */
export function connectProvider(
  link: Link,
  chainId: Hex | undefined,
  view: ViewKind,
  options: ProviderOptions | undefined,
  onListenerError: (error: Error) => void,
): Provider {
  const resolved = resolveProviderOptions(view, options)
  link.lastTarget += 1
  const target = link.lastTarget
  const events = createRemoteEvents<ProviderEvents>(
    onListenerError,
    (event, on) => link.post({ type: 'listen', target, event, on }),
    ['connect', ALWAYS_FORWARDED.connection],
  )
  let closed = chainId === undefined
  /** Whether the first event was emitted: `connect`, or `disconnect` if the connection was closed by then. */
  let isAnnounced = false
  const emitEnd = (error: PresealRpcError): void => {
    events.emit('disconnect', error)
    events.clear()
  }
  const end = (error: PresealRpcError): void => {
    if (closed) return
    closed = true
    link.attached.delete(target)
    if (isAnnounced) emitEnd(error)
  }
  if (!closed) {
    link.attached.set(target, {
      onEvent(event, values) {
        if (event === ALWAYS_FORWARDED.connection) end(values[0] as PresealRpcError)
        else events.emit(event as 'message', ...(values as Parameters<ProviderEvents['message']>))
      },
      onEnd: end,
    })
    link.post({ type: 'open', target, view, options: resolved })
  }
  // The worker's `connect` would be missed, since it is emitted before the page listens. So the page emits it here.
  queueMicrotask(() => {
    isAnnounced = true
    if (closed || chainId === undefined) emitEnd(new DisconnectedError())
    else events.emit('connect', { chainId })
  })

  const provider = {
    request(args: unknown): Promise<unknown> {
      const answer = closed ? Promise.reject(new DisconnectedError()) : link.call(target, 'request', args)
      return givesUp(args) ? answer.catch(succeedIfEnded) : answer
    },
    on(event: string, listener: () => void) {
      events.on(event as 'message', listener)
      return provider
    },
    removeListener(event: string, listener: () => void) {
      events.off(event as 'message', listener)
      return provider
    },
    get closed() {
      return closed
    },
    close() {
      // The worker answers requests under way with 4900.
      link.post({ type: 'close', target })
      end(new DisconnectedError())
    },
  }
  return provider as unknown as Provider
}

/** Returns true for a filter or subscription that has ended with the connection. */
function succeedIfEnded(error: unknown): true {
  if (error instanceof DisconnectedError) return true
  throw error
}

/** Creates an emitter that calls `listen` when the worker is to start or stop sending an event. */
export function createRemoteEvents<Events extends { [Event in keyof Events]: (...values: never[]) => void }>(
  onError: (error: Error, event: keyof Events & string) => void,
  listen: (event: string, on: boolean) => void,
  alwaysSent: readonly string[],
): Emitter<Events> {
  let before = new Set<string>()
  const events = new Emitter<Events>(onError, () => {
    const now = new Set(events.names().filter((event) => !alwaysSent.includes(event)))
    for (const event of before) if (!now.has(event)) listen(event, false)
    for (const event of now) if (!before.has(event)) listen(event, true)
    before = now
  })
  return events
}
