import { method } from '../method.ts'

/** The chain id in decimal. */
export const net_version = method([], ({ read }) => read.chainId.toString())
