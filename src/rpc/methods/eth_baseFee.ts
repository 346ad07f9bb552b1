import { quantity } from '../../base/bytes.ts'
import { method } from '../method.ts'

/** Returns the base fee of the next block, in wei per gas (EIP-1559). */
export const eth_baseFee = method([], ({ viewed }) => quantity(viewed.pending.env.baseFee))
