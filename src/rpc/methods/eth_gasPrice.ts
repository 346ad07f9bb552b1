import { quantity } from '../../base/bytes.ts'
import { suggestGasPrice } from '../fees.ts'
import { defineMethod } from '../method.ts'

/**
 * Returns the option `gasPrice`, or the base fee of the next block plus the suggested tip, in wei per gas.
 *
 * @group Fees
 */
export const eth_gasPrice = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: ({ viewed, read }) => quantity(suggestGasPrice(viewed, read.gasPrice)),
})
