import { method } from '../method.ts'

/** The chain id in decimal. */
export const net_version = method([], ({ services }) => services.chainId.toString())
