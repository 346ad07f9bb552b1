import { quantity } from '../../primitives/bytes.ts'
import { method } from '../method.ts'

/** Wei per blob gas of the next block (EIP-7516). */
export const eth_blobBaseFee = method([], ({ viewed }) => quantity(viewed.pending.env.blobBaseFee))
