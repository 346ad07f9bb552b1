import { method } from '../method.ts'

/** Returns the name and version of this library, or the option `clientVersion`. */
export const web3_clientVersion = method([], ({ read }) => read.clientVersion)
