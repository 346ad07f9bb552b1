/** Reads every entry of a database, and checks each one alone. `core/import/check/` compares the entries. */

import { bytesToBigint, bytesToHex } from '../../../base/bytes.ts'
import { getOrInsert } from '../../../base/collections.ts'
import { keccak256 } from '../../../base/crypto/crypto.ts'
import type { Address, Hash, Hex } from '../../../base/types.ts'
import type { Receipt } from '../../../ethereum/block.ts'
import type { ChainRules } from '../../../ethereum/rules.ts'
import type { AccountRecord } from '../../../ethereum/state/account.ts'
import { type BytesDatabase, type Key, MAX_NUMBER_SIZE } from '../bytesDatabase.ts'
import { DatabaseCorruptError } from '../errors.ts'
import { FILTER_KEY } from '../filterEntries.ts'
import { decodePatch, type PatchWithRoot } from '../patchEncoding.ts'
import { POOL_KEY, PRECONFIRMED_KEY, VALUE_KEY } from '../poolStore.ts'
import { SNAPSHOT_KEY, UNDO_KEY } from '../snapshotEntries.ts'
import {
  decodeHead,
  FORMAT_KEY,
  HEAD_KEY,
  nameOfNumbered,
  RULES_KEY,
  readFormat,
  type StoredFormat,
  type StoredHead,
  textToRules,
} from './databaseFormat.ts'
import {
  type BlockChanges,
  decodeAccount,
  decodeChanges,
  decodeHashes,
  decodeIndex,
  decodePoolGroup,
  decodeReceipts,
  type IndexedBlock,
  KIND,
  numberOfKey,
  verified,
} from './records.ts'

/** A fault of a database. */
export interface Problem {
  /** The block concerned. */
  readonly block?: number | undefined
  /** The entry concerned. */
  readonly key?: Key | undefined
  /** Such as `the receipts of block 5 do not match their checksum`. */
  readonly text: string
}

/** The keys under which a block's header and body were found; absent if there is none. */
type BlockKeys = { header?: Uint8Array; body?: Uint8Array }

/** The contents of a database. A damaged entry is left out, and reported as a problem. */
export class Scan {
  readonly problems: Problem[] = []
  format: StoredFormat | undefined
  head: StoredHead | undefined
  readonly accounts = new Map<Address, AccountRecord>()
  /** By storage id. */
  readonly slots = new Map<number, Map<Hex, bigint>>()
  readonly codes = new Map<Hash, Uint8Array>()
  readonly indices = new Map<number, IndexedBlock>()
  readonly changes = new Map<number, BlockChanges>()
  readonly receipts = new Map<number, readonly Receipt[]>()
  readonly patches = new Map<number, PatchWithRoot>()
  /** Keys of headers and bodies, by number and hash. */
  readonly blocks = new Map<number, Map<Hash, BlockKeys>>()
  /** Block numbers by hash. */
  readonly numbers = new Map<Hash, number>()
  /** Undefined for rules beyond Ethereum's, by which no block can be executed here. */
  readonly rules = new Map<number, ChainRules | undefined>()
  /** Hashes of the transactions that are not sealed. */
  readonly pool = new Set<Hash>()
  /** Hashes of the pre-confirmed transactions, in order. */
  preconfirmed: readonly Hash[] = []
  /** Keys of damaged entries, by {@link textOf}. */
  readonly damaged = new Map<string, Key>()
  /** The number of entries that are not part of the format. */
  others = 0

  report(problem: Problem): void {
    this.problems.push(problem)
  }

  /** Reports a damaged entry, and adds its key to `damaged`. */
  damage(key: Key, text: string, block?: number): void {
    this.report({ key, text, block })
    this.damaged.set(textOf(key), key)
  }
}

/** First bytes of the keys of blocks, see `core/ledger/ethereumjs/blockchain.ts`. */
const BLOCK_KEY = { header: 0x68, body: 0x62, number: 0x48 } as const

/** Reads a database. @throws DatabaseVersionError, and the database's errors */
export async function scanDatabase(db: BytesDatabase): Promise<Scan> {
  const scan = new Scan()
  scan.format = await readFormat(db).catch((error: unknown) => {
    if (!(error instanceof DatabaseCorruptError)) throw error
    return undefined
  })
  if (scan.format === undefined) scan.damage(FORMAT_KEY, 'the entry of the format is missing or damaged')
  for await (const part of db.range(new Uint8Array(0), Uint8Array.of(0xff))) {
    for (const { key, value } of part) {
      const bytes = key as Uint8Array
      const text = bytes[0] === TEXT_KEY ? new TextDecoder().decode(bytes) : undefined
      try {
        if (text !== undefined) readText(scan, text, value)
        else readBytes(scan, bytes, value)
      } catch (error) {
        const block = isNumbered(bytes) ? numberOfKey(bytes) : undefined
        const at = text ?? bytes
        const isDamaged = error instanceof DatabaseCorruptError
        const reason = isDamaged ? 'does not match its checksum' : 'cannot be decoded'
        if (text !== FORMAT_KEY) scan.damage(at, `${nameOf(at)} ${reason}`, block)
      }
    }
  }
  if (scan.head === undefined && !scan.damaged.has(HEAD_KEY)) scan.damage(HEAD_KEY, 'the head is missing')
  return scan
}

/** Returns a key as text, for comparisons. */
export function textOf(key: Key): string {
  return typeof key === 'string' ? key : bytesToHex(key)
}

/** The `p` that all text keys begin with. */
const TEXT_KEY = 0x70

function isNumbered(key: Uint8Array): boolean {
  return key.length === 9 && key[0]! >= KIND.index && key[0]! <= KIND.patch
}

function nameOf(key: Key): string {
  if (typeof key === 'string') return `the entry ${key}`
  const rest = bytesToHex(key.subarray(1))
  switch (key[0]) {
    case KIND.account:
      return `the account ${rest}`
    case KIND.slot:
      return `the slot ${bytesToHex(key.subarray(9))} of storage ${numberOfKey(key)}`
    case KIND.code:
      return `the code ${rest}`
    case BLOCK_KEY.number:
      return `the number of block ${rest}`
    default:
      return nameOfNumbered(key) ?? `the entry ${bytesToHex(key)}`
  }
}

/** @throws if the value is damaged */
function readBytes(scan: Scan, key: Uint8Array, value: Uint8Array): void {
  const checked = () => verified(key, value, 'it')
  const kind = key[0]
  if (kind === KIND.account && key.length === 21) {
    scan.accounts.set(bytesToHex(key.subarray(1)), decodeAccount(checked()))
  } else if (kind === KIND.slot && key.length === 41) {
    const slot = bytesToBigint(checked())
    const values = getOrInsert(scan.slots, numberOfKey(key), () => new Map<Hex, bigint>())
    values.set(bytesToHex(key.subarray(9)), slot)
  } else if (kind === KIND.code && key.length === 33) {
    const hash = bytesToHex(key.subarray(1))
    if (bytesToHex(keccak256(value)) !== hash) throw new DatabaseCorruptError('it')
    scan.codes.set(hash, value)
  } else if (isNumbered(key)) {
    const number = numberOfKey(key)
    if (kind === KIND.index) scan.indices.set(number, decodeIndex(checked()))
    else if (kind === KIND.changes) scan.changes.set(number, decodeChanges(checked()))
    else if (kind === KIND.receipts) scan.receipts.set(number, decodeReceipts(checked()))
    else scan.patches.set(number, decodePatch(checked()))
  } else if ((kind === BLOCK_KEY.header || kind === BLOCK_KEY.body) && key.length > 33) {
    // Unlike in numbered keys, the number has variable length.
    const number = Number(bytesToBigint(key.subarray(1, -32)))
    const hash = bytesToHex(key.subarray(-32))
    const hashes = getOrInsert(scan.blocks, number, () => new Map<Hash, BlockKeys>())
    const keys = getOrInsert(hashes, hash, (): BlockKeys => ({}))
    keys[kind === BLOCK_KEY.header ? 'header' : 'body'] = key
  } else if (kind === BLOCK_KEY.number && key.length === 33) {
    if (value.length === 0 || value.length > MAX_NUMBER_SIZE) throw new DatabaseCorruptError('it')
    scan.numbers.set(bytesToHex(key.subarray(1)), Number(bytesToBigint(value)))
  } else scan.others += 1
}

/** @throws if the value is damaged */
function readText(scan: Scan, key: string, value: Uint8Array): void {
  const checked = () => verified(key, value, 'it')
  if (key === HEAD_KEY) scan.head = decodeHead(checked())
  else if (key === PRECONFIRMED_KEY) scan.preconfirmed = decodeHashes(checked())
  else if (key.startsWith(POOL_KEY)) {
    const entries = decodePoolGroup(checked())
    if (entries.some(({ hash, raw }) => bytesToHex(keccak256(raw)) !== hash))
      throw new Error('its hash differs')
    for (const { hash } of entries) scan.pool.add(hash)
  } else if ([VALUE_KEY, SNAPSHOT_KEY, FILTER_KEY].some((prefix) => key.startsWith(prefix))) {
    JSON.parse(new TextDecoder().decode(checked()))
  } else if (key.startsWith(UNDO_KEY)) decodeChanges(checked())
  else if (key.startsWith(RULES_KEY)) {
    const text = new TextDecoder().decode(checked())
    const number = Number(key.slice(RULES_KEY.length))
    if (scan.format !== undefined) scan.rules.set(number, textToRules(text, scan.format.chainId, 'it'))
  } else if (key !== FORMAT_KEY) scan.others += 1
}
