/**
 * What the subscriptions of providers send, for those who pass it on. Apart from the providers themselves, so that a
 * server does not bring a chain along.
 *
 * Owns: which provider sends where.
 */
import type { Emitter } from '../../primitives/emitter.ts'
import type { Hex } from '../../primitives/types.ts'
import type { Emission } from './feed.ts'

/** What a provider of this library emits before `message`. */
export interface Notifications {
  notification(subscription: Hex, emission: Emission): void
}

/** A provider, as far as its messages go. */
interface Messages {
  on(event: 'message', listener: (message: Message) => void): unknown
  removeListener(event: 'message', listener: (message: Message) => void): unknown
}

interface Message {
  readonly data: { readonly subscription: string; readonly result: unknown }
}

/** Of the providers that were made here. */
export const notificationsOf = new WeakMap<object, Emitter<Notifications>>()

/**
 * Listens to what the subscriptions of a provider send, as what can be passed on in text that all connections share;
 * until the returned function is called, or the provider is closed. Of a provider from elsewhere the messages are
 * listened to.
 */
export function onNotification(
  provider: Messages,
  listener: (subscription: string, emission: Pick<Emission, 'json'>) => void,
): () => void {
  const notifications = notificationsOf.get(provider)
  if (notifications !== undefined) {
    notifications.on('notification', listener)
    return () => notifications.off('notification', listener)
  }
  const listen = ({ data }: Message) => listener(data.subscription, { json: JSON.stringify(data.result) })
  provider.on('message', listen)
  return () => provider.removeListener('message', listen)
}
