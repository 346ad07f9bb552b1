/** Checks the blocks of a database against their hashes, parents, indices and receipts. */

import { bytesToHex, equalBytes } from '../../../base/bytes.ts'
import type { Clock } from '../../../base/clock.ts'
import { type Crypto, keccak256 } from '../../../base/crypto/crypto.ts'
import { decodeRlp } from '../../../base/rlp.ts'
import type { Address, Hash } from '../../../base/types.ts'
import type { StoredBlock } from '../../../ethereum/block.ts'
import type { DecodeTransaction } from '../../../ethereum/decodeTransaction.ts'
import type { Executor } from '../../../ethereum/evm/executor.ts'
import { receiptFields } from '../../../ethereum/evm/receiptEncoding.ts'
import { unsignedSenderOf } from '../../../ethereum/evm/unsignedSender.ts'
import { fieldsOf, type Header, hashHeader } from '../../../ethereum/header.ts'
import {
  type ChainRules,
  createChainRules,
  forkRules,
  HARDFORKS,
  hardforkConfig,
} from '../../../ethereum/rules.ts'
import type { TransactionType } from '../../../ethereum/transaction.ts'
import type { BytesDatabase, Key } from '../../ledger/bytesDatabase.ts'
import { numberKey, partKey } from '../../ledger/ethereumjs/blockchain.ts'
import { HEAD_KEY, RULES_KEY } from '../../ledger/format/databaseFormat.ts'
import { encodeIndex, type IndexedBlock, KIND, numberedKey, ownFields } from '../../ledger/format/records.ts'
import { type Scan, textOf } from '../../ledger/format/scanDatabase.ts'
import { decodeVerified } from '../../ledger/storedBlock.ts'

/** The blocks of a database that passed the checks, by number. */
export interface CheckedBlocks {
  /** The number of the head; -1 if unknown. */
  readonly head: number
  readonly hashes: ReadonlyMap<number, Hash>
  readonly headers: ReadonlyMap<number, Header>
  /** Indices derived from sound blocks, with the stored chain ids and rules, which do not follow from blocks. */
  readonly indices: ReadonlyMap<number, IndexedBlock>
  /** Reads a sound block. */
  read(number: number): Promise<StoredBlock>
}

/** Checks all blocks, from the head down to genesis. */
export async function checkBlocks(scan: Scan, parts: CheckParts): Promise<CheckedBlocks> {
  const { db, crypto } = parts
  const head = headNumber(scan)
  const hashes = new Map<number, Hash>()
  const headers = new Map<number, Header>()
  const indices = new Map<number, IndexedBlock>()
  if (head < 0) scan.report({ key: HEAD_KEY, text: 'no block is known to be the head' })
  let expected = head < 0 ? undefined : scan.head?.hash
  for (let number = head; number >= 0; number--) {
    const report = (at: Key | undefined, text: string) => scan.report({ block: number, key: at, text })
    const key = numberedKey(KIND.index, number)
    const index = scan.indices.get(number)
    if (index === undefined && !scan.damaged.has(textOf(key)))
      report(key, `the index of block ${number} is missing`)
    if (index !== undefined && expected !== undefined && index.hash !== expected)
      report(key, `the index of block ${number} has a different hash`)
    const hash: Hash | undefined = expected ?? index?.hash ?? onlyHashAt(scan, number)
    expected = undefined
    if (hash === undefined) {
      report(undefined, `block ${number} is missing`)
      continue
    }
    hashes.set(number, hash)
    if (scan.numbers.get(hash) !== number && !scan.damaged.has(textOf(numberKey(hash))))
      report(numberKey(hash), `the number of block ${number} is missing or wrong`)
    const stored = await readBlock(scan, number, hash, db).catch(() => undefined)
    if (stored === undefined) {
      const which = await damagedPart(scan, number, hash, db)
      const text = `the ${which} of block ${number} is missing or does not match its ${MATCHED[which]}`
      report(partKey(which, hash, BigInt(number)), text)
      continue
    }
    headers.set(number, stored.header)
    expected = stored.header.parentHash
    // The parent's chain id and rules usually apply too: only a request or a restart changes them.
    const known = index ?? scan.indices.get(number - 1)
    const derived = deriveIndex(stored, hash, known)
    indices.set(number, derived)
    if (index !== undefined && !sameIndex(index, derived))
      report(key, `the index of block ${number} does not match its transactions`)
    checkReceipts(scan, stored, number, crypto)
  }
  checkGenesis(scan, headers.get(0))
  checkRules(scan)
  checkStrays(scan, head, hashes)
  const read = (number: number) => readBlock(scan, number, hashes.get(number)!, db)
  return { head, hashes, headers, indices, read }
}

/** The values that the parts of a block must match. */
const MATCHED = { header: 'hash', body: 'header' } as const

function headNumber({ head, numbers, indices, blocks }: Scan): number {
  if (head !== undefined) {
    for (const [number, { hash }] of indices) if (hash === head.hash) return number
    for (const [number, hashes] of blocks) if (hashes.has(head.hash)) return number
    // Last, because this entry has neither a checksum nor a hash.
    const named = numbers.get(head.hash)
    if (named !== undefined) return named
  }
  let highest = -1
  for (const number of indices.keys()) highest = Math.max(highest, number)
  return highest
}

/** Returns the hash of the block at a number, unless there are several blocks. */
function onlyHashAt({ blocks }: Scan, number: number): Hash | undefined {
  const [hash, ...others] = blocks.get(number)?.keys() ?? []
  return others.length === 0 ? hash : undefined
}

async function readBlock(scan: Scan, number: number, hash: Hash, db: BytesDatabase): Promise<StoredBlock> {
  const at = BigInt(number)
  const header = await db.get(partKey('header', hash, at))
  const body = await db.get(partKey('body', hash, at))
  const index = scan.indices.get(number)
  const own = index === undefined || index.hash !== hash ? {} : ownFields(index)
  const rules = rulesAt(scan, number) ?? rulesOfShape(header, scan.format?.chainId ?? 1n)
  return decodeVerified(header, body, own, { hash, number: at, rules })
}

/** Returns the rules of a block; undefined if the database does not state them. */
export function rulesAt({ indices, rules }: Scan, number: number): ChainRules | undefined {
  const index = indices.get(number)
  if (index !== undefined) return index.rules === undefined ? undefined : rules.get(index.rules)
  // The parent's rules apply, unless the chain was restarted with different rules in between.
  const before = indices.get(number - 1)?.rules
  return before === undefined ? undefined : rules.get(before)
}

/** Returns rules that decode headers with as many fields as this one. */
function rulesOfShape(header: Uint8Array | undefined, chainId: bigint): ChainRules {
  const fields = header === undefined ? [] : (decodeRlp(header) as readonly unknown[])
  const hardfork = HARDFORKS.find((name) => fieldsOf(forkRules(name)).length === fields.length)
  const id = Number(chainId)
  const config = hardfork === undefined ? { chainId: id } : hardforkConfig(id, hardfork)
  return createChainRules({ config, alloc: {}, gasLimit: '0x0' })
}

/** Returns the damaged part of a block; the header if both parts are damaged. */
async function damagedPart(
  scan: Scan,
  number: number,
  hash: Hash,
  db: BytesDatabase,
): Promise<keyof typeof MATCHED> {
  const key = scan.blocks.get(number)?.get(hash)?.header
  const header = key && (await db.get(key))
  return header !== undefined && bytesToHex(keccak256(header)) === hash ? 'body' : 'header'
}

/** Derives the index of a block. @param known - the index whose chain id and rules it gets. */
function deriveIndex(
  { transactions, header }: StoredBlock,
  hash: Hash,
  known: IndexedBlock | undefined,
): IndexedBlock {
  const unsigned = new Map<number, Address>()
  for (const [index, raw] of transactions.entries()) {
    const sender = unsignedSenderOf(raw)
    // Blocks with a difficulty are external: all their transactions are signed.
    if (sender !== undefined && header.difficulty === 0n) unsigned.set(index, sender)
  }
  const hashes = transactions.map((raw) => bytesToHex(keccak256(raw)))
  return { hash, transactions: hashes, chainId: known?.chainId, unsigned, rules: known?.rules }
}

/** Compares indices except for the chain id and the rules, which do not follow from blocks. */
export function sameIndex(a: IndexedBlock, b: IndexedBlock): boolean {
  const encode = (index: IndexedBlock) => encodeIndex({ ...index, chainId: undefined, rules: undefined })
  return equalBytes(encode(a), encode(b))
}

function checkReceipts(
  scan: Scan,
  { header, transactions }: StoredBlock,
  number: number,
  crypto: CheckParts['crypto'],
): void {
  const receipts = scan.receipts.get(number)
  if (receipts === undefined) return
  const types = transactions.map((raw) => ({ type: (raw[0]! >= 0xc0 ? 0 : raw[0]!) as TransactionType }))
  const matches =
    receipts.length === types.length &&
    (receipts.at(-1)?.cumulativeGasUsed ?? 0n) === header.gasUsed &&
    receiptFields(receipts, types, crypto).receiptsRoot === header.receiptsRoot
  if (matches) return
  const text = `the receipts of block ${number} do not match its header`
  scan.report({ block: number, key: numberedKey(KIND.receipts, number), text })
  scan.receipts.delete(number)
}

function checkGenesis(scan: Scan, genesis: Header | undefined): void {
  const { format } = scan
  if (format === undefined || genesis === undefined) return
  if (hashHeader(genesis) !== format.genesis || genesis.timestamp !== format.timestamp)
    scan.report({ block: 0, text: 'block 0 is not the genesis block that the format states' })
}

function checkRules(scan: Scan): void {
  // Rules cannot be decoded without the chain id, which the entry of the format has.
  if (scan.format === undefined) return
  for (const [block, { rules }] of scan.indices) {
    const key = `${RULES_KEY}${rules}`
    if (rules === undefined || scan.rules.has(rules) || scan.damaged.has(key)) continue
    scan.damage(key, `the entry ${key} is missing`, block)
  }
}

/** Reports entries of blocks outside the chain. */
function checkStrays(scan: Scan, head: number, hashes: ReadonlyMap<number, Hash>): void {
  const stray = (key: Uint8Array, block: number) =>
    scan.damage(key, `an entry of block ${block} is of no block of the chain`, block)
  for (const [number, parts] of scan.blocks) {
    for (const [hash, { header, body }] of parts) {
      if (number <= head && (hashes.get(number) ?? hash) === hash) continue
      for (const key of [header, body]) if (key !== undefined) stray(key, number)
    }
  }
  for (const [hash, number] of scan.numbers) {
    if (number > head || (hashes.get(number) ?? hash) !== hash) stray(numberKey(hash), number)
  }
  const numbered = [
    [KIND.index, scan.indices],
    [KIND.changes, scan.changes],
    [KIND.receipts, scan.receipts],
    [KIND.patch, scan.patches],
  ] as const
  for (const [kind, entries] of numbered) {
    for (const number of entries.keys()) if (number > head) stray(numberedKey(kind, number), number)
  }
}

/** The dependencies of a check. */
export interface CheckParts {
  readonly db: BytesDatabase
  readonly crypto: Crypto
  readonly executor: Executor
  readonly decode: DecodeTransaction
  /** Lets the event loop turn. */
  readonly clock: Pick<Clock, 'yield'>
}
