import { toRpcUncle } from '../format/format.ts'
import { method } from '../method.ts'
import { hash32, index } from '../params/scalars.ts'

/** The uncle at an index of a block, null if there is none; blocks since the merge have none. */
export const eth_getUncleByBlockHashAndIndex = method([hash32, index], async ({ viewed }, reference, at) => {
  const view = await viewed.find({ kind: 'hash', hash: reference, requireCanonical: false })
  const uncle = view?.block.uncles[at]
  return uncle === undefined ? null : toRpcUncle(uncle)
})
