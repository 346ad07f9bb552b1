import { quantity } from '../../base/bytes.ts'
import { suggestGasPrice } from '../fees.ts'
import { method } from '../method.ts'

/** Returns the option `gasPrice`, or else the base fee of the next block plus the suggested tip, in wei per gas. */
export const eth_gasPrice = method([], ({ viewed, read }) => quantity(suggestGasPrice(viewed, read.gasPrice)))
