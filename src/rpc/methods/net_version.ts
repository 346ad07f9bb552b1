import { method } from '../method.ts'

/** Returns the chain id in decimal. */
export const net_version = method([], ({ read }) => read.chainId.toString())
