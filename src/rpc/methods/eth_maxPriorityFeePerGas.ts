import { quantity } from '../../base/bytes.ts'
import { suggestTip } from '../fees.ts'
import { method } from '../method.ts'

/** Returns the suggested tip in wei per gas. */
export const eth_maxPriorityFeePerGas = method([], ({ viewed }) => quantity(suggestTip(viewed)))
