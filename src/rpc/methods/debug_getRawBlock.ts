import { bytesToHex } from '../../base/bytes.ts'
import { encodeBlock } from '../../ethereum/blockEncoding.ts'
import { requireEncodable } from '../format/format.ts'
import { defineMethod } from '../method.ts'
import { blockParameter } from '../params/block.ts'

/**
 * Returns the RLP of a block.
 *
 * @throws HeaderNotFoundError
 * @group Blocks
 * @example ["latest"]
 */
export const debug_getRawBlock = defineMethod({
  class: 'debug',
  onFork: { reads: 'block', answer: 'bytes' },
  params: [blockParameter],
  handler: async ({ viewed }, reference) =>
    bytesToHex(encodeBlock((await requireEncodable(viewed, reference)).block)),
})
