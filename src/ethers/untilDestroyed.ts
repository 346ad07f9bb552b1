/** What the subscribers of ethers work with. */
import type { SocketProvider } from 'ethers'

/**
 * The provider as its subscribers see it: once it has been destroyed, what they asked of it does not fail, but stays
 * without an answer. Subscribers of ethers handle no rejection, and each would end the process. Nothing is lost by it:
 * with the connection its subscriptions have ended, on both sides. Failures before that go through.
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
