/**
 * Whether a request gives up a filter or a subscription, which ends with its connection: such a request succeeds on a
 * connection that has ended. Clients neither await it nor handle its failure when they are torn down.
 */
export function givesUp(args: unknown): boolean {
  const { method } = Object(args) as { readonly method?: unknown }
  return method === 'eth_uninstallFilter' || method === 'eth_unsubscribe'
}
