/** The entries of format 1: keys, values in RLP, and checksums. */

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
const toText = (bytes: Bytes): string => new TextDecoder().decode(bytes)

/** Encodes nonce, balance, code hash (empty without code), storage id and number of slots. */
export function encodeAccount(record: AccountRecord): Bytes {
  startRlp()
  putAccount(record)
  return copyRlp()
}

/** Decodes an account that ends at `end`. Copies few bytes, since a start decodes all accounts. */
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

/** Writes a list, the last item first: the buffer is filled from its end. */
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

/** The keys that a block changed, with their values before the block. */
export interface BlockChanges {
  /** Null if the account did not exist. */
  readonly accounts: ReadonlyMap<Address, AccountRecord | null>
  /** By storage id. */
  readonly slots: ReadonlyMap<number, ReadonlyMap<Hex, bigint>>
}

/** Returns the earlier values of a difference. */
export function valuesBefore({ accounts, slots }: Pick<StateDifference, 'accounts' | 'slots'>): BlockChanges {
  return {
    accounts: new Map([...accounts].map(([address, { before }]) => [address, before])),
    slots: new Map(
      [...slots].map(([id, values]) => [id, new Map([...values].map(([key, { before }]) => [key, before]))]),
    ),
  }
}

/** Merges two changes. For a key in both, keeps the value of `earlier`. */
export function mergeBefore(earlier: BlockChanges, later: BlockChanges): BlockChanges {
  const slots = new Map(later.slots)
  for (const [id, values] of earlier.slots) slots.set(id, new Map([...(slots.get(id) ?? []), ...values]))
  return { accounts: new Map([...later.accounts, ...earlier.accounts]), slots }
}

/** Encodes the changes of a block. */
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

/** Decodes the result of {@link encodeChanges}. */
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

/** The transaction hashes of a block, and the facts that its header does not commit to. */
export interface IndexedBlock {
  readonly hash: Hash
  readonly transactions: readonly Hash[]
  /** The chain id at the block's execution, if it differs from the genesis block's. */
  readonly chainId: bigint | undefined
  /** Senders of unsigned transactions, by index. */
  readonly unsigned: ReadonlyMap<number, Address>
  /** The number of the rules by which the block was executed. Undefined in memory, or if a repair could not find it. */
  readonly rules: number | undefined
}

/** Returns the fields that header and body lack. */
export function ownFields({ unsigned, chainId }: IndexedBlock): OwnFields {
  return { ...(unsigned.size > 0 && { unsigned }), ...(chainId !== undefined && { chainId }) }
}

/** Returns the index of a block. @param genesisChainId - the chain id that the index omits. */
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

/** Decodes the result of {@link encodeIndex}. */
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

/** Encodes the receipts of a block. */
export function encodeReceipts(receipts: readonly Receipt[]): Bytes {
  startRlp()
  putAll(receipts, putReceipt)
  return copyRlp()
}

function putReceipt(receipt: Receipt): void {
  const { succeeded, stateRoot, gasUsed, effectiveGasPrice, contractAddress, logs, revertReason, extra } =
    receipt
  const end = rlpMark()
  if (extra !== undefined) {
    putAll(Object.entries(extra), ([name, value]) => {
      const pairEnd = rlpMark()
      putText(value)
      putText(name)
      putList(pairEnd)
    })
  }
  // A list, since an empty revert reason differs from none.
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

function putText(text: string): void {
  putHex(bytesToHex(new TextEncoder().encode(text)))
}

type ReceiptItems = [
  status: Bytes,
  root: Bytes,
  gas: Bytes,
  price: Bytes,
  contract: Bytes,
  logs: [Bytes, Bytes[], Bytes][],
  reason: Bytes[],
  extra?: [Bytes, Bytes][],
]

/** Decodes the result of {@link encodeReceipts}. */
export function decodeReceipts(bytes: Bytes): Receipt[] {
  let cumulativeGasUsed = 0n
  let firstLogIndex = 0
  return (decodeRlp(bytes) as ReceiptItems[]).map((items) => {
    const [status, root, gas, price, contract, logItems, reason, extra] = items
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
      extra: extra && Object.fromEntries(extra.map(([name, value]) => [toText(name), toText(value)])),
      ...(reason[0] !== undefined && { revertReason: bytesToHex(reason[0]) }),
    }
    firstLogIndex += logs.length
    return receipt
  })
}

// Keys of format 1, and checksums of its values.
//
//   1 address              account of the current state        5 number   hash and transactions of a block
//   2 storage id, slot     value of the current state          6 number   keys that it changed, with the values before
//   3 code hash            code                                7 number   its receipts
//                                                              8 number   writes to its state since its seal

/** The first byte of a key. Keys of blocks and of text begin with letters. */
export const KIND = {
  account: 1,
  slot: 2,
  code: 3,
  index: 5,
  changes: 6,
  receipts: 7,
  patch: 8,
} as const

/** Kinds of entries of which a block has at most one each. */
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

/** The key of a block's entry. */
export function numberedKey(kind: NumberedKind, number: number): Uint8Array {
  const key = new Uint8Array(9)
  key[0] = kind
  writeNumber(key, number)
  return key
}

/** The number after the first byte of a key: a block number or a storage id. */
export function numberOfKey(key: Uint8Array): number {
  return Number(viewOf(key).getBigUint64(1))
}

const CHECKSUM = 4

/** Returns an entry whose value ends with a checksum of key and value. */
export function checked(key: Key, value: Uint8Array): Entry {
  const sealed = new Uint8Array(value.length + CHECKSUM)
  sealed.set(value)
  const sum = checksum(key, value)
  for (let i = 0; i < CHECKSUM; i++) sealed[value.length + i] = sum[i]!
  return { key, value: sealed }
}

/** Returns the value of an entry without its checksum. @param name - for the error. @throws DatabaseCorruptError */
export function verified(key: Key, sealed: Uint8Array | undefined, name: string): Uint8Array {
  const size = valueSize(sealed, name)
  const value = sealed!.subarray(0, size)
  const expected = checksum(key, value)
  for (let i = 0; i < CHECKSUM; i++) {
    if (expected[i] !== sealed![size + i]) throw new DatabaseCorruptError(name)
  }
  return value
}

/** Returns the length of a value without its checksum, which is not verified. @throws DatabaseCorruptError */
export function valueSize(sealed: Uint8Array | undefined, name: string): number {
  if (sealed === undefined || sealed.length < CHECKSUM) throw new DatabaseCorruptError(name)
  return sealed.length - CHECKSUM
}

/** Keys and short values are joined here for hashing. */
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

/** A stored transaction that waits or is pre-confirmed. */
export interface PoolEntry {
  readonly hash: Hash
  /** The bytes as they are in a block, without a blob sidecar. */
  readonly raw: Uint8Array
  /** The position in the order of arrival. Negative if the transaction was included before. */
  readonly arrival: number
  readonly sender: Address | undefined
  /** The hashes of the bundle's transactions in order, this one included. Empty without a bundle. */
  readonly bundle: readonly Hash[]
}

/** Returns the stored form of a transaction. @param arrival - the position in the order of arrival. */
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

/** Encodes the transactions of one entry. */
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

/** Decodes the result of {@link encodePoolGroup}. */
export function decodePoolGroup(bytes: Uint8Array): PoolEntry[] {
  return (decodeRlp(bytes) as PoolItems[]).map(([hash, place, sender, bundle, raw]) => ({
    hash: bytesToHex(hash),
    raw,
    arrival: Number(new TextDecoder().decode(place)),
    sender: sender.length === 0 ? undefined : bytesToHex(sender),
    bundle: decodeHashes(bundle),
  }))
}

/** Concatenates hashes. */
export function encodeHashes(hashes: readonly Hash[]): Uint8Array {
  return hashes.length === 0 ? NONE : concatBytes(...hashes.map(hexToBytes))
}

/** Splits the result of {@link encodeHashes}. */
export function decodeHashes(bytes: Uint8Array): Hash[] {
  return Array.from({ length: bytes.length / 32 }, (_, i) => bytesToHex(bytes.subarray(32 * i, 32 * i + 32)))
}
