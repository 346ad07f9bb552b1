import { quantity } from '../../primitives/bytes.ts'
import { suggestGasPrice } from '../fees.ts'
import { method } from '../method.ts'

/** The option `gasPrice`, or a price that enters the next block: its base fee and the suggested tip, in wei. */
export const eth_gasPrice = method([], ({ viewed, read }) => quantity(suggestGasPrice(viewed, read.gasPrice)))
