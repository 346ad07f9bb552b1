import { metadata } from '../devChain.ts'
import { method } from '../method.ts'

/** Returns what anvil_metadata does without `forkedNetwork`, since Hardhat's clients take even a null for a fork. */
export const hardhat_metadata = method([], metadata)
