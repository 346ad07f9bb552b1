/**
 * The messages between a page and its chain's worker. The page connects at an endpoint, and the worker creates a
 * channel for it. Channels are ordered: messages posted before an answer arrive before it.
 */

import { InvalidOptionError, PresealError, PresealRpcError } from '../../base/errors.ts'
import type { ResolvedProviderOptions } from '../../base/options/providerOptions.ts'
import { isObject } from '../../base/schema.ts'
import type { DevAccounts, ViewKind } from '../../base/types.ts'
import type { ForwardedName } from '../../chain/forwardCalls.ts'
import { ImportError, ReplayError, VerificationError } from '../../core/import/errors.ts'
import {
  DatabaseHeadError,
  DatabaseInUseError,
  DatabaseOpenError,
  DatabaseStoppedError,
  DatabaseWriteError,
  GenesisMismatchError,
} from '../../core/ledger/errors.ts'
import { ClockNotManualError, NeverIdleError } from '../../core/open/errors.ts'

// Every host has its own types of events.
// biome-ignore lint/suspicious/noExplicitAny: see above
type EndpointListener = (event: any) => void

/** Sends and receives messages: a `Worker`, the scope of a dedicated worker, or a `MessagePort` not started yet. */
export interface Endpoint {
  postMessage(message: unknown, transfer: never[]): void
  addEventListener(type: string, listener: EndpointListener): void
  removeEventListener(type: string, listener: EndpointListener): void
  /** Starts the delivery of messages; absent if none is needed. */
  start?(): void
}

/** A page's or a worker's end of a channel. */
export interface Port extends Endpoint {
  start(): void
  close(): void
}

/** Sent by a page at the endpoint, and again after `ready`, as messages sent before the worker listens are lost. */
export interface ConnectRequest {
  readonly preseal: 'hello'
  /** The page's id, unique at the endpoint. */
  readonly id: number
  /** The name of the lock that the page holds; undefined without locks. See {@link Presence}. */
  readonly lock: string | undefined
  /** The options of the chain; undefined if the page has none. */
  readonly options: unknown
}

/**
 * Sent by the worker at the endpoint: `ready` when it begins to listen, `heard` for each request at once. `lock` is the
 * name of the lock that the worker holds while it accepts pages; undefined without locks.
 */
export type ConnectResponse =
  | { readonly preseal: 'ready'; readonly lock: string | undefined }
  | { readonly preseal: 'heard'; readonly id: number; readonly lock: string | undefined }
  | Welcome
  | { readonly preseal: 'refused'; readonly id: number; readonly error: CarriedError }

/** Accepts a {@link ConnectRequest}. */
export interface Welcome {
  readonly preseal: 'welcome'
  readonly id: number
  readonly port: Port
  /** The name of the lock that the worker holds until the page has left; undefined without locks. */
  readonly lock: string | undefined
  readonly accounts: DevAccounts
  /** Whether the chain was created for this page, and is closed with its connection. */
  readonly own: boolean
}

/** The methods of a chain that a page may call. */
export type RemoteCall =
  | ForwardedName
  | 'start'
  | 'stop'
  | 'missedTicks'
  | 'advance'
  | 'close'
  | 'chainId'
  | 'schedule'
  | 'currentFaults'
  | 'setFaults'
  | 'clearFaults'

/** The subject of a message: {@link CHAIN}, or a connection by its number. */
export type Target = number

/** The chain as a target; its connections are numbered from 1. */
export const CHAIN: Target = 0

/** A message of a page on its channel. Only a `call` is answered. */
export type FromPage =
  | {
      readonly type: 'open'
      readonly target: Target
      readonly view: ViewKind
      readonly options: ResolvedProviderOptions
    }
  | {
      readonly type: 'call'
      readonly target: Target
      readonly id: number
      readonly method: string
      readonly args: readonly unknown[]
    }
  | { readonly type: 'listen'; readonly target: Target; readonly event: string; readonly on: boolean }
  /** Closes a connection; for {@link CHAIN}, the channel. */
  | { readonly type: 'close'; readonly target: Target }

/** A message of the worker on a channel. `result` and `failure` answer the call with the `id`. */
export type FromWorker =
  | { readonly type: 'result'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly error: CarriedError }
  | {
      readonly type: 'event'
      readonly target: Target
      readonly event: string
      readonly values: readonly Carried[]
    }
  | { readonly type: 'end' }

/** Emitted by the chain's providers when the chain id changes. */
export const CHAIN_CHANGED = 'chainChanged'

/** Emitted by the chain's providers when the chain ends. */
export const CHAIN_CLOSED = 'disconnect'

/** Emitted by the chain when its block time or preconf interval changes. */
export const SCHEDULE_CHANGED = 'schedule'

/** Events that the worker always sends, since they must not be missed. */
export const ALWAYS_FORWARDED = { chain: 'error', connection: 'disconnect' } as const

/** Whether a value is an {@link Endpoint}. A window is not accepted, since any page can send messages to it. */
export function isEndpoint(value: Endpoint): boolean {
  return typeof value?.postMessage === 'function' && 'addEventListener' in value && !('document' in value)
}

/** Whether a message at an endpoint belongs to this protocol; if not, it is the user's. */
export function isProtocolMessage(message: unknown): message is ConnectRequest | ConnectResponse {
  return isObject(message) && 'preseal' in message
}

// The presence of a channel's sides. Browsers have no event for a terminated worker or a closed page, but release its
// lock (Web Locks). Pages without HTTPS, except on loopback, have no locks, so only a `close` is noticed.

/** A lock that this side holds to show the opposite side that it is present. */
export interface Presence {
  readonly lock: string
  end(): void
}

/** Holds a lock from now on; resolves to undefined if locks are not available. */
export function showPresence(lock: string): Promise<Presence | undefined> {
  const locks = typeof navigator === 'undefined' ? undefined : navigator.locks
  return new Promise((resolve) => {
    if (locks === undefined) return resolve(undefined)
    const hold = () => new Promise<void>((release) => resolve({ lock, end: release }))
    locks.request(lock, hold).catch(() => resolve(undefined))
  })
}

/** Calls `onAbsent` when the holder of the lock is gone; never if `lock` is undefined. */
export function awaitAbsence(lock: string | undefined, onAbsent: () => void): void {
  if (lock === undefined) return
  // If the browser refuses the request, as in a worker of an opaque origin, only a `close` is noticed.
  navigator?.locks?.request(lock, () => {}).then(onAbsent, () => {})
}

declare const navigator:
  | { readonly locks?: { request(name: string, callback: () => unknown): Promise<unknown> } }
  | undefined

// Conversion of errors to messages and back: structured clone alone loses the class and the code of an `Error`.

/** An error in a message, which {@link reviveError} restores. */
export interface CarriedError {
  readonly class: keyof typeof CLASSES
  readonly message: string
  readonly stack: string | undefined
  /** All further fields: name, code, data, details, cause, and so on. */
  readonly fields: Readonly<Record<string, Carried>>
}

/** A value in a message, or an error with its class. */
export type Carried = { readonly value: unknown } | { readonly error: CarriedError }

/** The classes of errors, the more specific first. */
const CLASSES = {
  ClockNotManualError,
  DatabaseHeadError,
  DatabaseInUseError,
  DatabaseOpenError,
  DatabaseStoppedError,
  DatabaseWriteError,
  GenesisMismatchError,
  ImportError,
  InvalidOptionError,
  NeverIdleError,
  ReplayError,
  VerificationError,
  PresealRpcError,
  PresealError,
  Error,
} as const

/** Converts a value for a message; anything but an `Error` is left to structured clone. */
export function carry(value: unknown): Carried {
  return value instanceof Error ? { error: carryError(value) } : { value }
}

/** Restores the value of a message. An error gets back its class. */
export function revive(carried: Carried): unknown {
  return 'error' in carried ? reviveError(carried.error) : carried.value
}

/** Converts an error for a message, without fields that structured clone refuses or that refer to errors around it. */
export function carryError(error: Error, within: readonly Error[] = []): CarriedError {
  const { name, message, stack, cause } = error
  const names = Object.keys(CLASSES) as (keyof typeof CLASSES)[]
  const fields: Record<string, Carried> = {}
  const known = [...within, error]
  for (const [field, value] of Object.entries({ ...error, name, ...(cause !== undefined && { cause }) })) {
    if (value instanceof Error) {
      if (!known.includes(value)) fields[field] = { error: carryError(value, known) }
    } else if (isCloneable(value)) {
      fields[field] = { value }
    }
  }
  return { class: names.find((one) => error instanceof CLASSES[one])!, message, stack, fields }
}

function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}

/** Creates the error of a message, as an instance of its public class and with its name. */
export function reviveError({ class: name, message, stack, fields }: CarriedError): Error {
  const error = Object.setPrototypeOf(new Error(message), CLASSES[name].prototype) as Error
  // The sender's stack is more useful than this side's.
  if (stack !== undefined) error.stack = stack
  for (const [field, carried] of Object.entries(fields)) {
    const value = revive(carried)
    if (Reflect.get(error, field) !== value) Reflect.set(error, field, value)
  }
  return error
}
