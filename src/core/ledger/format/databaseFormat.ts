/**
 * Format 1 of a database: the state, its changes per block, receipts and indices, beside the blocks.
 *
 * Owns: which entries a change of the chain writes in its batch, and how they are read. Each is either committed to by
 * a header, as blocks and the state at the head are, or carries a checksum.
 */

import { bigintToBytes, bytesToBigint, bytesToHex, hexToBytes } from '../../../base/bytes.ts'
import { keccak256 } from '../../../base/crypto/crypto.ts'
import { decodeRlp, encodeRlp } from '../../../base/rlp.ts'
import type { Address, GethGenesis, Hardfork, Hash, Hex } from '../../../base/types.ts'
import type { Block, Receipt } from '../../../ethereum/block.ts'
import { type ChainRules, createChainRules, HARDFORKS, type Rules } from '../../../ethereum/rules.ts'
import { type AccountRecord, EMPTY_CODE_HASH, type StateChanges } from '../../../ethereum/state/account.ts'
import type { StateDifference } from '../../../ethereum/state/difference.ts'
import { mergePatches, type StatePatch } from '../../../ethereum/state/patch.ts'
import type { BytesDatabase, Entry, Key } from '../bytesDatabase.ts'
import { DatabaseCorruptError, DatabaseVersionError } from '../errors.ts'
import { decodePatch, decodePatchedRoot, encodePatch } from '../patchEncoding.ts'
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
/** The key of the format. */
export const FORMAT_KEY = 'preseal:format'

/** What the format's own entry says of the chain. */
export interface StoredFormat {
  readonly genesis: Hash
  /** Unix time of the genesis block, in seconds. */
  readonly timestamp: bigint
  readonly chainId: bigint
  /** See `StoredGenesis`. */
  readonly allocRoot?: AllocRoot | undefined
  readonly predeploys?: readonly string[] | undefined
}

const NO_CHANGES: BlockChanges = { accounts: new Map(), slots: new Map() }

/** The format of a database; undefined if it has no chain. @throws DatabaseVersionError, DatabaseCorruptError */
export async function readFormat(db: Pick<BytesDatabase, 'get'>): Promise<StoredFormat | undefined> {
  const stored = await db.get(FORMAT_KEY)
  if (stored === undefined) {
    if ((await db.get(HEAD_KEY)) !== undefined) throw new DatabaseCorruptError('its format')
    return undefined
  }
  const version = stored[0] ?? 0
  if (version > VERSION) throw new DatabaseVersionError(version, VERSION)
  const bytes = verified(FORMAT_KEY, stored, 'its format').subarray(1)
  const items = decodeRlp(bytes) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array[]?, Uint8Array[]?]
  const [genesis, timestamp, chainId, [digest, root] = [], predeploys] = items
  return {
    genesis: bytesToHex(genesis),
    timestamp: bytesToBigint(timestamp),
    chainId: bytesToBigint(chainId),
    ...(digest && root && { allocRoot: { digest: bytesToHex(digest), root: bytesToHex(root) } }),
    ...(predeploys && { predeploys: predeploys.map((name) => new TextDecoder().decode(name)) }),
  }
}

/** The newest hardfork of a chain's blocks; undefined if the rules of none are stored. @throws DatabaseCorruptError */
export async function readHardfork(db: BytesDatabase): Promise<Hardfork | undefined> {
  const texts = [...(await readRules(db)).keys()]
  return texts.length === 0 ? undefined : newestHardfork(texts)
}

/** The entry of the format. */
export function formatEntry({ genesis, timestamp, chainId, allocRoot, predeploys }: StoredFormat): Entry {
  const bytes = encodeRlp([
    hexToBytes(genesis),
    bigintToBytes(timestamp),
    bigintToBytes(chainId),
    allocRoot ? [hexToBytes(allocRoot.digest), hexToBytes(allocRoot.root)] : [],
    ...(predeploys ? [predeploys.map((name) => new TextEncoder().encode(name))] : []),
  ])
  return checked(FORMAT_KEY, Uint8Array.of(VERSION, ...bytes))
}

/** See the file's header. */
export class DatabaseFormat {
  readonly #db: BytesDatabase
  readonly #chainId: bigint
  #lastStorageId = 0
  /** The numbers of the rules that are stored, by their texts; undefined until they are read. */
  #rules: Map<string, number> | undefined
  /** The rules of the last block that was written, with their number: those of most blocks. */
  #lastRules: { readonly rules: Rules; readonly number: number } | undefined

  /** @param chainId - the genesis block's. */
  constructor(db: BytesDatabase, chainId: bigint) {
    this.#db = db
    this.#chainId = chainId
  }

  /** The entry of the head; undefined if there is none. @throws DatabaseCorruptError */
  async head(): Promise<StoredHead | undefined> {
    const stored = await this.#db.get(HEAD_KEY)
    if (stored === undefined) return undefined
    const head = decodeHead(verified(HEAD_KEY, stored, 'its head'))
    this.#lastStorageId = head.lastStorageId
    return head
  }

  /** The entries that a change writes and the keys that it removes; those of blocks' own layout are not among them. */
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
      // What genesis has set is not a change: nothing is before it.
      const changes = state === undefined || number === 0 ? NO_CHANGES : valuesBefore(state)
      entries.push(this.#changesEntry(number, changes))
    }
    if (patched !== undefined) {
      const number = Number(patched.number)
      const key = numberedKey(KIND.patch, number)
      if (patched.patches === undefined) removed.push(key)
      else entries.push(checked(key, encodePatch(mergePatches(patched.patches), root)))
      if (added === undefined && blocks.length === 0 && state !== undefined) {
        const [changes] = await this.changes(number, number)
        entries.push(this.#changesEntry(number, mergeBefore(changes!, valuesBefore(state))))
      }
    }
    for (const block of blocks.filter(({ number }) => number !== added?.number)) {
      for (const kind of PER_BLOCK) removed.push(numberedKey(kind, Number(block.number)))
    }
    if (pruned !== undefined) removed.push(...prunedKeys(pruned))
    const lastStorageId = Math.max(this.#lastStorageId, state?.lastStorageId ?? 0)
    this.#lastStorageId = lastStorageId
    entries.push(headEntry({ hash: head, root, lastStorageId }))
    return { entries, removed }
  }

  /** To be called if what {@link entriesOf} returned was not written. */
  forget(): void {
    this.#rules = undefined
    this.#lastRules = undefined
  }

  /** What a block has besides its header and body. @throws DatabaseCorruptError if it is not stored. */
  async ownFields(hash: Hash, number: number): Promise<OwnFields> {
    const key = numberedKey(KIND.index, number)
    const name = `the index of block ${number}`
    const index = decodeIndex(verified(key, await this.#db.get(key), name))
    if (index.hash !== hash) throw new DatabaseCorruptError(name)
    return ownFields(index)
  }

  /** The indices of blocks, both ends included, by number. @throws DatabaseCorruptError if one is missing. */
  async indices(from: number, to: number): Promise<IndexedBlock[]> {
    return this.#numbered(KIND.index, from, to, decodeIndex)
  }

  /** The changes of blocks, both ends included, by number. @throws DatabaseCorruptError if one is missing. */
  changes(from: number, to: number): Promise<BlockChanges[]> {
    return this.#numbered(KIND.changes, from, to, decodeChanges)
  }

  /** @throws DatabaseCorruptError if they are missing. */
  async receipts(number: number): Promise<Receipt[]> {
    const key = numberedKey(KIND.receipts, number)
    return decodeReceipts(verified(key, await this.#db.get(key), `the receipts of block ${number}`))
  }

  /** What was written to the state of a block since its seal. @throws DatabaseCorruptError */
  async patch(number: number): Promise<StatePatch | undefined> {
    const stored = await this.#storedPatch(number)
    return stored && decodePatch(stored)
  }

  /** The root of that state with the patch; undefined without one. */
  async patchedRoot(number: number): Promise<Hash | undefined> {
    const stored = await this.#storedPatch(number)
    return stored && decodePatchedRoot(stored)
  }

  async #storedPatch(number: number): Promise<Uint8Array | undefined> {
    const key = numberedKey(KIND.patch, number)
    const stored = await this.#db.get(key)
    return stored && verified(key, stored, `the patch of block ${number}`)
  }

  /** The code with this hash. @throws DatabaseCorruptError if it is missing or damaged. */
  async code(hash: Hash): Promise<Uint8Array> {
    const code = await this.#db.get(codeKey(hash))
    if (code === undefined || bytesToHex(keccak256(code)) !== hash)
      throw new DatabaseCorruptError(`the code ${hash}`)
    return code
  }

  /**
   * All of the current state, as changes from an empty one. That no entry is missing is to be checked by its root.
   *
   * @param checksums - whether each entry is compared with its checksum. If not, its root is to be compared instead, and
   * what that does not commit to is checked here.
   * @throws DatabaseCorruptError
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
        // The root does not commit to the storage's id, which could be the one of another account.
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
        const values = slots.get(id) ?? new Map<Hex, bigint>()
        const size = sizeOf(key, value, `the slot ${slot} of storage ${id}`)
        values.set(slot, bytesToBigint(value, 0, size))
        slots.set(id, values)
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

  /** The number of the oldest block with changes, from a number on. */
  async oldestChanges(from: number): Promise<number | undefined> {
    for await (const part of this.#db.range(...rangeOf(KIND.changes, from), 1))
      return numberOfKey(part[0]!.key as Uint8Array)
    return undefined
  }

  /** Removes what blocks before a number have only within the history. */
  async prune(before: number): Promise<void> {
    const removed: Key[] = []
    for (const kind of [KIND.changes, KIND.receipts]) {
      const keys = this.#db.range(numberedKey(kind, 0), numberedKey(kind, before))
      for await (const part of keys) removed.push(...part.map(({ key }) => key))
    }
    if (removed.length > 0) await this.#db.write([], removed)
  }

  /**
   * Reads the rules by which blocks were executed, which the next block may be executed by too.
   *
   * @returns their numbers, by their texts.
   * @throws DatabaseCorruptError
   */
  async readRules(): Promise<Map<string, number>> {
    this.#rules ??= await readRules(this.#db)
    return this.#rules
  }

  /** The number of a block's rules; adds them to `entries` if they are not stored. */
  async #rulesOf({ rules }: Block, entries: Entry[]): Promise<number> {
    if (this.#lastRules?.rules === rules) return this.#lastRules.number
    const number = await this.#numberOf(rulesToText(rules), entries)
    this.#lastRules = { rules, number }
    return number
  }

  async #numberOf(text: string, entries: Entry[]): Promise<number> {
    const stored = await this.readRules()
    const known = stored.get(text)
    if (known !== undefined) return known
    const number = await unusedNumber(this.#db, stored)
    stored.set(text, number)
    entries.push(checked(RULES_KEY + number, new TextEncoder().encode(text)))
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
    // A code is its own checksum, and is never removed: another block may have it too.
    for (const [hash, code] of codes) entries.push({ key: codeKey(hash), value: code })
  }

  async #numbered<Value>(
    kind: NumberedKind,
    from: number,
    to: number,
    decode: (bytes: Uint8Array) => Value,
  ): Promise<Value[]> {
    const values: Value[] = []
    const name = kind === KIND.index ? 'index' : 'changes'
    for await (const part of this.#db.range(...rangeOf(kind, from, to))) {
      for (const { key, value } of part) {
        const number = from + values.length
        if (numberOfKey(key as Uint8Array) !== number)
          throw new DatabaseCorruptError(`the ${name} of block ${number}`)
        values.push(decode(verified(key, value, `the ${name} of block ${number}`)))
      }
    }
    const next = from + values.length
    if (next <= to) throw new DatabaseCorruptError(`the ${name} of block ${next}`)
    return values
  }
}

/** What is removed with a block. */
export const PER_BLOCK: readonly NumberedKind[] = [KIND.index, KIND.changes, KIND.receipts, KIND.patch]

/** The keys of what a block has only within the history. */
export function prunedKeys(number: number): Key[] {
  return [numberedKey(KIND.changes, number), numberedKey(KIND.receipts, number)]
}

function rangeOf(
  kind: NumberedKind,
  from: number,
  to = Number.MAX_SAFE_INTEGER - 1,
): [Uint8Array, Uint8Array] {
  return [numberedKey(kind, from), numberedKey(kind, to + 1)]
}

/** The genesis block as a change of an empty chain. */
export function genesisChange(
  genesis: Block,
  { accounts, slots, codes, lastStorageId = 0 }: StateChanges,
): StoredChange {
  return {
    head: genesis.hash,
    added: genesis,
    state: {
      accounts: new Map(
        [...accounts].map(([address, after]) => [address as Address, { before: null, after }]),
      ),
      slots: new Map(
        [...slots].map(([id, values]) => [
          id,
          new Map([...values].map(([key, after]) => [key, { before: 0n, after }])),
        ]),
      ),
      codes,
      lastStorageId,
    },
  }
}

// The entry of the head of a stored chain.

/** The key of the head. */
export const HEAD_KEY = 'preseal:head'

/** What the entry of the head says. */
export interface StoredHead {
  readonly hash: Hash
  /** The root of the current state, if that was written to since the head was sealed. */
  readonly root: Hash | undefined
  /** The highest storage id that was assigned. */
  readonly lastStorageId: number
}

/** The entry of a head. */
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

/** A key from an offset on. Not by `subarray`, which takes several times as long for the buffers of Node. */
function restOf({ buffer, byteOffset, length }: Uint8Array, offset: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset + offset, length - offset)
}

// The rules by which blocks were executed, as a database states them: JSON of the fields of a geth genesis that give them.

/** Key prefix, before their number, of rules by which blocks were executed. */
export const RULES_KEY = 'preseal:rules:'

interface StoredRules {
  readonly config: Readonly<Record<string, unknown>>
  readonly difficulty?: string
  readonly allowUnlimitedContractSize?: true
  readonly transactionGasCap?: false
}

/** The rules of all blocks of a chain, without its chain id. Equal rules have equal texts. */
export function rulesToText({ schedule, allowUnlimitedContractSize, transactionGasCap }: Rules): string {
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
    // With forks after the merge and no block of it, a genesis without difficulty would be after the merge.
    ...(merge !== undefined && merge.at === undefined && { difficulty: '0x1' }),
    ...(allowUnlimitedContractSize && { allowUnlimitedContractSize }),
    ...(!transactionGasCap && { transactionGasCap }),
  }
  return JSON.stringify(stored)
}

/**
 * Reads the text of {@link rulesToText}.
 *
 * @param chainId - the chain id with which the chain began.
 * @throws DatabaseCorruptError if it has no such rules.
 */
export function textToRules(text: string, chainId: bigint, name: string): ChainRules {
  try {
    const { config, difficulty, ...lifted } = JSON.parse(text) as StoredRules
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

/** The newest hardfork of the texts of {@link rulesToText}. */
export function newestHardfork(texts: readonly string[]): Hardfork {
  const configs = texts.map((text) => (JSON.parse(text) as StoredRules).config)
  return HARDFORKS.findLast((name) => configs.some((config) => `${name}Time` in config)) ?? 'paris'
}

/** The numbers of all rules, by their texts. @throws DatabaseCorruptError */
export async function readRules(db: BytesDatabase): Promise<Map<string, number>> {
  const entries = await db.entriesOf(RULES_KEY)
  return new Map(
    entries.map(([key, bytes]) => [
      new TextDecoder().decode(verified(key, bytes, `the entry ${key}`)),
      Number(key.slice(RULES_KEY.length)),
    ]),
  )
}

/**
 * A number for further rules. No block names it, even if the entry that blocks name was lost: they would be executed by
 * other rules when the database is checked.
 *
 * @param stored - what {@link readRules} returned.
 * @throws DatabaseCorruptError
 */
export async function unusedNumber(db: BytesDatabase, stored: ReadonlyMap<string, number>): Promise<number> {
  let highest = Math.max(-1, ...stored.values())
  const end = numberedKey(KIND.index, Number.MAX_SAFE_INTEGER)
  for await (const part of db.range(numberedKey(KIND.index, 0), end)) {
    for (const { key, value } of part) {
      const name = `the index of block ${numberOfKey(key as Uint8Array)}`
      highest = Math.max(highest, decodeIndex(verified(key, value, name)).rules ?? -1)
    }
  }
  return highest + 1
}
