import { method } from '../method.ts'

/** Name and version of this library, or what the option `clientVersion` says instead. */
export const web3_clientVersion = method([], ({ read }) => read.clientVersion)
