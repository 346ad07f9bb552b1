/**
 * The state of the forked chain at the block of the fork, as the source under all versions of the state.
 *
 *   read ─► known, or in the cache: its value    unknown: NotLoaded ─► load(keys): one trip for all of them ─► read again
 *
 * Owns: what the forked node answered. A value never changes once it is known, and codes are addressed by content.
 */

import {
  bigintToBytes,
  concatBytes,
  hexToBytes,
  knownHexToBytes,
  quantity as quantityToHex,
} from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { encodeRlp } from '../../base/rlp.ts'
import { TextEncoder } from '../../base/textEncoding.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import { Missing } from '../../base/waiting.ts'
import {
  type AccountRecord,
  EMPTY_CODE_HASH,
  isSameAccount,
  NO_CODE,
  type StateChanges,
  type StateSource,
} from '../../ethereum/state/account.ts'
import { addressKey, OtherCommitment, slotKey } from '../../ethereum/state/stateTrie.ts'
import { type TrieChange, type TrieRoot, trieGet, trieHash, trieUpdate } from '../../ethereum/state/trie.ts'
import { ForkedChainChangedError, RemoteRpcError } from './errors.ts'
import { askAll, type Remote, type RemoteRequest, resultOf } from './remote.ts'
import {
  type BlockParameter,
  createPlainReads,
  createProvenReads,
  hashRequest,
  nameOfKey,
  type RemoteAccount,
  requestAt,
  type StateKey,
  type StateReads,
} from './stateReads.ts'

/** State that the forked node has not been asked for yet. */
export class NotLoaded extends Missing {
  override name = 'NotLoaded'
  readonly keys: readonly StateKey[]

  constructor(keys: readonly StateKey[], load: () => Promise<void>) {
    super(load)
    this.keys = keys
  }
}

/** The dependencies of an {@link Origin}. */
interface OriginParts {
  readonly remote: Remote
  readonly crypto: Crypto
  readonly number: bigint
  readonly hash: Hash
  /** If given, what is read is checked against it by proofs. */
  readonly stateRoot?: Hash | undefined
}

/** What is loaded together with keys. */
interface LoadedTogether {
  /** Keys that may be needed later. They are left out if the others need no trip, and their failure means nothing. */
  readonly hints?: readonly StateKey[]
  /** A request that is left out if the keys need no trip, and whose failure is left to the caller. */
  readonly also?: RemoteRequest | undefined
}

/** See the file's header. */
export class Origin implements StateSource {
  /** Storages of the forked chain have ids below 0. */
  readonly lastStorageId = 0
  readonly #parts: OriginParts
  readonly #accounts = new Map<Address, AccountRecord | null>()
  readonly #codes = new Map<Hash, Uint8Array>()
  readonly #slots = new Map<Address, Map<Hex, bigint>>()
  /** The address of the storage with the id -1, -2, … */
  readonly #addresses: Address[] = []
  readonly #reads: StateReads
  #block: BlockParameter
  /** Whether the node takes no hash, once that is known. */
  #refusal: Promise<boolean | undefined> | undefined
  #watched: Map<string, StateKey> | undefined

  constructor(parts: OriginParts) {
    const { remote, crypto, number, hash, stateRoot } = parts
    this.#parts = parts
    this.#block = { blockHash: hash }
    // A number names another block after a reorganisation.
    const at = () => ({ block: this.#block, isPinned: !this.#isByNumber, stateOf: number })
    this.#reads =
      stateRoot === undefined
        ? createPlainReads(remote, at)
        : createProvenReads(remote, at, { crypto, stateRoot })
  }

  /** How its requests name the block. */
  get block(): BlockParameter {
    return this.#block
  }

  /** Names the block by its number from now on. */
  nameByNumber(): void {
    this.#block = quantityToHex(this.#parts.number)
  }

  /** Runs a function, and adds what it reads to `into`, by a name for each key. */
  watch<T>(into: Map<string, StateKey>, run: () => T): T {
    this.#watched = into
    try {
      return run()
    } finally {
      this.#watched = undefined
    }
  }

  account(address: Address): AccountRecord | null {
    this.#watched?.set(address, { address })
    const known = this.#accounts.get(address)
    if (known !== undefined) return known
    const cached = this.#reads.cachedAccount(address)
    if (cached === undefined) throw this.#notLoaded({ address })
    return this.#storeAccount(address, cached)
  }

  slot(storageId: number, slot: Hex): bigint {
    const address = this.#addresses[-storageId - 1]
    // Storage without an id is empty.
    if (address === undefined) return 0n
    this.#watched?.set(`${address}${slot}`, { address, slot })
    const known = this.#slots.get(address)?.get(slot)
    if (known !== undefined) return known
    const cached = this.#reads.cachedSlot(address, slot)
    if (cached === undefined) throw this.#notLoaded({ address, slot })
    this.#storeSlot(address, slot, cached)
    return cached
  }

  code(codeHash: Hash): Uint8Array {
    return this.#codes.get(codeHash) ?? NO_CODE
  }

  /** Only codes: accounts that the versions have written can still have theirs. The whole forked state is not known. */
  everything(): StateChanges {
    return { accounts: new Map(), slots: new Map(), codes: this.#codes }
  }

  /** Whether a key can be read without a request. */
  has({ address, slot }: StateKey): boolean {
    if (slot === undefined) return this.#accounts.has(address)
    return this.#slots.get(address)?.has(slot) === true
  }

  /**
   * Loads keys in one trip, or in three if the node turns out to take no hash.
   *
   * @returns how `also` was settled; undefined if it was not asked, or if it has the hash that the node does not take.
   * @throws the error of the first key that cannot be read; those that can are loaded.
   */
  async load(
    keys: readonly StateKey[],
    together: LoadedTogether = {},
  ): Promise<PromiseSettledResult<unknown> | undefined> {
    const named = this.#block
    try {
      return await this.#load(keys, together)
    } catch (error) {
      if (!(error instanceof RemoteRpcError) || typeof named === 'string') throw error
      if (!this.#isByNumber && !(await this.#isHashRefused())) throw error
      this.nameByNumber()
      await this.#load(keys, { hints: together.hints ?? [] })
      return undefined
    }
  }

  /** Whether the node takes the number of the block, but not its hash (EIP-1898). It is asked once, if it answers. */
  async #isHashRefused(): Promise<boolean> {
    this.#refusal ??= this.#askForRefusal()
    const isRefused = await this.#refusal
    if (isRefused === undefined) this.#refusal = undefined
    return isRefused === true
  }

  /** @returns undefined if the node answers neither way. */
  async #askForRefusal(): Promise<boolean | undefined> {
    const { remote, number, hash } = this.#parts
    const named = [{ blockHash: hash }, quantityToHex(number)] as const
    const [byHash, byNumber] = await askAll(remote, named.map(requestAt))
    if (byHash!.status === 'fulfilled') return false
    return byNumber!.status === 'fulfilled' ? true : undefined
  }

  async #load(
    keys: readonly StateKey[],
    { hints = [], also }: LoadedTogether,
  ): Promise<PromiseSettledResult<unknown> | undefined> {
    const needed = distinct(keys).filter((key) => !this.has(key))
    if (needed.length === 0) return undefined
    const { remote } = this.#parts
    const isTrip = needed.some((key) => !this.#reads.isCached(key))
    const others = distinct([...needed, ...hints])
      .slice(needed.length)
      .filter((key) => !this.has(key) && (isTrip || this.#reads.isCached(key)))
    const reads = Promise.allSettled([...needed, ...others].map((key) => this.#read(key)))
    const checked = isTrip && this.#isByNumber ? askAll(remote, [hashRequest(this.#parts.number)]) : []
    const asksAlso = also !== undefined && (isTrip || remote.cached?.(also) !== undefined)
    const asked = asksAlso ? askAll(remote, [also]) : []
    const [stores, [block], [answer]] = await Promise.all([reads, checked, asked])
    this.#checkBlock(block)
    for (const store of stores) if (store.status === 'fulfilled') store.value()
    const failed = stores.slice(0, needed.length).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
    return answer
  }

  get #isByNumber(): boolean {
    return typeof this.#block === 'string'
  }

  /** @throws ForkedChainChangedError if the state by number is that of another block. */
  #checkBlock(asked: PromiseSettledResult<unknown> | undefined): void {
    const { number, hash } = this.#parts
    if (asked !== undefined && resultOf(asked) !== hash) throw new ForkedChainChangedError(number)
  }

  #notLoaded(key: StateKey): NotLoaded {
    return new NotLoaded([key], async () => {
      await this.load([key])
    })
  }

  /** Asks for a key. @returns what stores the answer. */
  async #read({ address, slot }: StateKey): Promise<() => unknown> {
    if (slot === undefined) {
      const account = await this.#reads.account(address)
      return () => this.#storeAccount(address, account)
    }
    const value = await this.#reads.slot(address, slot)
    return () => this.#storeSlot(address, slot, value)
  }

  /** @returns the record that is known from now on. */
  #storeAccount(address: Address, account: RemoteAccount | null): AccountRecord | null {
    // Another trip may have loaded it meanwhile; what was read is never replaced.
    const known = this.#accounts.get(address)
    if (known !== undefined) return known
    const record = account && this.#toRecord(address, account)
    this.#accounts.set(address, record)
    return record
  }

  #storeSlot(address: Address, slot: Hex, value: bigint): void {
    let slots = this.#slots.get(address)
    if (slots === undefined) {
      slots = new Map()
      this.#slots.set(address, slots)
    }
    if (!slots.has(slot)) slots.set(slot, value)
  }

  #toRecord(address: Address, { balance, nonce, code }: RemoteAccount): AccountRecord {
    let codeHash = EMPTY_CODE_HASH
    if (code !== '0x') {
      const bytes = knownHexToBytes(code)
      codeHash = this.#parts.crypto.keccak256Hex(bytes)
      this.#codes.set(codeHash, bytes)
    }
    this.#addresses.push(address)
    return { nonce, balance, codeHash, storageId: -this.#addresses.length, slotCount: 0 }
  }
}

function distinct(keys: readonly StateKey[]): StateKey[] {
  return [...new Map(keys.map((key) => [nameOfKey(key), key])).values()]
}

interface ChangedAccount {
  /** Null if it was deleted. */
  readonly record: AccountRecord | null
  /** The written slots of a forked storage, or the non-zero slots of another storage. */
  readonly storage: TrieRoot<bigint>
}

const DOMAIN = new TextEncoder().encode('preseal/fork')

const SLOT_CODEC = { encode: (value: bigint) => encodeRlp(bigintToBytes(value)) }

/**
 * What headers after a fork commit to as their state: the forked state, and what was changed since.
 *
 *   root = keccak256('preseal/fork' ‖ state root of the forked block ‖ root of the trie of changes)
 *
 * The state root of a real chain would need a proof for each key that is changed. This one is as deterministic, and
 * equal to no real one. A deleted account and a cleared slot are leaves too, so that it covers every change. An account that
 * is as it was forked is none, so that the root follows from the state, however that was reached.
 */
export class ChangesTrie extends OtherCommitment {
  readonly #forkedRoot: Hash
  readonly #forked: Pick<StateSource, 'account'>
  readonly #changes: TrieRoot<ChangedAccount>

  /**
   * @param forkedRoot - the state root of the forked block.
   * @param forked - its state; an account that is changed was read before.
   */
  constructor(
    forkedRoot: Hash,
    forked: Pick<StateSource, 'account'>,
    changes: TrieRoot<ChangedAccount> = null,
  ) {
    super()
    this.#forkedRoot = forkedRoot
    this.#forked = forked
    this.#changes = changes
  }

  override update(changes: StateChanges, crypto: Crypto): ChangesTrie {
    const leaves: TrieChange<ChangedAccount>[] = []
    for (const [address, record] of changes.accounts) {
      const key = addressKey(address, crypto)
      const storage = record && this.#storageOf(record, trieGet(this.#changes, key), changes, crypto)
      const isForked = storage === null && isSameAccount(record, this.#forked.account(address))
      leaves.push([key, isForked ? null : { record, storage }])
    }
    return new ChangesTrie(this.#forkedRoot, this.#forked, trieUpdate(this.#changes, leaves))
  }

  #storageOf(
    { storageId }: AccountRecord,
    before: ChangedAccount | undefined,
    changes: StateChanges,
    crypto: Crypto,
  ): TrieRoot<bigint> {
    // Another storage id means that the storage was cleared since.
    const storage = before?.record?.storageId === storageId ? before.storage : null
    const slots = storageId === 0 ? undefined : changes.slots.get(storageId)
    if (slots === undefined) return storage
    const written: TrieChange<bigint>[] = []
    for (const [slot, value] of slots) {
      written.push([slotKey(slot, crypto), value === 0n && storageId > 0 ? null : value])
    }
    return trieUpdate(storage, written)
  }

  override root(crypto: Crypto): Uint8Array {
    const { keccak256 } = crypto
    const codec = {
      encode({ record, storage }: ChangedAccount): Uint8Array {
        if (record === null) return encodeRlp([])
        return encodeRlp([
          bigintToBytes(record.nonce),
          bigintToBytes(record.balance),
          hexToBytes(record.codeHash),
          trieHash(storage, SLOT_CODEC, keccak256),
          // Whether slots that are no leaf are those of the forked chain, or zero.
          bigintToBytes(record.storageId < 0 ? 1n : 0n),
        ])
      },
    }
    const changes = trieHash(this.#changes, codec, keccak256)
    return keccak256(concatBytes(DOMAIN, hexToBytes(this.#forkedRoot), changes))
  }
}
