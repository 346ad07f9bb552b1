import { toRpcUncle } from '../format/format.ts'
import { defineMethod } from '../method.ts'
import { hash32, index } from '../params/params.ts'

/**
 * Returns the uncle at an index of the block with this hash, or null if there is none, as in all blocks since the
 * merge.
 *
 * @group Blocks
 * @example ["$block", "0x0"]
 */
export const eth_getUncleByBlockHashAndIndex = defineMethod({
  class: 'node',
  onFork: { reads: 'block', answer: 'uncleOrNull' },
  params: [hash32, index],
  handler: async ({ viewed }, reference, at) => {
    const view = await viewed.find({ kind: 'hash', hash: reference, requireCanonical: false })
    const uncle = view?.block.uncles[at]
    return uncle === undefined ? null : toRpcUncle(uncle)
  },
})
