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

/** A provider of this library, with its internal emitter. */
interface OwnProvider {
  readonly [NOTIFICATIONS]?: Emitter<Notifications>
}

/** Attaches the internal emitter to a provider of this library; see {@link onNotification}. */
export function setNotifications(provider: object, notifications: Emitter<Notifications>): void {
  Object.defineProperty(provider, NOTIFICATIONS, { value: notifications })
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
