import { bytesToHex } from '../../bytes.ts'
import { encodeBlock } from '../../ledger/blockEncoding.ts'
import { requireEncodable } from '../encodedBlock.ts'
import { method } from '../method.ts'
import { blockParameter } from '../params.ts'

/** A block's RLP. @throws HeaderNotFoundError */
export const debug_getRawBlock = method([blockParameter], async ({ sight }, reference) => {
  const { block } = await requireEncodable(sight, reference)
  return bytesToHex(encodeBlock(block))
})
