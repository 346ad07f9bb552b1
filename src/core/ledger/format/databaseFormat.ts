/**
 * Format 1 of a database. Owns: which entries a change writes beside the blocks, and how they are read: the state, its
 * changes per block, receipts and indices. Every entry except blocks and codes carries a checksum.
 */

import { bigintToBytes, bytesToBigint, bytesToHex, hexToBytes } from '../../../base/bytes.ts'
import { getOrInsert } from '../../../base/collections.ts'
import { keccak256 } from '../../../base/crypto/crypto.ts'
import { decodeRlp, encodeRlp } from '../../../base/rlp.ts'
import type { Address, GethGenesis, Hash, Hex } from '../../../base/types.ts'
import type { Block, Receipt } from '../../../ethereum/block.ts'
import { type ChainRules, createChainRules, type Rules } from '../../../ethereum/rules.ts'
import { type AccountRecord, EMPTY_CODE_HASH, type StateChanges } from '../../../ethereum/state/account.ts'
import type { StateDifference } from '../../../ethereum/state/difference.ts'
import { mergePatches } from '../../../ethereum/state/patch.ts'
import type { BytesDatabase, Entry, Key } from '../bytesDatabase.ts'
import { DatabaseCorruptError, DatabaseVersionError } from '../errors.ts'
import { decodePatch, encodePatch, type PatchWithRoot } from '../patchEncoding.ts'
import type { OwnFields } from '../storedBlock.ts'
import type { AllocRoot, StoredChange } from '../storedChange.ts'
import {
  accountKey,
  type BlockChanges,
  checked,
  codeKey,
  decodeAccount,
  decodeChanges,
  decodeIndex,
  decodeReceipts,
  encodeAccount,
  encodeChanges,
  encodeIndex,
  encodeReceipts,
  type IndexedBlock,
  KIND,
  mergeBefore,
  type NumberedKind,
  numberedKey,
  numberOfKey,
  ownFields,
  slotKey,
  toIndexed,
  valueSize,
  valuesBefore,
  verified,
} from './records.ts'

/** The format that is written, and the newest that can be read. */
export const VERSION = 1
/** Key of the entry with the format. */
export const FORMAT_KEY = 'preseal:format'

/** The chain that a database holds. */
export interface StoredFormat {
  readonly genesis: Hash
  /** Unix time of the genesis block, in seconds. */
  readonly timestamp: bigint
  readonly chainId: bigint
  readonly allocRoot?: AllocRoot | undefined
}

const newSlots = () => new Map<Hex, bigint>()

const NO_CHANGES: BlockChanges = { accounts: new Map(), slots: new Map() }

/** Reads the format of a database; undefined if it has no chain. @throws DatabaseVersionError, DatabaseCorruptError */
export async function readFormat(db: Pick<BytesDatabase, 'get'>): Promise<StoredFormat | undefined> {
  const stored = await db.get(FORMAT_KEY)
  if (stored === undefined) {
    if ((await db.get(HEAD_KEY)) !== undefined) throw new DatabaseCorruptError('its format')
    return undefined
  }
  const version = stored[0] ?? 0
  if (version > VERSION) throw new DatabaseVersionError(version, VERSION)
  const bytes = verified(FORMAT_KEY, stored, 'its format').subarray(1)
  const items = decodeRlp(bytes) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array[]?]
  const [genesis, timestamp, chainId, [digest, root] = []] = items
  return {
    genesis: bytesToHex(genesis),
    timestamp: bytesToBigint(timestamp),
    chainId: bytesToBigint(chainId),
    ...(digest && root && { allocRoot: { digest: bytesToHex(digest), root: bytesToHex(root) } }),
  }
}

/** Encodes the entry of the format. */
export function formatEntry({ genesis, timestamp, chainId, allocRoot }: StoredFormat): Entry {
  const bytes = encodeRlp([
    hexToBytes(genesis),
    bigintToBytes(timestamp),
    bigintToBytes(chainId),
    allocRoot ? [hexToBytes(allocRoot.digest), hexToBytes(allocRoot.root)] : [],
  ])
  return checked(FORMAT_KEY, Uint8Array.of(VERSION, ...bytes))
}

/** See the file's header. */
export class DatabaseFormat {
  readonly #db: BytesDatabase
  readonly #chainId: bigint
  #lastStorageId = 0
  /** Numbers of the stored rules by text; undefined until read. */
  #rules: Map<string, number> | undefined
  /** The rules of the last written block, which most blocks repeat. */
  #lastRules: { readonly rules: Rules; readonly number: number } | undefined

  /** @param chainId - the chain's id at genesis. A block's index stores the block's chain id only if it differs. */
  constructor(db: BytesDatabase, chainId: bigint) {
    this.#db = db
    this.#chainId = chainId
  }

  async head(): Promise<StoredHead | undefined> {
    const stored = await this.#db.get(HEAD_KEY)
    if (stored === undefined) return undefined
    const head = decodeHead(verified(HEAD_KEY, stored, 'its head'))
    this.#lastStorageId = head.lastStorageId
    return head
  }

  /** Returns the entries that a change writes and the keys that it removes, except headers, bodies and numbers. */
  async entriesOf(change: StoredChange): Promise<{ entries: Entry[]; removed: Key[] }> {
    const { head, added, patched, removed: blocks = [], state, root, pruned } = change
    const entries: Entry[] = []
    const removed: Key[] = []
    if (state !== undefined) this.#writeState(state, entries, removed)
    if (added !== undefined) {
      const number = Number(added.number)
      const index = toIndexed(added, this.#chainId, await this.#rulesOf(added, entries))
      entries.push(checked(numberedKey(KIND.index, number), encodeIndex(index)))
      entries.push(checked(numberedKey(KIND.receipts, number), encodeReceipts(added.receipts)))
      // The genesis block changes nothing, since no state precedes it.
      const changes = state === undefined || number === 0 ? NO_CHANGES : valuesBefore(state)
      entries.push(this.#changesEntry(number, changes))
    }
    if (patched !== undefined) {
      const number = Number(patched.number)
      const key = numberedKey(KIND.patch, number)
      if (patched.patches === undefined) removed.push(key)
      else entries.push(checked(key, encodePatch({ patch: mergePatches(patched.patches), root: root! })))
      if (added === undefined && blocks.length === 0 && state !== undefined) {
        const [changes] = await this.changes(number, number)
        entries.push(this.#changesEntry(number, mergeBefore(changes!, valuesBefore(state))))
      }
    }
    for (const block of blocks.filter(({ number }) => number !== added?.number)) {
      for (const kind of PER_BLOCK) removed.push(numberedKey(kind, Number(block.number)))
    }
    if (pruned !== undefined) removed.push(...PER_HISTORY.map((kind) => numberedKey(kind, pruned)))
    this.#lastStorageId = Math.max(this.#lastStorageId, state?.lastStorageId ?? 0)
    entries.push(headEntry({ hash: head, root, lastStorageId: this.#lastStorageId }))
    return { entries, removed }
  }

  /** Must be called if the entries of {@link entriesOf} were not written, since new rules may be among them. */
  forget(): void {
    this.#rules = undefined
    this.#lastRules = undefined
  }

  /** Reads the fields of a block that its header and body lack. @throws DatabaseCorruptError */
  async ownFields(hash: Hash, number: number): Promise<OwnFields> {
    const key = numberedKey(KIND.index, number)
    const index = decodeIndex(verifiedEntry(key, await this.#db.get(key)))
    if (index.hash !== hash) throw new DatabaseCorruptError(nameOfNumbered(key)!)
    return ownFields(index)
  }

  /** Reads the indices of the blocks `from` to `to`, both included. @throws DatabaseCorruptError if one is missing */
  async indices(from: number, to: number): Promise<IndexedBlock[]> {
    return this.#numbered(KIND.index, from, to, decodeIndex)
  }

  /** Reads the changes of the blocks `from` to `to`, both included. @throws DatabaseCorruptError if one is missing */
  changes(from: number, to: number): Promise<BlockChanges[]> {
    return this.#numbered(KIND.changes, from, to, decodeChanges)
  }

  async receipts(number: number): Promise<Receipt[]> {
    const key = numberedKey(KIND.receipts, number)
    return decodeReceipts(verifiedEntry(key, await this.#db.get(key)))
  }

  /** Reads the writes to a block's state since its seal. @throws DatabaseCorruptError */
  async patch(number: number): Promise<PatchWithRoot | undefined> {
    const key = numberedKey(KIND.patch, number)
    const stored = await this.#db.get(key)
    return stored && decodePatch(verifiedEntry(key, stored))
  }

  async code(hash: Hash): Promise<Uint8Array> {
    const code = await this.#db.get(codeKey(hash))
    if (code === undefined || bytesToHex(keccak256(code)) !== hash)
      throw new DatabaseCorruptError(`the code ${hash}`)
    return code
  }

  /**
   * Reads the whole current state, as changes from an empty one. The caller compares the root, which detects missing
   * entries. Without `checksums`, only the fields that the root does not commit to are verified here.
   */
  async state(checksums: boolean): Promise<StateChanges> {
    const sizeOf = (key: Key, sealed: Uint8Array, name: string): number =>
      checksums ? verified(key, sealed, name).length : valueSize(sealed, name)
    const accounts = new Map<Address, AccountRecord>()
    const hashes = new Set<Hash>()
    for await (const part of this.#db.range(Uint8Array.of(KIND.account), Uint8Array.of(KIND.account + 1))) {
      for (const { key, value } of part) {
        const address = bytesToHex(restOf(key as Uint8Array, 1))
        const name = `the account ${address}`
        const record = decodeAccount(value, sizeOf(key, value, name))
        // The root does not commit to storage ids, and a damaged id could name the storage of a different account.
        if (!checksums && record.storageId !== 0) verified(key, value, name)
        accounts.set(address, record)
        if (record.codeHash !== EMPTY_CODE_HASH) hashes.add(record.codeHash)
      }
    }
    const slots = new Map<number, Map<Hex, bigint>>()
    for await (const part of this.#db.range(Uint8Array.of(KIND.slot), Uint8Array.of(KIND.slot + 1))) {
      for (const { key, value } of part) {
        const id = numberOfKey(key as Uint8Array)
        const slot = bytesToHex(restOf(key as Uint8Array, 9))
        const size = sizeOf(key, value, `the slot ${slot} of storage ${id}`)
        getOrInsert(slots, id, newSlots).set(slot, bytesToBigint(value, 0, size))
      }
    }
    if (!checksums) {
      for (const [address, { storageId, slotCount }] of accounts) {
        if ((slots.get(storageId)?.size ?? 0) !== slotCount)
          throw new DatabaseCorruptError(`the account ${address}`)
      }
    }
    const codes = new Map<Hash, Uint8Array>()
    for (const hash of hashes) codes.set(hash, await this.code(hash))
    return { accounts, slots, codes }
  }

  /** Returns the number of the oldest block with changes from block `from` on; undefined if there is none. */
  async oldestChanges(from: number): Promise<number | undefined> {
    for await (const part of this.#db.range(...rangeOf(KIND.changes, from), 1))
      return numberOfKey(part[0]!.key as Uint8Array)
    return undefined
  }

  /** Removes the changes and receipts of the blocks before a number, which the history no longer covers. */
  async prune(before: number): Promise<void> {
    const removed: Key[] = []
    for (const kind of PER_HISTORY) {
      const keys = this.#db.range(numberedKey(kind, 0), numberedKey(kind, before))
      for await (const part of keys) removed.push(...part.map(({ key }) => key))
    }
    if (removed.length > 0) await this.#db.write([], removed)
  }

  /** Reads the numbers of the stored rules, by text. @throws DatabaseCorruptError */
  async readRules(): Promise<Map<string, number>> {
    if (this.#rules === undefined) {
      const entries = await this.#db.entriesOf(RULES_KEY)
      const textAt = (key: string, bytes: Uint8Array) =>
        new TextDecoder().decode(verified(key, bytes, `the entry ${key}`))
      this.#rules = new Map(
        entries.map(([key, bytes]) => [textAt(key, bytes), Number(key.slice(RULES_KEY.length))]),
      )
    }
    return this.#rules
  }

  /** Returns the names of the specs under which blocks were executed; undefined for Ethereum's rules. */
  async specs(): Promise<readonly (string | undefined)[]> {
    const texts = [...(await this.readRules()).keys()]
    return texts.map((text) => (JSON.parse(text) as StoredRules).spec)
  }

  /** Returns the number of a block's rules. If the rules are new, adds them to `entries`. */
  async #rulesOf({ rules }: Block, entries: Entry[]): Promise<number> {
    if (this.#lastRules?.rules === rules) return this.#lastRules.number
    const text = rulesToText(rules)
    const stored = await this.readRules()
    let number = stored.get(text)
    if (number === undefined) {
      number = await unusedNumber(this.#db, stored)
      stored.set(text, number)
      entries.push(checked(RULES_KEY + number, new TextEncoder().encode(text)))
    }
    this.#lastRules = { rules, number }
    return number
  }

  #changesEntry(number: number, changes: BlockChanges): Entry {
    return checked(numberedKey(KIND.changes, number), encodeChanges(changes))
  }

  #writeState({ accounts, slots, codes }: StateDifference, entries: Entry[], removed: Key[]): void {
    const put = <Value>(key: Key, value: Value, isAbsent: boolean, encode: (value: Value) => Uint8Array) =>
      isAbsent ? removed.push(key) : entries.push(checked(key, encode(value)))
    for (const [address, { after }] of accounts) {
      put(accountKey(address), after as AccountRecord, after === null, encodeAccount)
    }
    for (const [id, values] of slots) {
      for (const [slot, { after }] of values)
        put(slotKey(id, slot as Hex), after, after === 0n, bigintToBytes)
    }
    // A code's key is its hash, so it needs no checksum. It is never removed, since several accounts may share it.
    for (const [hash, code] of codes) entries.push({ key: codeKey(hash), value: code })
  }

  async #numbered<Value>(
    kind: NumberedKind,
    from: number,
    to: number,
    decode: (bytes: Uint8Array) => Value,
  ): Promise<Value[]> {
    const values: Value[] = []
    const missing = () => new DatabaseCorruptError(nameOfNumbered(numberedKey(kind, from + values.length))!)
    for await (const part of this.#db.range(...rangeOf(kind, from, to))) {
      for (const { key, value } of part) {
        if (numberOfKey(key as Uint8Array) !== from + values.length) throw missing()
        values.push(decode(verifiedEntry(key as Uint8Array, value)))
      }
    }
    if (from + values.length <= to) throw missing()
    return values
  }
}

const NAMES: Readonly<Record<number, string>> = {
  [KIND.index]: 'the index',
  [KIND.changes]: 'the changes',
  [KIND.receipts]: 'the receipts',
  [KIND.patch]: 'the patch',
}

/** Returns the name of a block's entry for errors; undefined for the key of any other entry. */
export function nameOfNumbered(key: Uint8Array): string | undefined {
  const name = NAMES[key[0]!]
  return name && `${name} of block ${numberOfKey(key)}`
}

function verifiedEntry(key: Uint8Array, sealed: Uint8Array | undefined): Uint8Array {
  return verified(key, sealed, nameOfNumbered(key)!)
}

/** Kinds of entries that a withdrawn block loses. */
export const PER_BLOCK: readonly NumberedKind[] = [KIND.index, KIND.changes, KIND.receipts, KIND.patch]

/** Kinds of entries that a block loses when it leaves the history. */
const PER_HISTORY: readonly NumberedKind[] = [KIND.changes, KIND.receipts]

function rangeOf(
  kind: NumberedKind,
  from: number,
  to = Number.MAX_SAFE_INTEGER - 1,
): [Uint8Array, Uint8Array] {
  return [numberedKey(kind, from), numberedKey(kind, to + 1)]
}

/** Returns the genesis block as a change of an empty chain. */
export function genesisChange(genesis: Block, state: StateChanges): StoredChange {
  const { accounts, slots, codes, lastStorageId = 0 } = state
  const fromNothing = (values: ReadonlyMap<Hex, bigint>) =>
    new Map([...values].map(([key, after]) => [key, { before: 0n, after }]))
  const difference: StateDifference = {
    accounts: new Map([...accounts].map(([address, after]) => [address, { before: null, after }])),
    slots: new Map([...slots].map(([id, values]) => [id, fromNothing(values)])),
    codes,
    lastStorageId,
  }
  return { head: genesis.hash, added: genesis, state: difference }
}

/** Key of the head. */
export const HEAD_KEY = 'preseal:head'

/** The head of a stored chain. */
export interface StoredHead {
  readonly hash: Hash
  /** The root of the current state, if it was written to since the seal of the head. */
  readonly root: Hash | undefined
  /** The highest assigned storage id. */
  readonly lastStorageId: number
}

/** Encodes the entry of the head. */
export function headEntry({ hash, root, lastStorageId }: StoredHead): Entry {
  const items = [
    hexToBytes(hash),
    root === undefined ? new Uint8Array(0) : hexToBytes(root),
    bigintToBytes(BigInt(lastStorageId)),
  ]
  return checked(HEAD_KEY, encodeRlp(items))
}

/** Decodes the value of {@link headEntry}, without its checksum. */
export function decodeHead(bytes: Uint8Array): StoredHead {
  const [hash, root, lastStorageId] = decodeRlp(bytes) as [Uint8Array, Uint8Array, Uint8Array]
  return {
    hash: bytesToHex(hash),
    root: root.length === 0 ? undefined : bytesToHex(root),
    lastStorageId: Number(bytesToBigint(lastStorageId)),
  }
}

/** Returns a key from `offset` on. Avoids `subarray`, which is several times slower for Node's Buffers. */
function restOf({ buffer, byteOffset, length }: Uint8Array, offset: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset + offset, length - offset)
}

// The rules by which blocks were executed are stored as JSON, in the fields of a geth genesis that define them.

/** Key prefix of rules. Their number follows. */
export const RULES_KEY = 'preseal:rules:'

interface StoredRules {
  readonly config: Readonly<Record<string, unknown>>
  readonly difficulty?: string
  readonly allowUnlimitedContractSize?: true
  readonly transactionGasCap?: false
  /** The name of the chain's spec. */
  readonly spec?: string
}

/** Returns the text of rules, without the chain id. Equal rules have equal texts. */
export function rulesToText({
  schedule,
  allowUnlimitedContractSize,
  transactionGasCap,
  spec,
}: Rules): string {
  const { forks, blobs, depositContract, terminalTotalDifficulty } = schedule
  const starts = forks.flatMap(({ field, at }) => (at === undefined ? [] : [[field, at] as const]))
  const merge = forks.find(({ name }) => name === 'paris')
  const stored: StoredRules = {
    config: {
      ...Object.fromEntries(starts),
      ...(forks.some(({ name }) => name === 'dao') && { daoForkSupport: true }),
      ...(terminalTotalDifficulty !== undefined && { terminalTotalDifficulty: `${terminalTotalDifficulty}` }),
      blobSchedule: Object.fromEntries(
        [...blobs].map(([name, { target, max, updateFraction }]) => [
          name,
          { target, max, baseFeeUpdateFraction: updateFraction },
        ]),
      ),
      depositContractAddress: depositContract,
    },
    // Without a difficulty, a genesis whose forks include an unscheduled merge would count as merged.
    ...(merge !== undefined && merge.at === undefined && { difficulty: '0x1' }),
    ...(allowUnlimitedContractSize && { allowUnlimitedContractSize }),
    ...(!transactionGasCap && { transactionGasCap }),
    ...(spec && { spec: spec.name }),
  }
  return JSON.stringify(stored)
}

/**
 * Parses the result of {@link rulesToText}. Returns undefined for rules of a spec, which is code and not stored.
 *
 * @param chainId - of the genesis block. @throws DatabaseCorruptError
 */
export function textToRules(text: string, chainId: bigint, name: string): ChainRules | undefined {
  try {
    const { config, difficulty, spec, ...lifted } = JSON.parse(text) as StoredRules
    if (spec !== undefined) return undefined
    const genesis: GethGenesis = {
      config: { ...config, chainId: Number(chainId) },
      alloc: {},
      gasLimit: '0x0',
      ...(difficulty !== undefined && { difficulty }),
    }
    return createChainRules(genesis, lifted)
  } catch {
    throw new DatabaseCorruptError(name)
  }
}

/**
 * Returns an unused number for new rules. Numbers in block indices count as used even if their rules were lost:
 * otherwise a check of the database would execute such blocks by the new rules.
 */
async function unusedNumber(db: BytesDatabase, stored: ReadonlyMap<string, number>): Promise<number> {
  let highest = Math.max(-1, ...stored.values())
  const end = numberedKey(KIND.index, Number.MAX_SAFE_INTEGER)
  for await (const part of db.range(numberedKey(KIND.index, 0), end)) {
    for (const { key, value } of part) {
      highest = Math.max(highest, decodeIndex(verifiedEntry(key as Uint8Array, value)).rules ?? -1)
    }
  }
  return highest + 1
}
