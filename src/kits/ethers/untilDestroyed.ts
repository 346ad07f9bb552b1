/** The provider that ethers' subscribers use. */
import type { SocketProvider } from 'ethers'

/**
 * A provider for its subscribers: once it is destroyed, promises that would reject stay pending. Subscribers of ethers
 * handle no rejection, so each would end the process. Nothing is left undone: the subscriptions have ended with the
 * connection, on both sides. Earlier rejections are passed on.
 */
export function untilDestroyed<Provider extends SocketProvider>(provider: Provider): Provider {
  return new Proxy(provider, {
    get(_target, name) {
      const value: unknown = Reflect.get(provider, name, provider)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        const result: unknown = value.apply(provider, args)
        return result instanceof Promise ? result.catch(rethrowUnlessDestroyed) : result
      }
    },
  })

  function rethrowUnlessDestroyed(error: unknown): Promise<never> {
    if (!provider.destroyed) throw error
    return new Promise(() => {})
  }
}
