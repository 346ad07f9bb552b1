import { quantity } from '../../base/bytes.ts'
import { defineMethod } from '../method.ts'

/**
 * Returns the blob base fee of the next block, in wei per blob gas (EIP-7516).
 *
 * @group Fees
 */
export const eth_blobBaseFee = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: ({ viewed }) => quantity(viewed.pending.env.blobBaseFee),
})
