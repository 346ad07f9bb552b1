/** Forwards messages of providers' subscriptions. A separate module, so that a server imports no code of a chain. */
import type { Emitter } from '../../base/emitter.ts'
import type { Hex } from '../../base/types.ts'
import type { Emission } from './feed.ts'

/** Internal event of this library's providers, emitted before `message`. */
export interface Notifications {
  notification(subscription: Hex, emission: Emission): void
}

interface Messages {
  on(event: 'message', listener: (message: Message) => void): unknown
  removeListener(event: 'message', listener: (message: Message) => void): unknown
}

interface Message {
  readonly data: { readonly subscription: string; readonly result: unknown }
}

// In the global registry of symbols, because a server has its own copy of this module.
const NOTIFICATIONS = Symbol.for('preseal.notifications')

const RESUME = Symbol.for('preseal.resume')

/** A subscription of an earlier connection or run: its id, and the params of its eth_subscribe. */
export interface ResumedSubscription {
  readonly id: Hex
  readonly params: readonly [kind: string, option?: unknown]
}

/** A provider of this library, with its internal parts. */
interface OwnProvider {
  readonly [NOTIFICATIONS]?: Emitter<Notifications>
  readonly [RESUME]?: (subscription: ResumedSubscription) => void
}

/** Attaches the internal emitter to a provider of this library; see {@link onNotification}. */
export function setNotifications(provider: object, notifications: Emitter<Notifications>): void {
  Object.defineProperty(provider, NOTIFICATIONS, { value: notifications })
}

/** Lets a provider of this library resume subscriptions; see {@link resumeSubscription}. */
export function setResume(provider: object, resume: (subscription: ResumedSubscription) => void): void {
  Object.defineProperty(provider, RESUME, { value: resume })
}

/**
 * Resumes a subscription on a provider of this library whose chain has a database. Its events continue from now on;
 * directly after a start, the events of the restart are among them.
 *
 * @throws InvalidParamsError, SubscriptionKindError, DisconnectedError
 */
export function resumeSubscription(provider: object, subscription: ResumedSubscription): void {
  const { [RESUME]: resume } = provider as OwnProvider
  resume!(subscription)
}

/**
 * Listens to the messages of a provider's subscriptions, until the returned function is called or the provider is
 * closed. Connections share the JSON of a message if the provider is this library's.
 */
export function onNotification(
  provider: Messages,
  listener: (subscription: string, emission: Pick<Emission, 'json'>) => void,
): () => void {
  const { [NOTIFICATIONS]: notifications } = provider as OwnProvider
  if (notifications !== undefined) return notifications.listen('notification', listener)
  const listen = ({ data }: Message) => listener(data.subscription, { json: JSON.stringify(data.result) })
  provider.on('message', listen)
  return () => provider.removeListener('message', listen)
}
