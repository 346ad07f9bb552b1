/** Receipts as the receipt trie holds them, and the bloom filters over their logs. */
import { RLP } from '@ethereumjs/rlp'
import { Bloom } from '@ethereumjs/vm'
import { bigintToBytes, concatBytes, hexToBytes } from '../bytes.ts'
import type { Log, Receipt } from '../ledger/block.ts'
import type { Rules } from '../rules.ts'

const SUCCEEDED = Uint8Array.of(1)
const FAILED = new Uint8Array(0)

/** The 256-byte bloom filter of some logs. */
export function logsToBloom(logs: readonly Log[], { common }: Rules): Uint8Array {
  const bloom = new Bloom(undefined, common)
  for (const { address, topics } of logs) {
    bloom.add(hexToBytes(address))
    for (const topic of topics) bloom.add(hexToBytes(topic))
  }
  return bloom.bitvector
}

/** The receipt's consensus encoding (EIP-2718, EIP-658). */
export function encodeReceipt(receipt: Receipt, type: number, bloom: Uint8Array): Uint8Array {
  const encoded = RLP.encode([
    receipt.succeeded ? SUCCEEDED : FAILED,
    bigintToBytes(receipt.cumulativeGasUsed),
    bloom,
    receipt.logs.map(({ address, topics, data }) => [
      hexToBytes(address),
      topics.map(hexToBytes),
      hexToBytes(data),
    ]),
  ])
  return type === 0 ? encoded : concatBytes(Uint8Array.of(type), encoded)
}
