import { toRpcUncle } from '../format/format.ts'
import { method } from '../method.ts'
import { blockPosition } from '../params/block.ts'
import { index } from '../params/params.ts'

/**
 * Returns the uncle at an index of a block by number or tag, or null if there is none, as in all blocks since the
 * merge.
 */
export const eth_getUncleByBlockNumberAndIndex = method(
  [blockPosition, index],
  async ({ viewed }, reference, at) => {
    const view = await viewed.find(reference)
    const uncle = view?.block.uncles[at]
    return uncle === undefined ? null : toRpcUncle(uncle)
  },
)
