import { clientVersion } from '../devChain.ts'
import { method } from '../method.ts'

/** Returns the option `clientVersion`, or the name and version of this library, as the dialect has them. */
export const web3_clientVersion = method([], clientVersion)
