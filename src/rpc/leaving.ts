/**
 * Requests whose client may leave before they are answered, although others have the same connection. Separate from the
 * providers, so that a server does not import a chain.
 */
import type { Closing } from './services.ts'

// Of the registry, since a server has its own copy of this module.
const CLIENT = Symbol.for('preseal.client')

/** The arguments of a request, with its client, which closes when it leaves. It is not enumerable, so that other providers get what they expect. */
export function withClient<Args extends object>(args: Args, client: Closing): Args {
  return Object.defineProperty({ ...args }, CLIENT, { value: client })
}

/** Calls `fn` when the client of a request leaves; never if the request has none of its own. */
export function onLeave(args: unknown, fn: () => void): void {
  const { [CLIENT]: client } = args as { readonly [CLIENT]?: Closing }
  client?.onClose(fn)
}
