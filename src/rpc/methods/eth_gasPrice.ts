import { quantity } from '../../bytes.ts'
import { suggestTip } from '../fees.ts'
import { method } from '../method.ts'

/** A gas price that enters the next block: its base fee and the suggested tip, in wei. */
export const eth_gasPrice = method([], ({ sight }) => quantity(sight.pending.env.baseFee + suggestTip(sight)))
