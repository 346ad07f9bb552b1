import { quantity } from '../../base/bytes.ts'
import { defineMethod } from '../method.ts'

/**
 * Returns the base fee of the next block, in wei per gas (EIP-1559).
 *
 * @group Fees
 */
export const eth_baseFee = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: ({ viewed }) => quantity(viewed.pending.env.baseFee),
})
