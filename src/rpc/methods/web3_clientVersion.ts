import { CLIENT_VERSION } from '../../version.ts'
import { method } from '../method.ts'

/** Name and version of this library. */
export const web3_clientVersion = method([], () => CLIENT_VERSION)
