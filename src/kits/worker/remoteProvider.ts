/** A provider on the page, with its own connection to a chain in a worker. */

import { Emitter } from '../../base/emitter.ts'
import type { PresealRpcError } from '../../base/errors.ts'
import { type ProviderOptions, resolveProviderOptions } from '../../base/options/providerOptions.ts'
import type { Hex, ViewKind } from '../../base/types.ts'
import { DisconnectedError } from '../../core/sequencer/errors.ts'
import type { Provider, ProviderEvents } from '../../rpc/provider.ts'
import { givesUp } from '../../rpc/subscriptions/givesUp.ts'
import type { Link } from './link.ts'
import { ALWAYS_FORWARDED } from './protocol.ts'

/**
 * Opens a connection: requests and listeners on the page are passed to the worker.
 *
 * @param chainId - undefined if the chain or the channel has ended: then no connection is opened.
 * @param onListenerError - receives errors thrown by listeners.
 * @throws InvalidOptionError
 */
export function connectProvider(
  link: Link,
  chainId: Hex | undefined,
  view: ViewKind,
  options: ProviderOptions | undefined,
  onListenerError: (error: Error) => void,
): Provider {
  const resolved = resolveProviderOptions(view, options)
  const target = link.nextTarget()
  const events = createRemoteEvents<ProviderEvents>(
    onListenerError,
    (event, on) => link.post({ type: 'listen', target, event, on }),
    ['connect', ALWAYS_FORWARDED.connection],
  )
  let closed = chainId === undefined
  /** Whether `connect` was emitted, or `disconnect` instead of it if the connection had ended by then. */
  let isAnnounced = false
  const emitEnd = (error: PresealRpcError): void => {
    events.emit('disconnect', error)
    events.clear()
  }
  const end = (error: PresealRpcError): void => {
    if (closed) return
    closed = true
    link.detach(target)
    if (isAnnounced) emitEnd(error)
  }
  if (!closed) {
    link.attach(target, {
      onEvent(event, values) {
        if (event === ALWAYS_FORWARDED.connection) end(values[0] as PresealRpcError)
        else events.emit(event as 'message', ...(values as Parameters<ProviderEvents['message']>))
      },
      onEnd: end,
    })
    link.post({ type: 'open', target, view, options: resolved })
  }
  // Emitted here: the worker's provider emits its own before a listener of the page can be added there.
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

/** The answer to a request that gives up what has ended with the connection. @throws any other error */
function succeedIfEnded(error: unknown): true {
  if (error instanceof DisconnectedError) return true
  throw error
}

// Events of the worker on the page: except for a few, only those with a listener on the page are sent.

/**
 * Creates an emitter of the worker's events.
 *
 * @param onError - receives errors thrown by listeners.
 * @param listen - starts or stops the sending of an event.
 * @param alwaysSent - the events that are sent in any case.
 */
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
