import { metadata } from '../devChain.ts'
import { method } from '../method.ts'

/** Like anvil_metadata, but without `forkedNetwork`: Hardhat's clients treat even null there as a fork. */
export const hardhat_metadata = method([], metadata)
