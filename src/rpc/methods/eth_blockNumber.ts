import { quantity } from '../../base/bytes.ts'
import { method } from '../method.ts'

/** Returns the number of the newest sealed block, on both views. */
export const eth_blockNumber = method([], ({ viewed }) => quantity(viewed.tip.head.block.number))
