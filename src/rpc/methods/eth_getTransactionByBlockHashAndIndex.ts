import { toRpcTransaction } from '../format/format.ts'
import { defineMethod } from '../method.ts'
import { hash32, index } from '../params/params.ts'

/**
 * Returns the transaction at an index of the block with this hash, or null if there is none.
 *
 * @group Blocks
 * @example ["$block", "0x0"]
 */
export const eth_getTransactionByBlockHashAndIndex = defineMethod({
  class: 'node',
  onFork: { reads: 'block', answer: 'transactionAt' },
  params: [hash32, index],
  handler: async ({ viewed }, reference, at) => {
    const block = (await viewed.find({ kind: 'hash', hash: reference, requireCanonical: false }))?.block
    const tx = block?.transactions[at]
    return block === undefined || tx === undefined ? null : toRpcTransaction(tx, { block, index: at })
  },
})
