import { method } from '../method.ts'

/** Always true: there is nothing to lose a connection to. */
export const net_listening = method([], () => true)
