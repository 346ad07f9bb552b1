/**
 * Returns whether a request removes a filter or ends a subscription. Such a request succeeds even after the connection
 * has ended: clients that shut down neither await it nor handle its failure.
 */
export function givesUp(args: unknown): boolean {
  const { method } = Object(args) as { readonly method?: unknown }
  return method === 'eth_uninstallFilter' || method === 'eth_unsubscribe'
}
