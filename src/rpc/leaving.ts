/**
 * Requests whose client may leave before they are answered, although others have the same connection. Separate from the
 * providers, so that a server does not import a chain.
 */
import type { Closing, createClosing } from './services.ts'

// Of the registry, since a server has its own copy of this module.
const CLIENT = Symbol.for('preseal.client')

type Client = ReturnType<typeof createClosing>

/**
 * The arguments of a request, with its client, which closes when it leaves, at the latest after the answer. It is not enumerable,
 * so that other providers get what they expect.
 */
export function withClient<Args extends object>(args: Args, client: Client): Args {
  return Object.defineProperty({ ...args }, CLIENT, { value: client })
}

/** Returns the client of a request, closed with the connection at the latest; the connection if the request has no client. */
export function closingOf(args: unknown, connection: Closing): Closing {
  const { [CLIENT]: client } = args as { readonly [CLIENT]?: Client }
  if (client === undefined) return connection
  client.onClose(connection.onClose(client.close))
  return client
}
