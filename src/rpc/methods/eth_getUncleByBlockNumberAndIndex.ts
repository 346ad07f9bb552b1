import { toRpcUncle } from '../format/format.ts'
import { defineMethod } from '../method.ts'
import { blockPosition } from '../params/block.ts'
import { index } from '../params/params.ts'

/**
 * Returns the uncle at an index of a block by number or tag, or null if there is none, as in all blocks since the
 * merge.
 *
 * @group Blocks
 * @example ["pending", "0x0"]
 */
export const eth_getUncleByBlockNumberAndIndex = defineMethod({
  class: 'node',
  onFork: { reads: 'block', answer: 'uncleOrNull' },
  params: [blockPosition, index],
  handler: async ({ viewed }, reference, at) => {
    const view = await viewed.find(reference)
    const uncle = view?.block.uncles[at]
    return uncle === undefined ? null : toRpcUncle(uncle)
  },
})
