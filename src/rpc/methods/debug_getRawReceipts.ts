import { bytesToHex } from '../../base/bytes.ts'
import { encodeReceipt, logsToBloom } from '../../ethereum/evm/receiptEncoding.ts'
import { requireEncodable } from '../format/format.ts'
import { defineMethod } from '../method.ts'
import { blockParameter } from '../params/block.ts'

/**
 * Returns the receipts of a block, encoded as in the receipt trie (EIP-2718).
 *
 * @throws HeaderNotFoundError, StateUnavailableError
 * @group Blocks
 * @example ["latest"]
 */
export const debug_getRawReceipts = defineMethod({
  class: 'debug',
  onFork: { reads: 'block', answer: 'listOfBytes' },
  params: [blockParameter],
  handler: async ({ viewed }, reference) => {
    const { receipts, transactions } = (await requireEncodable(viewed, reference)).executed
    return receipts.map((receipt, i) => {
      const bloom = logsToBloom(receipt.logs)
      return bytesToHex(encodeReceipt(receipt, transactions[i]!.type, bloom))
    })
  },
})
