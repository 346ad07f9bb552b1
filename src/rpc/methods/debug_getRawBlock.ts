import { bytesToHex } from '../../base/bytes.ts'
import { encodeBlock } from '../../ethereum/blockEncoding.ts'
import { requireEncodable } from '../format/format.ts'
import { method } from '../method.ts'
import { blockParameter } from '../params/block.ts'

/** Returns the RLP of a block. @throws HeaderNotFoundError */
export const debug_getRawBlock = method([blockParameter], async ({ viewed }, reference) => {
  const { block } = await requireEncodable(viewed, reference)
  return bytesToHex(encodeBlock(block))
})
