import { bytesToHex } from '../../base/bytes.ts'
import { encodeHeader } from '../../ethereum/header.ts'
import { requireEncodable } from '../format/format.ts'
import { method } from '../method.ts'
import { blockParameter } from '../params/block.ts'

/** Returns the RLP of a block's header; its keccak256 is the block's hash. @throws HeaderNotFoundError */
export const debug_getRawHeader = method([blockParameter], async ({ viewed }, reference) => {
  const { block } = await requireEncodable(viewed, reference)
  return bytesToHex(encodeHeader(block.header))
})
