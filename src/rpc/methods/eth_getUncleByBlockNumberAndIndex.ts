import { toRpcUncle } from '../format/format.ts'
import { method } from '../method.ts'
import { blockPosition } from '../params/block.ts'
import { index } from '../params/scalars.ts'

/** The uncle at an index of a block, null if there is none; blocks since the merge have none. */
export const eth_getUncleByBlockNumberAndIndex = method(
  [blockPosition, index],
  async ({ viewed }, reference, at) => {
    const view = await viewed.find(reference)
    const uncle = view?.block.uncles[at]
    return uncle === undefined ? null : toRpcUncle(uncle)
  },
)
