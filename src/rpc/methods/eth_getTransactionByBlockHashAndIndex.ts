import { toRpcTransaction } from '../format/format.ts'
import { method } from '../method.ts'
import { hash32, index } from '../params/params.ts'

/** Returns the transaction at an index of the block with this hash, or null if there is none. */
export const eth_getTransactionByBlockHashAndIndex = method(
  [hash32, index],
  async ({ viewed }, reference, at) => {
    const block = (await viewed.find({ kind: 'hash', hash: reference, requireCanonical: false }))?.block
    const tx = block?.transactions[at]
    return block === undefined || tx === undefined ? null : toRpcTransaction(tx, { block, index: at })
  },
)
