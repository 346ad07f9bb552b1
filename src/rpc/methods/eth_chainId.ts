import { quantity } from '../../base/bytes.ts'
import { method } from '../method.ts'

/** Returns the chain id of new blocks (EIP-695). */
export const eth_chainId = method([], ({ read }) => quantity(read.chainId))
