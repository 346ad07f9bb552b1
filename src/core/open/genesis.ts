/** The genesis block and the state after it. */

import {
  bigintToBytes32,
  bytesToHex,
  hexToBytes,
  knownHexToBytes,
  quantity,
  toWord,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { InvalidOptionError } from '../../base/errors.ts'
import { balanceOf } from '../../base/options/accountOptions.ts'
import type { Address, DevAccount, GethGenesis, Hash, Hex } from '../../base/types.ts'
import type { Block } from '../../ethereum/block.ts'
import { DEPOSIT_CONTRACT } from '../../ethereum/depositContract.ts'
import { createHeader, measureHeader } from '../../ethereum/header.ts'
import { type ChainRules, createChainRules, DEFAULT_HARDFORK, hardforkConfig } from '../../ethereum/rules.ts'
import { type AccountRecord, EMPTY_CODE_HASH, type StateChanges } from '../../ethereum/state/account.ts'
import { stateRoot, UnbuiltTrie, updateStateTrie } from '../../ethereum/state/stateTrie.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  CONSOLIDATION_REQUESTS,
  CREATE2_PROXY,
  type GenesisContract,
  WITHDRAWAL_REQUESTS,
} from '../../ethereum/systemContracts.ts'
import { blockSize, type CoreOptions } from '../block/attributes.ts'
import type { StartedGenesis } from '../import/start.ts'
import type { AllocRoot } from '../ledger/storedChange.ts'
import type { ResolvedOptions } from '../options.ts'
import multicall3 from './predeploys/multicall3.json'
import type { Predeployed } from './predeploys/predeploys.ts'

type State = Pick<StartedGenesis, 'changes' | 'stateTrie'>

interface GenesisState extends State {
  readonly root: Hash
}

interface Genesis extends StartedGenesis {
  /** The state root of the alloc, to be stored with the chain; undefined if `buildGenesis` gets no `known`. */
  readonly allocRoot?: AllocRoot | undefined
}

/**
 * Returns the geth genesis of a chain with its dev accounts: the given one, or one with the system contracts.
 *
 * @param timestamp - Unix time in seconds, used if no genesis is given.
 * @param predeployed - contracts to add. If undefined, a given genesis gets none, and the default one has the CREATE2
 *   proxy and Multicall3.
 * @throws InvalidOptionError if the given genesis has an account at the address of a contract.
 */
export function toGethGenesis(
  options: ResolvedOptions,
  accounts: readonly DevAccount[],
  timestamp: bigint,
  predeployed?: readonly Predeployed[],
): GethGenesis {
  const funded = Object.fromEntries(
    accounts.map(({ address }, i) => [address, { balance: quantity(balanceOf(options.accounts, i)) }]),
  )
  const contracts = toAlloc(predeployed ?? [])
  if (options.genesis !== undefined) {
    // Not copied, since copying a large genesis is slow.
    if (accounts.length === 0 && predeployed === undefined) return options.genesis
    const { alloc } = options.genesis
    if (predeployed !== undefined) checkFree(predeployed, alloc)
    return { ...options.genesis, alloc: { ...alloc, ...contracts, ...funded } }
  }
  // DEFAULT_ALLOC has a known state, so it is used if all of its contracts are included.
  const hasDefault = DEFAULT_CONTRACTS.every(({ address }) => address in contracts)
  return {
    config: hardforkConfig(options.chainId, options.hardfork ?? DEFAULT_HARDFORK),
    alloc:
      predeployed === undefined || hasDefault
        ? { ...contracts, ...DEFAULT_ALLOC, ...funded }
        : { ...SYSTEM_ALLOC, ...contracts, ...funded },
    gasLimit: quantity(options.gasLimit),
    timestamp: quantity(timestamp),
    baseFeePerGas: quantity(options.fixedBaseFee ?? options.initialBaseFeePerGas),
  }
}

function checkFree(predeployed: readonly Predeployed[], alloc: Alloc): void {
  const taken = new Set(Object.keys(alloc).map((key) => key.toLowerCase().replace(/^(?!0x)/, '0x')))
  for (const { name, address } of predeployed) {
    const expected = `contracts that genesis.alloc does not have: ${name} is at ${address}`
    if (taken.has(address)) throw new InvalidOptionError('predeploys', expected)
  }
}

/** A genesis block with the document from which it was built, and the rules of the chain. */
export interface GenesisWithRules extends Genesis {
  readonly geth: GethGenesis
  readonly rules: ChainRules
}

/**
 * Builds the genesis of a chain from its options; for the other parameters see {@link toGethGenesis}.
 *
 * @param storedRoot - root of the alloc of the stored genesis block, if any.
 * @throws InvalidOptionError naming the field that cannot be read.
 */
export function openGenesis(
  options: CoreOptions,
  accounts: readonly DevAccount[],
  timestamp: bigint,
  storedRoot: AllocRoot | undefined,
  crypto: Crypto,
  predeployed?: readonly Predeployed[],
): GenesisWithRules {
  const geth = toGethGenesis(options, accounts, timestamp, predeployed)
  const rules = createChainRules(geth, options)
  const isKept = options.database !== undefined && options.genesis !== undefined
  const known = isKept ? { digest: digestOf(geth.alloc, crypto), root: storedRoot } : undefined
  // Not spread, since reading the getters would build the state.
  return Object.assign(buildGenesis(geth, rules, crypto, known), { geth, rules })
}

/**
 * Builds the state and the block of a genesis.
 *
 * @param known - the digest of the alloc, and a stored root with the digest of its alloc. If the digests are equal, the
 *   state is built when it is first read: a large one takes seconds, and a stored chain rarely reads it.
 * @throws InvalidOptionError naming the field that cannot be read.
 */
export function buildGenesis(
  genesis: GethGenesis,
  rules: ChainRules,
  crypto: Crypto,
  known?: { readonly digest: Hash; readonly root: AllocRoot | undefined },
): Genesis {
  let built: GenesisState | undefined
  const state = (): GenesisState => {
    built ??= allocToState(genesis.alloc, crypto)
    return built
  }
  const root = (known?.root?.digest === known?.digest ? known?.root?.root : undefined) ?? state().root
  const timestamp = readNumber(genesis.timestamp ?? 0, 'timestamp', 42)
  const difficulty = readNumber(genesis.difficulty ?? 0, 'difficulty', 256)
  const at = rules.at(0n, timestamp, difficulty)
  const { fork } = at
  const readHex = (value: string | undefined, absent: Hex, name: string, length?: number): Hex =>
    (value ?? absent) === absent ? absent : bytesToHex(readBytes(value, name, length))
  const header = createHeader(
    {
      stateRoot: root,
      gasLimit: readNumber(genesis.gasLimit, 'gasLimit'),
      timestamp,
      difficulty,
      extraData: readHex(genesis.extraData, '0x', 'extraData'),
      nonce: bytesToHex(bigintToBytes32(readNumber(genesis.nonce ?? 0, 'nonce')).subarray(24)),
      miner: readHex(genesis.coinbase, ZERO_ADDRESS, 'coinbase', 20),
      mixHash: readHex(genesis.mixHash, ZERO_HASH, 'mixHash', 32),
      baseFeePerGas: fork.london
        ? readNumber(genesis.baseFeePerGas ?? 1_000_000_000, 'baseFeePerGas', 256)
        : undefined,
      blobGasUsed: fork.cancun ? readNumber(genesis.blobGasUsed ?? 0, 'blobGasUsed', 32) : undefined,
      excessBlobGas: fork.cancun ? readNumber(genesis.excessBlobGas ?? 0, 'excessBlobGas', 32) : undefined,
    },
    at,
  )
  const { hash, size } = measureHeader(header)
  const withdrawals = fork.shanghai ? [] : undefined
  const block: Block = {
    header,
    hash,
    number: 0n,
    timestamp,
    rules: at,
    transactions: [],
    receipts: [],
    uncles: [],
    withdrawals,
    size: blockSize(size, 0, withdrawals),
  }
  return {
    block,
    allocRoot: known && { digest: known.digest, root },
    get changes() {
      return state().changes
    },
    get stateTrie() {
      return state().stateTrie
    },
  }
}

/** The digest of an alloc as written; allocs written differently can have the same state. */
function digestOf(alloc: Alloc, crypto: Crypto): Hash {
  return crypto.keccak256Hex(new TextEncoder().encode(textOf(alloc)))
}

/** Returns an alloc as JSON. A replacer makes this several times slower, so it is used only if there are bigints. */
function textOf(alloc: Alloc): string {
  try {
    return JSON.stringify(alloc)
  } catch {
    return JSON.stringify(alloc, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
  }
}

function toAlloc(contracts: readonly GenesisContract[]): Alloc {
  return Object.fromEntries(
    contracts.map(({ address, code, nonce, storage }) => [
      address,
      { balance: '0x0', nonce: quantity(nonce), code, ...(storage && { storage }) },
    ]),
  )
}

const SYSTEM_ALLOC: Alloc = toAlloc([
  BEACON_ROOTS,
  BLOCK_HASHES,
  WITHDRAWAL_REQUESTS,
  CONSOLIDATION_REQUESTS,
  DEPOSIT_CONTRACT,
])

/** Contracts of the default genesis that the protocol does not need, in their order in the alloc. */
const DEFAULT_CONTRACTS: readonly GenesisContract[] = [
  CREATE2_PROXY,
  ...multicall3.map(({ address, code, nonce }) => ({
    address: address as Address,
    code: code as Hex,
    nonce: BigInt(nonce),
  })),
]

const DEFAULT_ALLOC: Alloc = { ...SYSTEM_ALLOC, ...toAlloc(DEFAULT_CONTRACTS) }

/** The state of {@link DEFAULT_ALLOC}, and the last state with more accounts, which most chains of a process share. */
interface DefaultStates {
  contracts?: GenesisState
  funded?: { readonly accounts: string; readonly state: GenesisState }
}

const defaultStates = new WeakMap<Crypto, DefaultStates>()

function allocToState(alloc: Alloc, crypto: Crypto): GenesisState {
  const others = withoutDefault(alloc)
  if (others === undefined) return addAccounts(NO_STATE, alloc, crypto)
  const cached = defaultStates.get(crypto) ?? {}
  defaultStates.set(crypto, cached)
  const accounts = JSON.stringify(others)
  if (cached.funded?.accounts !== accounts) {
    const toState = (): GenesisState => {
      if (crypto.keccak256Hex(new TextEncoder().encode(accounts)) === DEFAULT_ROOT.digest)
        return addAccounts(NO_STATE, alloc, crypto, DEFAULT_ROOT.root)
      cached.contracts ??= addAccounts(NO_STATE, DEFAULT_ALLOC, crypto)
      return addAccounts(cached.contracts, others, crypto)
    }
    cached.funded = { accounts, state: toState() }
  }
  return cached.funded.state
}

/** The digest of the default dev accounts as an alloc, and the state root of the default genesis with them. */
const DEFAULT_ROOT: AllocRoot = {
  digest: '0x522f21a85431bc749c85e1c8b54a8f0cf3eca94891e973fe9c7d6f3ac840392e',
  root: '0x931136ed6a97b9b87691416dff0ca6a04d83f04115386aed3d168ecae6731539',
}

/** Returns an alloc without the contracts of {@link DEFAULT_ALLOC}; undefined if it lacks one of them. */
function withoutDefault(alloc: Alloc): Alloc | undefined {
  const others = { ...alloc }
  for (const [address, contract] of Object.entries(DEFAULT_ALLOC)) {
    if (others[address] !== contract) return undefined
    delete others[address]
  }
  return others
}

const NO_STATE: State = {
  changes: { accounts: new Map(), slots: new Map(), codes: new Map() },
  stateTrie: null,
}

/** @param root - the root of the state with the accounts, if known. The trie is then built when it is first read. */
function addAccounts(before: State, alloc: Alloc, crypto: Crypto, root?: Hash): GenesisState {
  const { accounts, slots, codes, lastStorageId = 0 } = before.changes
  const added = allocToChanges(alloc, lastStorageId, crypto)
  const build = () => updateStateTrie(before.stateTrie, added, crypto)
  const stateTrie = root === undefined ? build() : new UnbuiltTrie(hexToBytes(root), build)
  return {
    changes: {
      accounts: new Map([...accounts, ...added.accounts]),
      slots: new Map([...slots, ...added.slots]),
      codes: new Map([...codes, ...added.codes]),
      lastStorageId: added.lastStorageId,
    },
    stateTrie,
    root: root ?? bytesToHex(stateRoot(stateTrie, crypto)),
  }
}

type Alloc = GethGenesis['alloc']

/** Returns the state of an alloc. @param lastStorageId - the last id in use. @throws InvalidOptionError */
function allocToChanges(alloc: Alloc, lastStorageId: number, crypto: Crypto): StateChanges {
  let lastId = lastStorageId
  const accounts = new Map<Address, AccountRecord>()
  const slots = new Map<number, Map<Hex, bigint>>()
  const codes = new Map<Hash, Uint8Array>()
  for (const [key, account] of Object.entries(alloc)) {
    const at = `alloc.${key}`
    const address = bytesToHex(readBytes(key, at, 20))
    const code = readBytes(account.code ?? '0x', `${at}.code`)
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : crypto.keccak256Hex(code)
    if (code.length > 0) codes.set(codeHash, code)
    const storage = new Map<Hex, bigint>()
    for (const [slot, value] of Object.entries(account.storage ?? {})) {
      const word = readWord(value, `${at}.storage.${slot}`)
      if (word !== 0n) storage.set(toWord(readWord(slot, `${at}.storage`)), word)
    }
    const storageId = storage.size === 0 ? 0 : ++lastId
    if (storageId !== 0) slots.set(storageId, storage)
    const nonce = readNumber(account.nonce ?? 0, `${at}.nonce`)
    const balance = readNumber(account.balance ?? 0, `${at}.balance`, 256)
    accounts.set(address, { nonce, balance, codeHash, storageId, slotCount: storage.size })
  }
  return { accounts, slots, codes, lastStorageId: lastId }
}

/** Reads a number as geth does: hex with `0x` or decimal, as a string or a JSON number. @throws InvalidOptionError */
function readNumber(value: unknown, field: string, bits = 64): bigint {
  const text = String(value)
  const number = /^(0x[0-9a-f]+|\d+)$/i.test(text) ? BigInt(text) : -1n
  if (number >= 0n && number < 1n << BigInt(bits)) return number
  throw new InvalidOptionError(`genesis.${field}`, `an integer >= 0 of up to ${bits} bits`)
}

/** Reads a slot's key or value as geth does: hex, with or without `0x` and leading zeros. */
function readWord(value: unknown, field: string): bigint {
  const digits = readDigits(value, field, 'a hex string')
  if (digits.length <= 64) return BigInt(`0x0${digits}`)
  throw new InvalidOptionError(`genesis.${field}`, 'a hex string of up to 32 bytes')
}

/** From this many digits on, {@link knownHexToBytes} is faster than {@link hexToBytes}. */
const LONG = 256

/** Reads hex, with or without `0x`. @param length - required number of bytes. @throws InvalidOptionError */
function readBytes(value: unknown, field: string, length?: number): Uint8Array {
  const expected = length === undefined ? 'a hex string' : `a hex string of ${length} bytes`
  const digits = readDigits(value, field, expected)
  const toBytes = digits.length >= LONG && digits.length % 2 === 0 ? knownHexToBytes : hexToBytes
  const bytes = toBytes(`0x${digits}`)
  if (bytes.length === (length ?? bytes.length)) return bytes
  throw new InvalidOptionError(`genesis.${field}`, expected)
}

function readDigits(value: unknown, field: string, expected: string): string {
  const digits = String(value).replace(/^0x/i, '')
  if (/^[0-9a-f]*$/i.test(digits)) return digits
  throw new InvalidOptionError(`genesis.${field}`, expected)
}
