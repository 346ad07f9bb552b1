/** Receipts of executions, their encoding in the receipt trie, and the bloom filters over their logs. */

import { type Crypto, keccak256 } from '../crypto/crypto.ts'
import { bigintToBytes, bytesToHex, concatBytes, hexToBytes } from '../primitives/bytes.ts'
import { encodeRlp } from '../primitives/rlp.ts'
import type { Hex } from '../primitives/types.ts'
import type { Log, Receipt } from '../protocol/block.ts'
import type { Header } from '../protocol/header.ts'
import { listRoot } from '../state/listTrie.ts'
import type { Included } from './executor.ts'

/**
 * The receipt of an executed transaction.
 *
 * @param gasUsedBefore - the gas used by earlier transactions of the block.
 * @param firstLogIndex - the number of logs of earlier transactions of the block.
 * @param revertReason - whether it contains the revert data of the transaction.
 */
export function toReceipt(
  outcome: Included,
  gasUsedBefore: bigint,
  firstLogIndex: number,
  revertReason: boolean,
): Receipt {
  const { succeeded, error, output, gasUsed, effectiveGasPrice, contractAddress, logs } = outcome
  return {
    succeeded,
    gasUsed,
    cumulativeGasUsed: gasUsedBefore + gasUsed,
    effectiveGasPrice,
    contractAddress,
    logs,
    firstLogIndex,
    ...(revertReason && error === 'execution reverted' && { revertReason: bytesToHex(output) }),
  }
}

const SUCCEEDED = Uint8Array.of(1)
const FAILED = new Uint8Array(0)

const NO_BLOOM = new Uint8Array(256)

/** The 256-byte bloom filter of logs; not to be written to. */
export function logsToBloom(logs: readonly Log[]): Uint8Array {
  if (logs.length === 0) return NO_BLOOM
  const bloom = new Uint8Array(256)
  addLogs(bloom, logs)
  return bloom
}

/** Adds logs to a bloom filter. */
export function addLogs(bloom: Uint8Array, logs: readonly Log[]): void {
  for (const { address, topics } of logs) {
    addToBloom(bloom, address)
    for (const topic of topics) addToBloom(bloom, topic)
  }
}

/** The bits of addresses and topics in bloom filters: contracts log the same ones repeatedly. */
const cachedBits = new Map<Hex, number>()
const MAX_CACHED = 4096

function addToBloom(bloom: Uint8Array, item: Hex): void {
  let bits = cachedBits.get(item)
  if (bits === undefined) {
    const hash = keccak256(hexToBytes(item))
    // Three numbers of 11 bits are too large for bitwise operators, which have 32.
    bits = 0
    for (let i = 0; i < 6; i += 2) bits = bits * 2048 + (((hash[i]! << 8) | hash[i + 1]!) & 2047)
    if (cachedBits.size >= MAX_CACHED) cachedBits.clear()
    cachedBits.set(item, bits)
  }
  for (let i = 0; i < 3; i++) {
    const bit: number = bits % 2048
    bloom[255 - (bit >> 3)]! |= 1 << (bit & 7)
    bits = (bits - bit) / 2048
  }
}

function outcomeOf({ stateRoot, succeeded }: Receipt): Uint8Array {
  if (stateRoot !== undefined) return hexToBytes(stateRoot)
  return succeeded ? SUCCEEDED : FAILED
}

/** The receipt's consensus encoding (EIP-2718, EIP-658). */
export function encodeReceipt(receipt: Receipt, type: number, bloom: Uint8Array): Uint8Array {
  const encoded = encodeRlp([
    outcomeOf(receipt),
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

/** The fields of a header that commit to its block's receipts. @param types - those of the transactions. */
export function receiptFields(
  receipts: readonly Receipt[],
  types: readonly number[],
  crypto: Crypto,
): Pick<Header, 'receiptsRoot' | 'logsBloom'> {
  const bloom = new Uint8Array(256)
  const encoded = receipts.map((receipt, i) => {
    addLogs(bloom, receipt.logs)
    return encodeReceipt(receipt, types[i]!, logsToBloom(receipt.logs))
  })
  return { receiptsRoot: bytesToHex(listRoot(encoded, crypto)), logsBloom: bytesToHex(bloom) }
}
