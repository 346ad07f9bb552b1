/** Receipts of executions, their encoding in the receipt trie, and the bloom filters over their logs. */

import { bytesToHex, hexToBytes } from '../../base/bytes.ts'
import { RecentMap } from '../../base/collections.ts'
import { type Crypto, keccak256 } from '../../base/crypto/crypto.ts'
import {
  copyRlp,
  putByte,
  putHex,
  putInteger,
  putList,
  putString,
  rlpMark,
  startRlp,
  writtenRlp,
} from '../../base/rlp.ts'
import type { Hex } from '../../base/types.ts'
import type { Log, Receipt } from '../block.ts'
import type { Header } from '../header.ts'
import { appendToList, type ListTrie, listTrieRoot, type TrieCodec } from '../state/trie.ts'
import type { Transaction } from '../transaction.ts'
import type { Included } from './executor.ts'

/**
 * Creates the receipt of an executed transaction.
 *
 * @param gasUsedBefore - the gas used by earlier transactions of the block.
 * @param firstLogIndex - the number of logs of earlier transactions of the block.
 * @param revertReason - whether to include revert data.
 */
export function toReceipt(
  outcome: Included,
  gasUsedBefore: bigint,
  firstLogIndex: number,
  revertReason: boolean,
): Receipt {
  const { succeeded, error, output, gasUsed, effectiveGasPrice, contractAddress, logs, extra } = outcome
  return {
    succeeded,
    gasUsed,
    cumulativeGasUsed: gasUsedBefore + gasUsed,
    effectiveGasPrice,
    contractAddress,
    logs: keptLogs(logs),
    firstLogIndex,
    extra,
    ...(revertReason && error === 'execution reverted' && { revertReason: bytesToHex(output) }),
  }
}

/** The bloom filter of no logs; read-only. */
export const NO_BLOOM = new Uint8Array(256)

/** The 256-byte bloom filter of logs; read-only. */
export function logsToBloom(logs: readonly Log[]): Uint8Array {
  if (logs.length === 0) return NO_BLOOM
  const bloom = new Uint8Array(256)
  addLogs(bloom, logs)
  return bloom
}

/** Returns a copy of a bloom filter with the logs of receipts added, or the same filter if there are no logs. */
export function extendBloom(bloom: Uint8Array, receipts: readonly Receipt[]): Uint8Array {
  if (receipts.every(({ logs }) => logs.length === 0)) return bloom
  const extended = bloom.slice()
  for (const { logs } of receipts) addLogs(extended, logs)
  return extended
}

function addLogs(bloom: Uint8Array, logs: readonly Log[]): void {
  for (const { address, topics } of logs) {
    addToBloom(bloom, address)
    for (const topic of topics) addToBloom(bloom, topic)
  }
}

/** Caches the three bits of addresses and topics in bloom filters: contracts log the same ones repeatedly. */
const recentBits = new RecentMap<Hex, number>(4096)

function addToBloom(bloom: Uint8Array, item: Hex): void {
  let bits = recentBits.get(item)
  if (bits === undefined) {
    const hash = keccak256(hexToBytes(item))
    // Multiplies: three 11-bit numbers exceed the 32 bits of bitwise operators.
    bits = 0
    for (let i = 0; i < 6; i += 2) bits = bits * 2048 + (((hash[i]! << 8) | hash[i + 1]!) & 2047)
    recentBits.set(item, bits)
  }
  for (let i = 0; i < 3; i++) {
    const bit: number = bits % 2048
    bloom[255 - (bit >> 3)]! |= 1 << (bit & 7)
    bits = (bits - bit) / 2048
  }
}

/** The consensus encoding of a receipt (EIP-2718, EIP-658). */
export function encodeReceipt(receipt: Receipt, type: number, bloom: Uint8Array): Uint8Array {
  putReceipt(receipt, type, bloom)
  return copyRlp()
}

function putReceipt(
  { succeeded, stateRoot, cumulativeGasUsed, logs }: Receipt,
  type: number,
  bloom: Uint8Array,
): void {
  startRlp()
  for (let i = logs.length - 1; i >= 0; i--) {
    const { address, topics, data } = logs[i]!
    const log = rlpMark()
    putHex(data)
    const listed = rlpMark()
    for (let t = topics.length - 1; t >= 0; t--) putHex(topics[t]!)
    putList(listed)
    putHex(address)
    putList(log)
  }
  putList(0)
  putString(bloom)
  putInteger(cumulativeGasUsed)
  if (stateRoot !== undefined) putHex(stateRoot)
  else putInteger(succeeded ? 1n : 0n)
  putList(0)
  if (type !== 0) putByte(type)
}

/** A receipt in the trie of its block; encoded once, when it is hashed. */
interface ListedReceipt {
  readonly receipt: Receipt
  /** The type of its transaction. */
  readonly type: number
}

/** The trie of a block's receipts; an immutable value. */
export type ReceiptTrie = ListTrie<ListedReceipt>

/** Appends receipts to the trie of `length` receipts. */
export function appendReceipts(
  trie: ReceiptTrie,
  length: number,
  receipts: readonly Receipt[],
  transactions: readonly Pick<Transaction, 'type'>[],
): ReceiptTrie {
  const listed: ListedReceipt[] = []
  for (let i = 0; i < receipts.length; i++)
    listed.push({ receipt: receipts[i]!, type: transactions[i]!.type })
  return appendToList(trie, length, listed)
}

/** Returns the root of a trie of receipts, the header's `receiptsRoot`, as 32 bytes. */
export function receiptTrieRoot(trie: ReceiptTrie, crypto: Crypto): Uint8Array {
  return listTrieRoot(trie, crypto, RECEIPT_CODEC)
}

const scratch = new Uint8Array(256)

/** The bloom filter of logs, valid until the next call. */
function scratchBloom(logs: readonly Log[]): Uint8Array {
  scratch.fill(0)
  addLogs(scratch, logs)
  return scratch
}

const RECEIPT_CODEC: TrieCodec<ListedReceipt> = {
  encode({ receipt, type }) {
    const { logs } = receipt
    putReceipt(receipt, type, logs.length === 0 ? NO_BLOOM : scratchBloom(logs))
    return writtenRlp()
  },
}

/** The header fields that commit to a block's receipts. */
export function receiptFields(
  receipts: readonly Receipt[],
  transactions: readonly Pick<Transaction, 'type'>[],
  crypto: Crypto,
): Pick<Header, 'receiptsRoot' | 'logsBloom'> {
  const bloom = extendBloom(NO_BLOOM, receipts)
  const root = receiptTrieRoot(appendReceipts(null, 0, receipts, transactions), crypto)
  return { receiptsRoot: bytesToHex(root), logsBloom: bytesToHex(bloom) }
}

// Receipts keep their logs as long as the block is kept, so the logs must take little memory.

const NO_LOGS: readonly Log[] = []

/** Recent addresses and topics, to share: contracts log the same ones repeatedly, as new strings in each execution. */
const recent = new RecentMap<Hex, Hex>(4096)

/** Copies logs into lists without spare capacity, sharing equal strings. */
function keptLogs(logs: readonly Log[]): readonly Log[] {
  if (logs.length === 0) return NO_LOGS
  return logs.map(({ address, topics, data }) => ({
    address: shared(address),
    topics: topics.map(shared),
    data,
  }))
}

function shared(hex: Hex): Hex {
  const known = recent.get(hex)
  if (known === undefined) recent.set(hex, hex)
  return known ?? hex
}
