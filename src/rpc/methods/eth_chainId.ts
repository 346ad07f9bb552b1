import { quantity } from '../../primitives/bytes.ts'
import { method } from '../method.ts'

/** The chain id (EIP-695). */
export const eth_chainId = method([], ({ read }) => quantity(read.chainId))
