import { quantity } from '../../base/bytes.ts'
import { method } from '../method.ts'

/** Returns the blob base fee of the next block, in wei per blob gas (EIP-7516). */
export const eth_blobBaseFee = method([], ({ viewed }) => quantity(viewed.pending.env.blobBaseFee))
