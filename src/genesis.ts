/** The first block and the state it starts from. */
import { createBlockHeader } from '@ethereumjs/block'
import { RLP } from '@ethereumjs/rlp'
import { bigintToBytes32, bytesToHex, hexToBytes } from './bytes.ts'
import type { Crypto } from './crypto.ts'
import { InvalidHexError, InvalidOptionError } from './errors.ts'
import type { Block } from './ledger/block.ts'
import { DEFAULT_BALANCE, type ResolvedOptions } from './options.ts'
import { type ChainRules, hardforkConfig } from './rules.ts'
import { type AccountRecord, EMPTY_CODE_HASH, nextStorageId, type StateChanges } from './state/account.ts'
import { type StateTrie, stateRoot, updateStateTrie } from './state/stateTrie.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  CONSOLIDATION_REQUESTS,
  DEPOSIT_CONTRACT,
  WITHDRAWAL_REQUESTS,
} from './systemContracts.ts'
import type { Address, DevAccount, GethGenesis, Hash, Hex } from './types.ts'

/** A genesis, executed. */
export interface Genesis {
  readonly block: Block
  readonly changes: StateChanges
  readonly stateTrie: StateTrie
}

/**
 * The geth genesis of a chain: the one given, or one with the system contracts and the dev accounts.
 *
 * @param timestamp - Unix time in seconds, where no genesis is given.
 */
export function toGethGenesis(
  options: ResolvedOptions,
  accounts: readonly DevAccount[],
  timestamp: bigint,
): GethGenesis {
  const balance = 'balance' in options.accounts ? options.accounts.balance : DEFAULT_BALANCE
  const funded = Object.fromEntries(
    accounts.map(({ address }) => [address, { balance: `0x${balance.toString(16)}` }]),
  )
  if (options.genesis !== undefined) {
    return { ...options.genesis, alloc: { ...options.genesis.alloc, ...funded } }
  }
  const contracts = SYSTEM_CONTRACTS.map(({ address, code, nonce, storage }) => [
    address,
    { balance: '0x0', nonce: `0x${nonce.toString(16)}`, code, ...(storage && { storage }) },
  ])
  return {
    config: hardforkConfig(options.chainId, options.hardfork),
    alloc: { ...Object.fromEntries(contracts), ...funded },
    gasLimit: `0x${options.gasLimit.toString(16)}`,
    timestamp: `0x${timestamp.toString(16)}`,
    baseFeePerGas: `0x${(options.fixedBaseFee ?? options.baseFeePerGas).toString(16)}`,
    extraData: options.extraData,
    coinbase: options.coinbase,
  }
}

/**
 * Builds the state and the block of a genesis.
 *
 * @throws InvalidOptionError naming the field that cannot be read.
 */
export function buildGenesis(genesis: GethGenesis, rules: ChainRules, crypto: Crypto): Genesis {
  const changes = allocToChanges(genesis.alloc, crypto)
  const stateTrie = updateStateTrie(null, changes, crypto)
  const timestamp = readQuantity(genesis.timestamp ?? '0x0', 'timestamp')
  const at = rules.at(0n, timestamp)
  const { fork, common } = at
  const header = createBlockHeader(
    {
      stateRoot: stateRoot(stateTrie, crypto),
      gasLimit: readQuantity(genesis.gasLimit, 'gasLimit'),
      timestamp,
      difficulty: readQuantity(genesis.difficulty ?? '0x0', 'difficulty'),
      extraData: readBytes(genesis.extraData ?? '0x', 'extraData'),
      nonce: bigintToBytes32(readQuantity(genesis.nonce ?? '0x0', 'nonce')).subarray(24),
      coinbase: readBytes(genesis.coinbase ?? `0x${'00'.repeat(20)}`, 'coinbase'),
      mixHash: readBytes(genesis.mixHash ?? `0x${'00'.repeat(32)}`, 'mixHash'),
      baseFeePerGas: readQuantity(genesis.baseFeePerGas ?? '0x3b9aca00', 'baseFeePerGas'),
      ...(fork.cancun && {
        blobGasUsed: readQuantity(genesis.blobGasUsed ?? '0x0', 'blobGasUsed'),
        excessBlobGas: readQuantity(genesis.excessBlobGas ?? '0x0', 'excessBlobGas'),
      }),
    },
    { common },
  )
  const block: Block = {
    header,
    hash: bytesToHex(header.hash()),
    number: 0n,
    timestamp,
    rules: at,
    transactions: [],
    receipts: [],
    size: RLP.encode([header.raw(), [], [], ...(fork.shanghai ? [[]] : [])]).length,
  }
  return { block, changes, stateTrie }
}

const SYSTEM_CONTRACTS = [
  BEACON_ROOTS,
  BLOCK_HASHES,
  WITHDRAWAL_REQUESTS,
  CONSOLIDATION_REQUESTS,
  DEPOSIT_CONTRACT,
]

function allocToChanges(alloc: GethGenesis['alloc'], crypto: Crypto): StateChanges {
  const accounts = new Map<Address, AccountRecord>()
  const slots = new Map<number, Map<Hex, bigint>>()
  const codes = new Map<Hash, Uint8Array>()
  for (const [key, account] of Object.entries(alloc)) {
    const at = `alloc.${key}`
    const address = bytesToHex(readBytes(key, at))
    if (address.length !== 42) throw new InvalidOptionError(`genesis.${at}`, 'an address')
    const code = readBytes(account.code ?? '0x', `${at}.code`)
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : crypto.keccak256Hex(code)
    if (code.length > 0) codes.set(codeHash, code)
    const storage = new Map<Hex, bigint>()
    for (const [slot, value] of Object.entries(account.storage ?? {})) {
      const word = readQuantity(value, `${at}.storage.${slot}`)
      if (word !== 0n) storage.set(bytesToHex(bigintToBytes32(readQuantity(slot, `${at}.storage`))), word)
    }
    const storageId = storage.size === 0 ? 0 : nextStorageId()
    if (storageId !== 0) slots.set(storageId, storage)
    const nonce = readQuantity(account.nonce ?? '0x0', `${at}.nonce`)
    const balance = readQuantity(account.balance ?? '0x0', `${at}.balance`)
    accounts.set(address, { nonce, balance, codeHash, storageId, slotCount: storage.size })
  }
  return { accounts, slots, codes }
}

/** geth writes numbers in hex with or without 0x, and in decimal. */
function readQuantity(value: unknown, field: string): bigint {
  try {
    const text = String(value)
    return text === '0x'
      ? 0n
      : BigInt(/^[0-9a-f]*[a-f][0-9a-f]*$/i.test(text) || /^[0-9a-f]{64}$/i.test(text) ? `0x${text}` : text)
  } catch {
    throw new InvalidOptionError(`genesis.${field}`, 'a number')
  }
}

function readBytes(value: unknown, field: string): Uint8Array {
  const text = String(value)
  try {
    return hexToBytes((text.startsWith('0x') ? text : `0x${text}`) as Hex)
  } catch (error) {
    if (error instanceof InvalidHexError) throw new InvalidOptionError(`genesis.${field}`, 'hex')
    throw error
  }
}
