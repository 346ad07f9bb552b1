import { quantity } from '../../primitives/bytes.ts'
import { method } from '../method.ts'

/** Wei per gas of the next block (EIP-1559). */
export const eth_baseFee = method([], ({ viewed }) => quantity(viewed.pending.env.baseFee))
