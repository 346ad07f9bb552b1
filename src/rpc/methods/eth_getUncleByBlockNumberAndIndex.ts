import { toRpcUncle } from '../format.ts'
import { method } from '../method.ts'
import { blockPosition, index } from '../params.ts'

/** The uncle at an index of a block, null where there is none; blocks since the merge have none. */
export const eth_getUncleByBlockNumberAndIndex = method(
  [blockPosition, index],
  async ({ sight }, reference, at) => {
    const view = await sight.find(reference)
    const uncle = view?.block.uncles[at]
    return uncle === undefined ? null : toRpcUncle(uncle)
  },
)
