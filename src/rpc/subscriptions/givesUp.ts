/**
 * Whether a request gives up a filter or a subscription. It succeeds even after its connection has ended: clients in
 * teardown neither await it nor handle its failure.
 */
export function givesUp(args: unknown): boolean {
  const { method } = Object(args) as { readonly method?: unknown }
  return method === 'eth_uninstallFilter' || method === 'eth_unsubscribe'
}
