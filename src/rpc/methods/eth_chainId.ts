import { quantity } from '../../base/bytes.ts'
import { defineMethod } from '../method.ts'

/**
 * Returns the chain id of new blocks (EIP-695).
 *
 * @group Chain and node
 */
export const eth_chainId = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: ({ read }) => quantity(read.chainId),
})
