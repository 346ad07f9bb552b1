/**
 * The messages between a page and the worker of its chain. The page connects at an endpoint; the worker then creates a
 * channel for this page. A channel is ordered: what was posted before an answer arrives before it.
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
import { ClockNotManualError } from '../../core/open/errors.ts'

// Every host has its own types of events.
// biome-ignore lint/suspicious/noExplicitAny: see above
type EndpointListener = (event: any) => void

/** Sends and receives messages: a `Worker`, the scope of a dedicated worker, or a `MessagePort` that was not started. */
export interface Endpoint {
  postMessage(message: unknown, transfer: never[]): void
  addEventListener(type: string, listener: EndpointListener): void
  removeEventListener(type: string, listener: EndpointListener): void
  /** Starts the delivery of messages; absent if they are delivered without it. */
  start?(): void
}

/** The half of a channel that a page or a worker holds. */
export interface Port extends Endpoint {
  start(): void
  close(): void
}

/** Sent by a page at the endpoint, and again after each `ready`: messages sent before the worker listens are lost. */
export interface ConnectRequest {
  readonly preseal: 'hello'
  /** The page's id, unique at the endpoint. */
  readonly id: number
  /** The name of the lock that the page holds, see {@link Presence}. */
  readonly lock: string | undefined
  /** The options of the chain; undefined for the worker's own. */
  readonly options: unknown
}

/**
 * Sent by the worker at the endpoint. Once it listens, it is `ready`; a request is `heard` at once, since the chain may take a
 * while. Both have the name of the lock that the worker holds as long as it answers, if there are locks.
 */
export type ConnectResponse =
  | { readonly preseal: 'ready'; readonly lock: string | undefined }
  | { readonly preseal: 'heard'; readonly id: number; readonly lock: string | undefined }
  | Welcome
  | { readonly preseal: 'refused'; readonly id: number; readonly error: CarriedError }

/** The worker's answer to a {@link ConnectRequest} that it accepts. */
export interface Welcome {
  readonly preseal: 'welcome'
  readonly id: number
  readonly port: Port
  /** The name of the lock that the worker holds until the page has left. */
  readonly lock: string | undefined
  readonly accounts: DevAccounts
  /** Whether the chain was made for this page, and ends with it. */
  readonly own: boolean
}

/** The methods of the chain itself that a page may call. */
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

/** The target of a call: the chain, or one of the page's connections by number. */
export type Target = number

/** The chain itself; connections have the numbers after it. */
export const CHAIN: Target = 0

/** Sent by a page over its channel. */
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
  /** Closes a connection; for the chain, the channel. */
  | { readonly type: 'close'; readonly target: Target }

/** Sent by the worker over a page's channel. */
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

/** The event of the chain's providers for a new chain id. */
export const CHAIN_CHANGED = 'chainChanged'

/** The event of the chain's providers for the end of the chain. */
export const CHAIN_CLOSED = 'disconnect'

/** The event of the chain for a new block time, which may also change the interval of snapshots. */
export const SCHEDULE_CHANGED = 'schedule'

/** Events that the worker always sends, since they must not be missed. */
export const ALWAYS_FORWARDED: Readonly<Record<'chain' | 'connection', string>> = {
  chain: 'error',
  connection: 'disconnect',
}

/** Whether a value is an {@link Endpoint}. A window is not: messages of other pages arrive there too. */
export function isEndpoint(value: Endpoint): boolean {
  return typeof value?.postMessage === 'function' && 'addEventListener' in value && !('document' in value)
}

/** Whether a message at an endpoint belongs to this protocol; others are the user's. */
export function isProtocolMessage(message: unknown): message is ConnectRequest | ConnectResponse {
  return isObject(message) && 'preseal' in message
}

// Whether the other side of a channel still exists. Browsers have no event for a terminated worker or a page that was left, but
// release its lock (Web Locks). Pages without HTTPS, except on loopback, have no locks; there only a `close` is noticed.

/** The presence of this side, visible to the other side. */
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
    // Pages of an opaque origin are refused.
    locks.request(lock, hold).catch(() => resolve(undefined))
  })
}

/** Calls back once the side that holds the lock has gone; never if it has no lock. */
export function awaitAbsence(lock: string | undefined, onAbsent: () => void): void {
  if (lock === undefined) return
  // Refused, for example, in a worker of an opaque origin: then only a `close` is noticed.
  navigator?.locks?.request(lock, () => {}).then(onAbsent, () => {})
}

declare const navigator:
  | { readonly locks?: { request(name: string, callback: () => unknown): Promise<unknown> } }
  | undefined

// Conversion of errors to messages and back: structured clone alone loses the class and the code of an `Error`.

/** An error as part of a message. */
export interface CarriedError {
  readonly class: keyof typeof CLASSES
  readonly message: string
  readonly stack: string | undefined
  /** Everything else it holds: name, code, data, details, cause, and so on. */
  readonly fields: Readonly<Record<string, Carried>>
}

/** A value as part of a message. */
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
  ReplayError,
  VerificationError,
  PresealRpcError,
  PresealError,
  Error,
} as const

/** Converts a value to its form in a message. */
export function carry(value: unknown): Carried {
  return value instanceof Error ? { error: carryError(value) } : { value }
}

/** Converts the form of a value in a message back. */
export function revive(carried: Carried): unknown {
  return 'error' in carried ? reviveError(carried.error) : carried.value
}

/** Converts an error to its form in a message, without properties that structured clone refuses, and without cycles. */
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
  return {
    class: names.find((candidate) => error instanceof CLASSES[candidate])!,
    message,
    stack,
    fields,
  }
}

function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}

/** Converts the form of an error in a message back: an instance of the public class, with the error's own name. */
export function reviveError({ class: name, message, stack, fields }: CarriedError): Error {
  const error = Object.setPrototypeOf(new Error(message), CLASSES[name].prototype) as Error
  // The stack of the side that threw it is more useful than this side's.
  if (stack !== undefined) error.stack = stack
  for (const [field, carried] of Object.entries(fields)) {
    const value = revive(carried)
    if (Reflect.get(error, field) !== value) Reflect.set(error, field, value)
  }
  return error
}
