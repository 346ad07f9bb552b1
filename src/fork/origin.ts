/**
 * The state of the forked chain at the block of the fork, as the source under all versions of the state.
 *
 *   read ─► known: its value    unknown: NotLoaded ─► load(keys): one trip for all of them ─► read again
 *
 * Owns: what the forked node answered. A value never changes once it is known, and codes are addressed by content.
 */
import type { Crypto } from '../crypto/crypto.ts'
import { hexToBytes, quantity as quantityToHex } from '../primitives/bytes.ts'
import { Missing } from '../primitives/missing.ts'
import type { Address, Hash, Hex } from '../primitives/types.ts'
import { type AccountRecord, EMPTY_CODE_HASH, NO_CODE, type StateChanges } from '../state/account.ts'
import type { StateSource } from '../state/source.ts'
import { blockOrNull, hexUpTo, quantity, storageWord } from './answers.ts'
import { ForkedChainChangedError } from './errors.ts'
import type { Remote, RemoteRequest } from './remote.ts'

/** An account, or with `slot` one of its slots. */
export interface StateKey {
  readonly address: Address
  /** 32 bytes. */
  readonly slot?: Hex
}

/** State that the forked node has not been asked for yet. */
export class NotLoaded extends Missing {
  override name = 'NotLoaded'
  readonly keys: readonly StateKey[]

  constructor(keys: readonly StateKey[], load: () => Promise<void>) {
    super(load)
    this.keys = keys
  }
}

/** The parameter of requests that names the block: by hash (EIP-1898), or by number for a node that takes no hash. */
export type BlockParameter = { readonly blockHash: Hash } | Hex

/** The dependencies of an {@link Origin}. */
export interface OriginParts {
  readonly remote: Remote
  readonly crypto: Crypto
  readonly number: bigint
  readonly hash: Hash
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
  #block: BlockParameter

  constructor(parts: OriginParts) {
    this.#parts = parts
    this.#block = { blockHash: parts.hash }
  }

  /** How its requests name the block. */
  get block(): BlockParameter {
    return this.#block
  }

  /** Names the block by its number from now on. */
  nameByNumber(): void {
    this.#block = quantityToHex(this.#parts.number)
  }

  account(address: Address): AccountRecord | null {
    const account = this.#accounts.get(address)
    if (account === undefined) throw this.#notLoaded({ address })
    return account
  }

  slot(storageId: number, slot: Hex): bigint {
    const address = this.#addresses[-storageId - 1]
    // Storage without an id is empty.
    if (address === undefined) return 0n
    const value = this.#slots.get(address)?.get(slot)
    if (value === undefined) throw this.#notLoaded({ address, slot })
    return value
  }

  code(codeHash: Hash): Uint8Array {
    return this.#codes.get(codeHash) ?? NO_CODE
  }

  /** What the versions hold is all that is known without reading the whole forked state. */
  everything(): StateChanges {
    return { accounts: new Map(), slots: new Map(), codes: new Map() }
  }

  /** Whether a key can be read without a request. */
  has({ address, slot }: StateKey): boolean {
    if (slot === undefined) return this.#accounts.has(address)
    return this.#slots.get(address)?.has(slot) === true
  }

  /**
   * Loads keys in one trip, together with another request.
   *
   * @param also - a request whose failure is left to the caller.
   * @returns how `also` was settled; undefined without it.
   * @throws the error of the first request that fails; the keys whose requests succeeded are loaded.
   */
  async load(
    keys: readonly StateKey[],
    also?: RemoteRequest,
  ): Promise<PromiseSettledResult<unknown> | undefined> {
    const requests: RemoteRequest[] = []
    const stores: ((answers: readonly unknown[]) => void)[] = []
    const starts: number[] = []
    for (const key of distinct(keys)) {
      if (this.has(key)) continue
      starts.push(requests.length)
      requests.push(...this.#requestsFor(key))
      stores.push((answers) => this.#store(key, answers))
    }
    starts.push(requests.length)
    const isChecked = requests.length > 0 && this.#isByNumber
    if (isChecked) requests.push(this.#blockRequest())
    if (also !== undefined) requests.push(also)
    if (requests.length === 0) return undefined
    const settled = await this.#parts.remote.askAll(requests)
    if (isChecked) this.#checkBlock(settled[starts.at(-1)!])
    let failure: PromiseRejectedResult | undefined
    for (const [i, store] of stores.entries()) {
      const own = settled.slice(starts[i]!, starts[i + 1]!)
      const failed = own.find(({ status }) => status === 'rejected')
      if (failed === undefined) store(own.map((one) => (one as PromiseFulfilledResult<unknown>).value))
      else failure ??= failed as PromiseRejectedResult
    }
    if (failure !== undefined) throw failure.reason
    return also === undefined ? undefined : settled.at(-1)
  }

  get #isByNumber(): boolean {
    return typeof this.#block === 'string'
  }

  /** Which block has the number. */
  #blockRequest(): RemoteRequest {
    const params = [quantityToHex(this.#parts.number), false]
    const read = (answer: unknown) => blockOrNull(answer)?.hash.toLowerCase()
    return { method: 'eth_getBlockByNumber', params, read, isPinned: false }
  }

  /** @throws ForkedChainChangedError if the state by number is that of another block. */
  #checkBlock(asked: PromiseSettledResult<unknown> | undefined): void {
    if (asked?.status === 'rejected') throw asked.reason
    const { number, hash } = this.#parts
    if (asked !== undefined && asked.value !== hash) throw new ForkedChainChangedError(number)
  }

  #notLoaded(key: StateKey): NotLoaded {
    return new NotLoaded([key], async () => {
      await this.load([key])
    })
  }

  #requestsFor({ address, slot }: StateKey): readonly RemoteRequest[] {
    const { number: stateOf } = this.#parts
    const block = this.#block
    const ask = (method: string, params: readonly unknown[], read: RemoteRequest['read']): RemoteRequest => ({
      method,
      params: [...params, block],
      read,
      // A number names another block after a reorganisation.
      isPinned: !this.#isByNumber,
      stateOf,
    })
    if (slot !== undefined) return [ask('eth_getStorageAt', [address, slot], storageWord)]
    return [
      ask('eth_getBalance', [address], quantity(256)),
      ask('eth_getTransactionCount', [address], quantity(64)),
      ask('eth_getCode', [address], hexUpTo()),
    ]
  }

  #store({ address, slot }: StateKey, answers: readonly unknown[]): void {
    // Another trip may have loaded it meanwhile; what was read is never replaced.
    if (this.has({ address, ...(slot !== undefined && { slot }) })) return
    if (slot === undefined) {
      this.#accounts.set(address, this.#toAccount(address, ...(answers as [bigint, bigint, Hex])))
      return
    }
    let slots = this.#slots.get(address)
    if (slots === undefined) {
      slots = new Map()
      this.#slots.set(address, slots)
    }
    slots.set(slot, BigInt(answers[0] as Hash))
  }

  /** Nodes answer for an absent account as for an empty one, which no state has since EIP-161. */
  #toAccount(address: Address, balance: bigint, nonce: bigint, code: Hex): AccountRecord | null {
    if (balance === 0n && nonce === 0n && code === '0x') return null
    let codeHash = EMPTY_CODE_HASH
    if (code !== '0x') {
      const bytes = hexToBytes(code)
      codeHash = this.#parts.crypto.keccak256Hex(bytes)
      this.#codes.set(codeHash, bytes)
    }
    this.#addresses.push(address)
    return { nonce, balance, codeHash, storageId: -this.#addresses.length, slotCount: 0 }
  }
}

function distinct(keys: readonly StateKey[]): StateKey[] {
  const byName = new Map<string, StateKey>()
  for (const key of keys) byName.set(`${key.address}${key.slot ?? ''}`, key)
  return [...byName.values()]
}
