import { bytesToHex } from '../../primitives/bytes.ts'
import { encodeBlock } from '../../protocol/blockEncoding.ts'
import { requireEncodable } from '../format/encodedBlock.ts'
import { method } from '../method.ts'
import { blockParameter } from '../params/block.ts'

/** A block's RLP. @throws HeaderNotFoundError */
export const debug_getRawBlock = method([blockParameter], async ({ sight }, reference) => {
  const { block } = await requireEncodable(sight, reference)
  return bytesToHex(encodeBlock(block))
})
