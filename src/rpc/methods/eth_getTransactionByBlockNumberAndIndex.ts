import { toRpcTransaction } from '../format/format.ts'
import { defineMethod } from '../method.ts'
import { blockPosition } from '../params/block.ts'
import { index } from '../params/params.ts'

/**
 * Returns the transaction at an index of a block by number or tag, or null if there is none.
 *
 * @group Blocks
 * @example ["pending", "0x1"]
 */
export const eth_getTransactionByBlockNumberAndIndex = defineMethod({
  class: 'node',
  onFork: { reads: 'block', answer: 'transactionAt' },
  params: [blockPosition, index],
  handler: async ({ viewed }, reference, at) => {
    const block = (await viewed.find(reference))?.block
    const tx = block?.transactions[at]
    return block === undefined || tx === undefined ? null : toRpcTransaction(tx, { block, index: at })
  },
})
