/** The values of format 1 as RLP, without their checksums. */

import { bytesToBigint, bytesToHex, concatBytes, hexToBytes } from '../../../base/bytes.ts'
import { keccak256 } from '../../../base/crypto/crypto.ts'
import {
  copyRlp,
  decodeRlp,
  encodeRlp,
  putHex,
  putInteger,
  putList,
  RlpCursor,
  rlpMark,
  startRlp,
} from '../../../base/rlp.ts'
import type { Address, Hash, Hex } from '../../../base/types.ts'
import type { Block, Receipt } from '../../../ethereum/block.ts'
import { type AccountRecord, EMPTY_CODE_HASH } from '../../../ethereum/state/account.ts'
import type { StateDifference } from '../../../ethereum/state/difference.ts'
import type { Transaction } from '../../../ethereum/transaction.ts'
import type { Entry, Key } from '../bytesDatabase.ts'
import { DatabaseCorruptError } from '../errors.ts'
import type { OwnFields } from '../storedBlock.ts'

type Bytes = Uint8Array

const toNumber = (bytes: Bytes): number => Number(bytesToBigint(bytes))

/** An account: nonce, balance, code hash (empty for no code), storage id, number of slots. */
export function encodeAccount(record: AccountRecord): Bytes {
  startRlp()
  putAccount(record)
  return copyRlp()
}

/** Decodes what {@link encodeAccount} returned, in place, as a start decodes all accounts. @param end - where it ends. */
export function decodeAccount(bytes: Bytes, end: number = bytes.length): AccountRecord {
  const cursor = new RlpCursor(bytes)
  cursor.read(0, end)
  const { end: limit } = cursor
  cursor.end = cursor.start
  const nonce = nextInteger(cursor, limit)
  const balance = nextInteger(cursor, limit)
  cursor.read(cursor.end, limit)
  const codeHash =
    cursor.size() === 0 ? EMPTY_CODE_HASH : bytesToHex(bytes.subarray(cursor.start, cursor.end))
  const storageId = Number(nextInteger(cursor, limit))
  return { nonce, balance, codeHash, storageId, slotCount: Number(nextInteger(cursor, limit)) }
}

function nextInteger(cursor: RlpCursor, limit: number): bigint {
  cursor.read(cursor.end, limit)
  return bytesToBigint(cursor.bytes, cursor.start, cursor.end)
}

function putAccount({ nonce, balance, codeHash, storageId, slotCount }: AccountRecord): void {
  const end = rlpMark()
  putInteger(BigInt(slotCount))
  putInteger(BigInt(storageId))
  putHex(codeHash === EMPTY_CODE_HASH ? '0x' : codeHash)
  putInteger(balance)
  putInteger(nonce)
  putList(end)
}

/** Writes a list of items with `put`, the last one first. */
function putAll<Item>(items: Iterable<Item>, put: (item: Item) => void): void {
  const end = rlpMark()
  const all = [...items]
  for (let i = all.length - 1; i >= 0; i--) put(all[i]!)
  putList(end)
}

function readAccount(items: readonly Bytes[]): AccountRecord {
  const [nonce, balance, code, storageId, slotCount] = items as [Bytes, Bytes, Bytes, Bytes, Bytes]
  return {
    nonce: bytesToBigint(nonce),
    balance: bytesToBigint(balance),
    codeHash: code.length === 0 ? EMPTY_CODE_HASH : bytesToHex(code),
    storageId: toNumber(storageId),
    slotCount: toNumber(slotCount),
  }
}

/** What a block changed: each key with its value before the block. */
export interface BlockChanges {
  /** Null if there was no account. */
  readonly accounts: ReadonlyMap<Address, AccountRecord | null>
  /** By storage id. */
  readonly slots: ReadonlyMap<number, ReadonlyMap<Hex, bigint>>
}

/** The values before of a difference. */
export function valuesBefore({ accounts, slots }: Pick<StateDifference, 'accounts' | 'slots'>): BlockChanges {
  return {
    accounts: new Map([...accounts].map(([address, { before }]) => [address, before])),
    slots: new Map(
      [...slots].map(([id, values]) => [id, new Map([...values].map(([key, { before }]) => [key, before]))]),
    ),
  }
}

/** Both changes together; of a key that both have, the earlier value counts. */
export function mergeBefore(earlier: BlockChanges, later: BlockChanges): BlockChanges {
  const slots = new Map(later.slots)
  for (const [id, values] of earlier.slots) slots.set(id, new Map([...(slots.get(id) ?? []), ...values]))
  return { accounts: new Map([...later.accounts, ...earlier.accounts]), slots }
}

/** Encodes what a block changed. */
export function encodeChanges({ accounts, slots }: BlockChanges): Bytes {
  startRlp()
  const end = rlpMark()
  putAll(slots, ([id, values]) => {
    const pairEnd = rlpMark()
    putAll(values, ([key, value]) => {
      const slotEnd = rlpMark()
      putInteger(value)
      putHex(key)
      putList(slotEnd)
    })
    putInteger(BigInt(id))
    putList(pairEnd)
  })
  putAll(accounts, ([address, record]) => {
    const pairEnd = rlpMark()
    if (record === null) putList(rlpMark())
    else putAccount(record)
    putHex(address)
    putList(pairEnd)
  })
  putList(end)
  return copyRlp()
}

/** Decodes what {@link encodeChanges} returned. */
export function decodeChanges(bytes: Bytes): BlockChanges {
  const [accounts, slots] = decodeRlp(bytes) as [[Bytes, Bytes[]][], [Bytes, [Bytes, Bytes][]][]]
  return {
    accounts: new Map(
      accounts.map(([address, items]) => [
        bytesToHex(address),
        items.length === 0 ? null : readAccount(items),
      ]),
    ),
    slots: new Map(
      slots.map(([id, values]) => [
        toNumber(id),
        new Map(values.map(([key, value]) => [bytesToHex(key), bytesToBigint(value)])),
      ]),
    ),
  }
}

/** What a block's header does not commit to, and which transactions it has. */
export interface IndexedBlock {
  readonly hash: Hash
  readonly transactions: readonly Hash[]
  /** The chain id it was executed with, if that is not the genesis block's. */
  readonly chainId: bigint | undefined
  /** The senders of its unsigned transactions, by index. */
  readonly unsigned: ReadonlyMap<number, Address>
  /** The number of the rules by which it was executed; undefined if a repair could not find them. */
  readonly rules: number | undefined
}

/** What the index of a block adds to its header and body. */
export function ownFields({ unsigned, chainId }: IndexedBlock): OwnFields {
  return { ...(unsigned.size > 0 && { unsigned }), ...(chainId !== undefined && { chainId }) }
}

/**
 * What is stored of a block in its index.
 *
 * @param genesisChainId - not encoded.
 * @param rules - the number of the rules by which it was executed.
 */
export function toIndexed(block: Block, genesisChainId: bigint, rules: number | undefined): IndexedBlock {
  const unsigned = new Map<number, Address>()
  for (const [index, tx] of block.transactions.entries()) if (tx.unsigned) unsigned.set(index, tx.from)
  const { chainId } = block.rules
  return {
    hash: block.hash,
    transactions: block.transactions.map(({ hash }) => hash),
    chainId: chainId === genesisChainId ? undefined : chainId,
    unsigned,
    rules,
  }
}

/** Encodes the index of a block. */
export function encodeIndex({ hash, transactions, chainId, unsigned, rules }: IndexedBlock): Bytes {
  startRlp()
  const end = rlpMark()
  if (rules !== undefined) putInteger(BigInt(rules))
  putAll(unsigned, ([index, sender]) => {
    const pairEnd = rlpMark()
    putHex(sender)
    putInteger(BigInt(index))
    putList(pairEnd)
  })
  if (chainId === undefined) putHex('0x')
  else putInteger(chainId)
  putAll(transactions, putHex)
  putHex(hash)
  putList(end)
  return copyRlp()
}

/** Decodes what {@link encodeIndex} returned. */
export function decodeIndex(bytes: Bytes): IndexedBlock {
  const [hash, transactions, chainId, unsigned, rules] = decodeRlp(bytes) as [
    Bytes,
    Bytes[],
    Bytes,
    [Bytes, Bytes][],
    Bytes?,
  ]
  return {
    hash: bytesToHex(hash),
    transactions: transactions.map(bytesToHex),
    chainId: chainId.length === 0 ? undefined : bytesToBigint(chainId),
    unsigned: new Map(unsigned.map(([index, sender]) => [toNumber(index), bytesToHex(sender)])),
    rules: rules && toNumber(rules),
  }
}

const FAILED = 0
const SUCCEEDED = 1

/** Encodes a block's receipts. */
export function encodeReceipts(receipts: readonly Receipt[]): Bytes {
  startRlp()
  putAll(receipts, putReceipt)
  return copyRlp()
}

function putReceipt(receipt: Receipt): void {
  const { succeeded, stateRoot, gasUsed, effectiveGasPrice, contractAddress, logs, revertReason } = receipt
  const end = rlpMark()
  // An empty reason differs from none.
  putAll(revertReason === undefined ? [] : [revertReason], putHex)
  putAll(logs, ({ address, topics, data }) => {
    const logEnd = rlpMark()
    putHex(data)
    putAll(topics, putHex)
    putHex(address)
    putList(logEnd)
  })
  putHex(contractAddress ?? '0x')
  putInteger(effectiveGasPrice)
  putInteger(gasUsed)
  putHex(stateRoot ?? '0x')
  putInteger(BigInt(succeeded ? SUCCEEDED : FAILED))
  putList(end)
}

type ReceiptItems = [Bytes, Bytes, Bytes, Bytes, Bytes, [Bytes, Bytes[], Bytes][], Bytes[]]

/** Decodes what {@link encodeReceipts} returned. */
export function decodeReceipts(bytes: Bytes): Receipt[] {
  let cumulativeGasUsed = 0n
  let firstLogIndex = 0
  return (decodeRlp(bytes) as ReceiptItems[]).map((items) => {
    const [status, root, gas, price, contract, logItems, reason] = items
    const gasUsed = bytesToBigint(gas)
    cumulativeGasUsed += gasUsed
    const logs = logItems.map(([address, topics, data]) => ({
      address: bytesToHex(address),
      topics: topics.map(bytesToHex),
      data: bytesToHex(data),
    }))
    const receipt: Receipt = {
      succeeded: toNumber(status) === SUCCEEDED,
      ...(root.length > 0 && { stateRoot: bytesToHex(root) }),
      gasUsed,
      cumulativeGasUsed,
      effectiveGasPrice: bytesToBigint(price),
      contractAddress: contract.length === 0 ? null : bytesToHex(contract),
      logs,
      firstLogIndex,
      ...(reason[0] !== undefined && { revertReason: bytesToHex(reason[0]) }),
    }
    firstLogIndex += logs.length
    return receipt
  })
}

// The keys of format 1 and the checksums of its values.
//
//   1 address              account of the current state        5 number   hash and transactions of a block
//   2 storage id, slot     value of the current state          6 number   what the block changed, with the values before
//   3 code hash            code                                7 number   its receipts
//                                                              8 number   what was written to its state after its seal

/** The first byte of a key. The keys of blocks and those of text begin with letters. */
export const KIND = {
  account: 1,
  slot: 2,
  code: 3,
  index: 5,
  changes: 6,
  receipts: 7,
  patch: 8,
} as const

/** Kinds of entries that each block has at most one of. */
export type NumberedKind = (typeof KIND)['index' | 'changes' | 'receipts' | 'patch']

/** The key of an account. */
export function accountKey(address: Address): Uint8Array {
  return keyOf(KIND.account, hexToBytes(address))
}

/** The key of a slot. */
export function slotKey(storageId: number, slot: Hex): Uint8Array {
  const key = new Uint8Array(9 + 32)
  key[0] = KIND.slot
  writeNumber(key, storageId)
  key.set(hexToBytes(slot), 9)
  return key
}

/** The key of a code. */
export function codeKey(hash: Hash): Uint8Array {
  return keyOf(KIND.code, hexToBytes(hash))
}

/** The key of an entry of a block. */
export function numberedKey(kind: NumberedKind, number: number): Uint8Array {
  const key = new Uint8Array(9)
  key[0] = kind
  writeNumber(key, number)
  return key
}

/** The number after the first byte of a key: of a block, or of a storage. */
export function numberOfKey(key: Uint8Array): number {
  return Number(viewOf(key).getBigUint64(1))
}

const CHECKSUM = 4

/** An entry whose value is followed by its checksum, over key and value. */
export function checked(key: Key, value: Uint8Array): Entry {
  const sealed = new Uint8Array(value.length + CHECKSUM)
  sealed.set(value)
  const sum = checksum(key, value)
  for (let i = 0; i < CHECKSUM; i++) sealed[value.length + i] = sum[i]!
  return { key, value: sealed }
}

/**
 * The value of an entry without its checksum.
 *
 * @param name - what is read, for the error.
 * @throws DatabaseCorruptError if it is missing or does not match its checksum.
 */
export function verified(key: Key, sealed: Uint8Array | undefined, name: string): Uint8Array {
  const size = valueSize(sealed, name)
  const value = sealed!.subarray(0, size)
  const expected = checksum(key, value)
  for (let i = 0; i < CHECKSUM; i++) {
    if (expected[i] !== sealed![size + i]) throw new DatabaseCorruptError(name)
  }
  return value
}

/** The length of an entry's value without its checksum, which is not compared. @throws DatabaseCorruptError */
export function valueSize(sealed: Uint8Array | undefined, name: string): number {
  if (sealed === undefined || sealed.length < CHECKSUM) throw new DatabaseCorruptError(name)
  return sealed.length - CHECKSUM
}

/** Where a key and a value lie together while they are hashed; the rest of a long value's room is not kept. */
const scratch = new Uint8Array(4096)

function checksum(key: Key, value: Uint8Array): Uint8Array {
  const prefix = typeof key === 'string' ? new TextEncoder().encode(key) : key
  const size = prefix.length + value.length
  const both = size <= scratch.length ? scratch.subarray(0, size) : new Uint8Array(size)
  both.set(prefix)
  both.set(value, prefix.length)
  return keccak256(both)
}

function keyOf(kind: number, rest: Uint8Array): Uint8Array {
  const key = new Uint8Array(1 + rest.length)
  key[0] = kind
  key.set(rest, 1)
  return key
}

function writeNumber(key: Uint8Array, number: number): void {
  viewOf(key).setBigUint64(1, BigInt(number))
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

// How a transaction that is not sealed is stored: its bytes, and what they do not contain.

/** A stored transaction that waited or was pre-confirmed. */
export interface PoolEntry {
  readonly hash: Hash
  /** As blocks contain it, without a sidecar. */
  readonly raw: Uint8Array
  /** Its place in the order of arrival; negative if it was included before. */
  readonly arrival: number
  /** The sender of an unsigned transaction. */
  readonly sender: Address | undefined
  /** The hashes of its bundle in order, itself included; empty if it is in none. */
  readonly bundle: readonly Hash[]
}

/** A transaction as it is stored. @param arrival - its place in the order of arrival. */
export function toPoolEntry(
  { hash, raw, from, unsigned, bundle = [] }: Transaction,
  arrival: number,
): PoolEntry {
  return { hash, raw, arrival, sender: unsigned ? from : undefined, bundle: bundle.map((one) => one.hash) }
}

type PoolItems = [
  hash: Uint8Array,
  place: Uint8Array,
  sender: Uint8Array,
  bundle: Uint8Array,
  raw: Uint8Array,
]

const NONE = new Uint8Array(0)

/** Encodes the transactions of an entry. */
export function encodePoolGroup(members: readonly PoolEntry[]): Uint8Array {
  return encodeRlp(
    members.map(
      ({ hash, raw, arrival, sender, bundle }): PoolItems => [
        hexToBytes(hash),
        new TextEncoder().encode(`${arrival}`),
        sender === undefined ? NONE : hexToBytes(sender),
        encodeHashes(bundle),
        raw,
      ],
    ),
  )
}

/** Reads what {@link encodePoolGroup} returned. */
export function decodePoolGroup(bytes: Uint8Array): PoolEntry[] {
  return (decodeRlp(bytes) as PoolItems[]).map(([hash, place, sender, bundle, raw]) => ({
    hash: bytesToHex(hash),
    raw,
    arrival: Number(new TextDecoder().decode(place)),
    sender: sender.length === 0 ? undefined : bytesToHex(sender),
    bundle: decodeHashes(bundle),
  }))
}

/** Hashes one after the other. */
export function encodeHashes(hashes: readonly Hash[]): Uint8Array {
  return hashes.length === 0 ? NONE : concatBytes(...hashes.map(hexToBytes))
}

/** Reads the hashes of {@link encodeHashes}. */
export function decodeHashes(bytes: Uint8Array): Hash[] {
  return Array.from({ length: bytes.length / 32 }, (_, i) => bytesToHex(bytes.subarray(32 * i, 32 * i + 32)))
}
