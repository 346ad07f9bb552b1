import type { PresealRpcPendingBlock } from '../../base/rpcTypes.ts'
import { type RpcHeader, toRpcHeader } from '../format/format.ts'
import { defineMethod } from '../method.ts'
import { numberedBlock } from '../params/block.ts'

/** A header on the wire. Number and hash of the standard view's candidate are null. */
type ViewedHeader =
  | RpcHeader
  | (Omit<RpcHeader, 'number' | 'hash'> & Pick<PresealRpcPendingBlock, 'number' | 'hash'>)

/**
 * Returns the header of a block by number or tag, or null if there is none. Otterscan calls it to detect the kind of
 * node.
 *
 * @group Otterscan
 * @example ["latest"]
 */
export const erigon_getHeaderByNumber = defineMethod({
  class: 'node',
  onFork: { reads: 'block', answer: 'reader' },
  params: [numberedBlock],
  handler: async ({ viewed }, reference): Promise<ViewedHeader | null> => {
    const view = await viewed.find(reference)
    if (view === undefined) return null
    const shown = toRpcHeader(view.block.header, view.block.hash, view.block.rules.spec)
    return view.kind === 'candidate' ? { ...shown, number: null, hash: null } : shown
  },
})
