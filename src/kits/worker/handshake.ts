/** The page's side of connecting to a worker, which may not listen yet, or may never do so. */

import { toError } from '../../base/emitter.ts'
import { InvalidOptionError } from '../../base/errors.ts'
import { check } from '../../base/options/option.ts'
import { DisconnectedError } from '../../core/sequencer/errors.ts'
import { reviveError } from './errorMessages.ts'
import { WorkerFailedError } from './errors.ts'
import { awaitAbsence, type Presence, showPresence } from './presence.ts'
import {
  type ConnectRequest,
  type Endpoint,
  isEndpoint,
  isProtocolMessage,
  type Welcome,
} from './protocol.ts'
import type { RemoteChainOptions, RemoteForkOptions } from './servedChain.ts'

/** The result of a handshake: the worker's response, and the presence of the page. */
export interface Handshake {
  readonly welcome: Welcome
  readonly presence: Presence | undefined
}

/**
 * Requests a channel from the worker.
 *
 * @param signal - ends the attempt.
 * @throws DisconnectedError if the worker fails or is terminated, or the signal is aborted; InvalidOptionError, and the error
 *   with which the worker refuses.
 */
export async function handshake(
  endpoint: Endpoint,
  options: RemoteChainOptions | undefined,
  signal: Abortion | undefined,
): Promise<Handshake> {
  check(isEndpoint(endpoint), 'endpoint', 'a Worker, or a MessagePort such as that of a SharedWorker')
  check(
    signal === undefined || typeof Object(signal).addEventListener === 'function',
    'signal',
    'an AbortSignal',
  )
  checkFork(options?.fork)
  if (signal?.aborted === true) throw new DisconnectedError({ cause: toError(signal.reason) })
  const id = Math.random()
  // The request is sent once the page's presence is visible; the worker may fail before that.
  let request: ConnectRequest | undefined
  let removeListeners = (): void => {}
  const answer = new Promise<Welcome>((resolve, reject) => {
    const fail = (cause: Error): void => reject(new DisconnectedError({ cause }))
    const watched = new Set<string | undefined>()
    const watch = (lock: string | undefined): void => {
      if (watched.has(lock)) return
      watched.add(lock)
      awaitAbsence(lock, () => fail(new WorkerFailedError('it was terminated')))
    }
    const onAbort = (): void => fail(toError(signal!.reason))
    const listeners: Readonly<Record<string, (event: unknown) => void>> = {
      message(event) {
        const { data } = event as { readonly data: unknown }
        if (!isProtocolMessage(data) || data.preseal === 'hello') return
        if (data.preseal === 'ready') {
          watch(data.lock)
          if (request !== undefined) endpoint.postMessage(request, [])
        } else if (data.id === id) {
          if (data.preseal === 'heard') watch(data.lock)
          else if (data.preseal === 'welcome') resolve(data)
          else reject(reviveError(data.error))
        }
      },
      error: (event) => fail(toFailure(event)),
      messageerror: () => fail(new WorkerFailedError('a message cannot be read')),
      close: () => fail(new WorkerFailedError('the channel was closed')),
    }
    for (const [type, listener] of Object.entries(listeners)) endpoint.addEventListener(type, listener)
    signal?.addEventListener('abort', onAbort)
    removeListeners = () => {
      signal?.removeEventListener('abort', onAbort)
      for (const [type, listener] of Object.entries(listeners)) endpoint.removeEventListener(type, listener)
    }
    endpoint.start?.()
  })
  const showing = showPresence(`preseal ${id}`)
  const sendRequest = async (): Promise<Welcome> => {
    request = { preseal: 'hello', id, lock: (await showing)?.lock, options }
    try {
      endpoint.postMessage(request, [])
    } catch {
      throw new InvalidOptionError(
        'options',
        'values that structured clone can copy, so no clock, and databases only by their names',
      )
    }
    return answer
  }
  try {
    const welcome = await Promise.race([answer, sendRequest()])
    return { welcome, presence: await showing }
  } catch (error) {
    void showing.then((presence) => presence?.end())
    throw error
  } finally {
    removeListeners()
  }
}

/** The part of an AbortSignal that is used; a structural type, since projects for Node alone have no DOM types. */
export interface Abortion {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Structured clone copies some providers and databases without their methods, so they are refused by name. */
function checkFork(fork: RemoteForkOptions | undefined): void {
  const { provider, cache } = Object(fork) as { readonly provider?: unknown; readonly cache?: unknown }
  check(
    provider === undefined,
    'fork.provider',
    'no value, since a provider cannot be sent to a worker; use fork.url',
  )
  const isSent = cache === undefined || typeof cache === 'string' || 'text' in Object(cache)
  check(isSent, 'fork.cache', 'the name of an IndexedDB database, or { text }')
}

/** The error for a host's `error` event: the worker could not be loaded, or threw an uncaught error. */
export function toFailure(event: unknown): WorkerFailedError {
  const { message, error } = event as { readonly message?: string; readonly error?: unknown }
  return new WorkerFailedError(message, { cause: error })
}
