import { bytesToHex } from '../../base/bytes.ts'
import { encodeHeader } from '../../ethereum/header.ts'
import { requireEncodable } from '../format/format.ts'
import { defineMethod } from '../method.ts'
import { blockParameter } from '../params/block.ts'

/**
 * Returns the RLP of a block's header; its keccak256 is the block's hash.
 *
 * @throws HeaderNotFoundError
 * @group Blocks
 * @example ["latest"]
 */
export const debug_getRawHeader = defineMethod({
  class: 'debug',
  onFork: { reads: 'block', answer: 'bytes' },
  params: [blockParameter],
  handler: async ({ viewed }, reference) =>
    bytesToHex(encodeHeader((await requireEncodable(viewed, reference)).block.header)),
})
