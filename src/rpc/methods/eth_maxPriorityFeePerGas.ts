import { quantity } from '../../base/bytes.ts'
import { suggestTip } from '../fees.ts'
import { defineMethod } from '../method.ts'

/**
 * Returns the suggested tip, in wei per gas.
 *
 * @group Fees
 */
export const eth_maxPriorityFeePerGas = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: ({ viewed }) => quantity(suggestTip(viewed)),
})
