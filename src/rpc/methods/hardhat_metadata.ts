import { metadata } from '../devChain.ts'
import { method } from '../method.ts'

/** Clients of Hardhat take a network that is named, be it null, for one that was forked. */
export const hardhat_metadata = method([], metadata)
