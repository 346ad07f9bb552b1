/**
 * The state of the forked block, as the source below all versions of the state.
 *
 *   read ─► known or cached: its value    unknown: NotLoaded ─► load(keys): one trip for all of them ─► read again
 *
 * Owns: the answers of the forked node. A known value never changes, and codes are stored by their hash.
 */

import {
  bigintToBytes,
  concatBytes,
  hexToBytes,
  knownHexToBytes,
  quantity as quantityToHex,
} from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
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
import { hashedKey, OtherCommitment } from '../../ethereum/state/stateTrie.ts'
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

/** State that has not been loaded from the forked node yet. */
export class NotLoaded extends Missing {
  override name = 'NotLoaded'
  readonly keys: readonly StateKey[]

  constructor(keys: readonly StateKey[], load: () => Promise<void>) {
    super(load)
    this.keys = keys
  }
}

interface OriginParts {
  readonly remote: Remote
  readonly crypto: Crypto
  readonly number: bigint
  readonly hash: Hash
  /** If given, proofs are verified against it. */
  readonly stateRoot?: Hash | undefined
}

/** What to load with a trip that is needed anyway. */
interface LoadedTogether {
  /** Keys that may be needed later. Failures are ignored. */
  readonly hints?: readonly StateKey[]
  /** A request to send too. Its failure does not fail the load. */
  readonly also?: RemoteRequest | undefined
}

/** See the file's header. */
export class Origin implements StateSource {
  /** Ids of forked storages are negative. */
  readonly lastStorageId = 0
  readonly #parts: OriginParts
  readonly #accounts = new Map<Address, AccountRecord | null>()
  readonly #codes = new Map<Hash, Uint8Array>()
  readonly #slots = new Map<Address, Map<Hex, bigint>>()
  /** The addresses of the storages -1, -2, … */
  readonly #addresses: Address[] = []
  readonly #reads: StateReads
  block: BlockParameter
  /** Requests for the block by its hash and by its number. */
  #bothNames: Promise<readonly PromiseSettledResult<unknown>[]> | undefined
  #watched: Map<string, StateKey> | undefined

  constructor(parts: OriginParts) {
    const { remote, crypto, number, hash, stateRoot } = parts
    this.#parts = parts
    this.block = { blockHash: hash }
    // A reorganisation can change the block at a number.
    const at = () => ({ block: this.block, isPinned: !this.#isByNumber, stateOf: number })
    this.#reads =
      stateRoot === undefined
        ? createPlainReads(remote, at)
        : createProvenReads(remote, at, { crypto, stateRoot })
  }

  nameByNumber(): void {
    this.block = quantityToHex(this.#parts.number)
  }

  /** Runs a function, and adds the keys that it reads to `into`, by name. */
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

  /** Returns only the codes, which accounts of later versions may still have. The state as a whole is not known. */
  everything(): StateChanges {
    return { accounts: new Map(), slots: new Map(), codes: this.#codes }
  }

  has({ address, slot }: StateKey): boolean {
    if (slot === undefined) return this.#accounts.has(address)
    return this.#slots.get(address)?.has(slot) === true
  }

  /**
   * Loads keys in one trip, or in three if the node turns out to refuse hashes.
   *
   * @returns the result of `also`; undefined if it was not sent, or if the node refused the block's hash.
   * @throws ForkedChainChangedError, or the error of the first unreadable key, after loading the rest
   */
  async load(
    keys: readonly StateKey[],
    together: LoadedTogether = {},
  ): Promise<PromiseSettledResult<unknown> | undefined> {
    const named = this.block
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

  /** Whether the node accepts the block's number, but not its hash (EIP-1898). Asks again if both requests failed. */
  async #isHashRefused(): Promise<boolean> {
    const { remote, number, hash } = this.#parts
    const named = [{ blockHash: hash }, quantityToHex(number)] as const
    this.#bothNames ??= askAll(remote, named.map(requestAt))
    const isAccepted = (await this.#bothNames).map(({ status }) => status === 'fulfilled')
    if (!isAccepted.includes(true)) this.#bothNames = undefined
    return isAccepted[0] === false && isAccepted[1] === true
  }

  async #load(
    keys: readonly StateKey[],
    { hints = [], also }: LoadedTogether,
  ): Promise<PromiseSettledResult<unknown> | undefined> {
    const needed = distinct(keys).filter((key) => !this.has(key))
    if (needed.length === 0) return undefined
    const { remote, number, hash } = this.#parts
    const isTrip = needed.some((key) => !this.#reads.isCached(key))
    const others = distinct([...needed, ...hints])
      .slice(needed.length)
      .filter((key) => !this.has(key) && (isTrip || this.#reads.isCached(key)))
    const reads = Promise.allSettled([...needed, ...others].map((key) => this.#read(key)))
    const checked = isTrip && this.#isByNumber ? askAll(remote, [hashRequest(number)]) : []
    const asksAlso = also !== undefined && (isTrip || remote.cached?.(also) !== undefined)
    const asked = asksAlso ? askAll(remote, [also]) : []
    const [stores, [block], [answer]] = await Promise.all([reads, checked, asked])
    if (block !== undefined && resultOf(block) !== hash) throw new ForkedChainChangedError(number)
    for (const store of stores) if (store.status === 'fulfilled') store.value()
    const failed = stores.slice(0, needed.length).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
    return answer
  }

  get #isByNumber(): boolean {
    return typeof this.block === 'string'
  }

  #notLoaded(key: StateKey): NotLoaded {
    return new NotLoaded([key], async () => {
      await this.load([key])
    })
  }

  /** Reads a key. @returns a function that stores it */
  async #read({ address, slot }: StateKey): Promise<() => unknown> {
    if (slot === undefined) {
      const account = await this.#reads.account(address)
      return () => this.#storeAccount(address, account)
    }
    const value = await this.#reads.slot(address, slot)
    return () => this.#storeSlot(address, slot, value)
  }

  /** @returns the stored record: the earlier one if the account was known already */
  #storeAccount(address: Address, account: RemoteAccount | null): AccountRecord | null {
    // A concurrent trip may have loaded it. Known values are never replaced.
    const known = this.#accounts.get(address)
    if (known !== undefined) return known
    const record = account && this.#toRecord(address, account)
    this.#accounts.set(address, record)
    return record
  }

  #storeSlot(address: Address, slot: Hex, value: bigint): void {
    const slots = getOrInsert(this.#slots, address, () => new Map<Hex, bigint>())
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
  readonly record: AccountRecord | null
  /** The written slots of a forked storage, or the non-zero slots of a new one. */
  readonly storage: TrieRoot<bigint>
}

const DOMAIN = new TextEncoder().encode('preseal/fork')

const SLOT_CODEC = { encode: (value: bigint) => encodeRlp(bigintToBytes(value)) }

/**
 * The state commitment in headers after a fork: the forked state, and the changes since.
 *
 *   root = keccak256('preseal/fork' ‖ state root of the forked block ‖ root of the trie of changes)
 *
 * A real state root would need a proof per changed key. This root is as deterministic, and never equals a real one.
 * Deleted accounts and cleared slots are leaves, so that the root covers every change. An account that equals the
 * forked one is no leaf, so that the root depends on the state alone, not on its history.
 */
export class ChangesTrie extends OtherCommitment {
  readonly #forkedRoot: Hash
  readonly #forked: Pick<StateSource, 'account'>
  readonly #changes: TrieRoot<ChangedAccount>

  /** @param forkedRoot - the state root of the forked block. @param forked - its state, with changed accounts loaded. */
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
      const key = hashedKey(address, crypto)
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
    // A different storage id means that the storage was cleared.
    const storage = before?.record?.storageId === storageId ? before.storage : null
    const slots = storageId === 0 ? undefined : changes.slots.get(storageId)
    if (slots === undefined) return storage
    const written: TrieChange<bigint>[] = []
    for (const [slot, value] of slots) {
      written.push([hashedKey(slot, crypto), value === 0n && storageId > 0 ? null : value])
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
          // 1 if the remaining slots are the forked chain's, 0 if they are zero.
          bigintToBytes(record.storageId < 0 ? 1n : 0n),
        ])
      },
    }
    const changes = trieHash(this.#changes, codec, keccak256)
    return keccak256(concatBytes(DOMAIN, hexToBytes(this.#forkedRoot), changes))
  }
}
