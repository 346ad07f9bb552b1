import { quantity } from '../../primitives/bytes.ts'
import { method } from '../method.ts'

/** Wei per gas of the next block (EIP-1559). */
export const eth_baseFee = method([], ({ sight }) => quantity(sight.pending.env.baseFee))
