import { Bloom, encodeReceipt as encodeStockReceipt, type TxReceipt } from '@ethereumjs/vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/bytes.ts'
import { loadCrypto } from '../../../src/base/crypto/crypto.ts'
import type { Address, Hash } from '../../../src/base/types.ts'
import type { Receipt } from '../../../src/ethereum/block.ts'
import {
  appendReceipts,
  encodeReceipt,
  extendBloom,
  logsToBloom,
  type ReceiptTrie,
  receiptFields,
  receiptTrieRoot,
} from '../../../src/ethereum/evm/receiptEncoding.ts'
import { listRoot } from '../../../src/ethereum/state/trie.ts'
import type { TransactionType } from '../../../src/ethereum/transaction.ts'
import { runs } from '../../full.ts'

const crypto = await loadCrypto()
const hexOf = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => bytesToHex(bytes))

const log = fc.record({
  address: hexOf(20) as fc.Arbitrary<Address>,
  topics: fc.array(hexOf(32) as fc.Arbitrary<Hash>, { maxLength: 4 }),
  data: fc.uint8Array({ maxLength: 80 }).map(bytesToHex),
})
const listed = fc.record({
  type: fc.integer({ min: 0, max: 4 }) as fc.Arbitrary<TransactionType>,
  receipt: fc.record({
    succeeded: fc.boolean(),
    gasUsed: fc.constant(21_000n),
    cumulativeGasUsed: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
    effectiveGasPrice: fc.constant(1n),
    contractAddress: fc.constant(null),
    logs: fc.array(log, { maxLength: 3 }),
    firstLogIndex: fc.constant(0),
  }) satisfies fc.Arbitrary<Receipt>,
})

function toStock({
  type,
  receipt,
}: {
  readonly type: TransactionType
  readonly receipt: Receipt
}): Uint8Array {
  const bloom = new Bloom(undefined, undefined)
  const logs = receipt.logs.map(({ address, topics, data }) => {
    for (const item of [address, ...topics]) bloom.add(hexToBytes(item))
    return [hexToBytes(address), topics.map(hexToBytes), hexToBytes(data)]
  })
  const { succeeded, cumulativeGasUsed } = receipt
  const stock = {
    status: succeeded ? 1 : 0,
    cumulativeBlockGasUsed: cumulativeGasUsed,
    bitvector: bloom.bitvector,
    logs,
  }
  return encodeStockReceipt(stock as TxReceipt, type)
}

test('the encoding of a receipt equals that of stock @ethereumjs', () => {
  fc.assert(
    fc.property(listed, ({ type, receipt }) => {
      const encoded = encodeReceipt(receipt, type, logsToBloom(receipt.logs))
      expect(bytesToHex(encoded)).toBe(bytesToHex(toStock({ type, receipt })))
    }),
    runs(50, 1000),
  )
})

test('root and bloom of receipts appended in parts equal those of the whole list', () => {
  fc.assert(
    fc.property(fc.array(fc.array(listed, { maxLength: 40 }), { maxLength: 5 }), (parts) => {
      let trie: ReceiptTrie = null
      let bloom: Uint8Array = new Uint8Array(256)
      let length = 0
      for (const part of parts) {
        const receipts = part.map(({ receipt }) => receipt)
        trie = appendReceipts(trie, length, receipts, part)
        bloom = extendBloom(bloom, receipts)
        length += part.length
        // As at each tick, which hashes what has changed since the one before.
        receiptTrieRoot(trie, crypto)
      }
      const all = parts.flat()
      const fields = {
        receiptsRoot: bytesToHex(receiptTrieRoot(trie, crypto)),
        logsBloom: bytesToHex(bloom),
      }
      const receipts = all.map(({ receipt }) => receipt)
      expect(fields).toEqual(receiptFields(receipts, all, crypto))
      expect(fields.receiptsRoot).toBe(bytesToHex(listRoot(all.map(toStock), crypto)))
      expect(fields.logsBloom).toBe(bytesToHex(logsToBloom(receipts.flatMap(({ logs }) => logs))))
    }),
    runs(15, 300),
  )
})
