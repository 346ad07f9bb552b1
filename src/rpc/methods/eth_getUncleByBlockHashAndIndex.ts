import { toRpcUncle } from '../format/format.ts'
import { method } from '../method.ts'
import { hash32, index } from '../params/params.ts'

/**
 * Returns the uncle at an index of the block with this hash, or null if there is none, as in all blocks since the
 * merge.
 */
export const eth_getUncleByBlockHashAndIndex = method([hash32, index], async ({ viewed }, reference, at) => {
  const view = await viewed.find({ kind: 'hash', hash: reference, requireCanonical: false })
  const uncle = view?.block.uncles[at]
  return uncle === undefined ? null : toRpcUncle(uncle)
})
