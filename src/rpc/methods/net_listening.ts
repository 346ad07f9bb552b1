import { method } from '../method.ts'

/** Returns true: there is no network connection that could be down. */
export const net_listening = method([], () => true)
