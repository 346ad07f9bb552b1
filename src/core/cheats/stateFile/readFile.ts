/**
 * Reads the blocks of a state file, with transactions and receipts, and the states of earlier blocks. The blocks are
 * not executed: each header commits to its transactions, its receipts and its parent.
 *
 *   blocks ─► by hash ─► back from the best block to genesis ─► senders, receipts ─► compared with the header
 */

import { hexToBytes, ZERO_ADDRESS } from '../../../base/bytes.ts'
import type { Crypto } from '../../../base/crypto/crypto.ts'
import { TransactionRejectedError } from '../../../base/errors.ts'
import { isAbsent, isObject } from '../../../base/schema.ts'
import type { AccessListEntry, Address, Hash, Hex } from '../../../base/types.ts'
import type { Pause } from '../../../base/waiting.ts'
import type { Block, Log, Receipt, Withdrawal } from '../../../ethereum/block.ts'
import { encodeBlock } from '../../../ethereum/blockEncoding.ts'
import type { ChainSpec, ExtraFields } from '../../../ethereum/chainSpec.ts'
import { decodeTransaction } from '../../../ethereum/decodeTransaction.ts'
import { receiptFields } from '../../../ethereum/evm/receiptEncoding.ts'
import { encodeTransaction } from '../../../ethereum/evm/transactionEncoding.ts'
import { unsignedSenderOf } from '../../../ethereum/evm/unsignedSender.ts'
import { HEADER_FIELDS, type Header, hashHeader } from '../../../ethereum/header.ts'
import type { ChainRules } from '../../../ethereum/rules.ts'
import { NO_CODE } from '../../../ethereum/state/account.ts'
import { bodyFields } from '../../../ethereum/state/bodyFields.ts'
import {
  type Authorization,
  effectiveGasPrice,
  type Transaction,
  type TransactionType,
  type TxEnv,
} from '../../../ethereum/transaction.ts'
import { InvalidStateFileError } from '../errors.ts'
import {
  type ChainFile,
  Fields,
  type FileAccounts,
  readEachAccount,
  readHex,
  readList,
  readNumber,
  readOptionalObject,
  readSlots,
} from './fields.ts'

/** The context of reading blocks. */
export interface BlockReading {
  readonly rules: ChainRules
  /** The chain id of a block in which no transaction has one. */
  readonly chainId: bigint
  readonly crypto: Crypto
  /** Whether receipts keep the revert data of transactions. */
  readonly revertReason: boolean
  readonly pause: Pause
}

interface FileBlock {
  readonly header: Header
  readonly hash: Hash
  readonly block: Fields
}

/** The fields of a file that concern blocks. */
export interface BlockContents {
  readonly block?: unknown
  readonly best_block_number?: unknown
  readonly blocks?: unknown
  readonly transactions?: unknown
}

/** Reads the canonical blocks of a file, from genesis on. @throws InvalidStateFileError */
export async function readBlocks(file: BlockContents, reading: BlockReading): Promise<Block[]> {
  const { pause } = reading
  const byHash = new Map<Hash, FileBlock>()
  for (const { value, at } of readList(file.blocks, 'blocks', toPlace)) {
    const block = new Fields(value, at)
    const header = readHeader(block.values['header'], `${at}.header`)
    const hash = hashHeader(header)
    byHash.set(hash, { header, hash, block })
    await pause()
  }
  const receipts = new Map<string, FileReceipt>()
  for (const { value, at } of readList(file.transactions, 'transactions', toPlace)) {
    const receipt = readReceipt(value, at)
    if (!byHash.has(receipt.blockHash)) {
      throw new InvalidStateFileError(`${at} is of block ${receipt.blockHash}, which is absent`)
    }
    receipts.set(keyOf(receipt.blockHash, receipt.index), receipt)
    await pause()
  }
  const blocks: Block[] = []
  const used = new Set<FileReceipt>()
  for (const block of chainOf(file, byHash)) {
    const receiptAt = (index: number): FileReceipt | undefined => {
      const receipt = receipts.get(keyOf(block.hash, BigInt(index)))
      if (receipt !== undefined) used.add(receipt)
      return receipt
    }
    blocks.push(readBlock(block, reading, receiptAt))
    await pause()
  }
  const canonical = new Set(blocks.map(({ hash }) => hash))
  for (const receipt of receipts.values()) {
    if (used.has(receipt) || !canonical.has(receipt.blockHash)) continue
    throw new InvalidStateFileError(`${receipt.at} is not in block ${receipt.blockHash}`)
  }
  return blocks
}

const toPlace = (value: unknown, at: string) => ({ value, at })
const keyOf = (block: Hash, index: bigint): string => `${block}/${index}`

/** Returns the blocks from genesis to the best one. */
function chainOf(file: BlockContents, byHash: ReadonlyMap<Hash, FileBlock>): FileBlock[] {
  const given = isAbsent(file.best_block_number)
    ? undefined
    : readNumber(file.best_block_number, 'best_block_number', 64)
  const env = new Fields(file.block ?? {}, 'block')
  const best = given ?? env.optionalNumber('number') ?? highest(byHash.values())
  // Of blocks with equal numbers, anvil writes the canonical one last.
  let at = [...byHash.values()].findLast(({ header }) => header.number === best)
  if (at === undefined) throw new InvalidStateFileError(`block ${best}, the best one, is absent`)
  const chain: FileBlock[] = []
  for (;;) {
    chain.push(at)
    const { number, parentHash } = at.header
    if (number === 0n) return chain.reverse()
    const parent = byHash.get(parentHash)
    if (parent === undefined || parent.header.number !== number - 1n) {
      throw new InvalidStateFileError(
        `${at.block.at}.header.parentHash is ${parentHash}, not the hash of block ${number - 1n}`,
      )
    }
    at = parent
  }
}

function highest(blocks: Iterable<FileBlock>): bigint {
  let number = 0n
  for (const { header } of blocks) if (header.number > number) number = header.number
  return number
}

function readBlock(
  { header, hash, block }: FileBlock,
  { rules: chainRules, chainId, crypto, revertReason }: BlockReading,
  receiptAt: (index: number) => FileReceipt | undefined,
): Block {
  const { at } = block
  const read = block.list('transactions', (one, path) => readTransaction(one, path, crypto))
  const bound = read.find(({ fields }) => fields.chainId !== undefined)?.fields.chainId ?? chainId
  const rules = chainRules.withChainId(bound).at(header.number, header.timestamp, header.difficulty)
  const transactions: Transaction[] = []
  const receipts: Receipt[] = []
  for (const [i, one] of read.entries()) {
    const path = `${at}.transactions[${i}]`
    const listed = receiptAt(i)
    if (listed === undefined) {
      throw new InvalidStateFileError(`the receipt of ${path} is absent from transactions`)
    }
    const tx = withSender(one, listed, path, () => decodeTransaction(one.fields.raw, rules, crypto))
    transactions.push(tx)
    receipts.push(toReceipt(listed, tx, receipts.at(-1), header, revertReason, rules.spec))
  }
  const uncles = block.list('ommers', readHeader)
  const withdrawals =
    header.withdrawalsRoot === undefined ? undefined : block.list('withdrawals', readWithdrawal)
  const body = { header, transactions, uncles, withdrawals }
  checkBody(body, receipts, at, crypto)
  const { number, timestamp } = header
  return { ...body, hash, number, timestamp, rules, receipts, size: encodeBlock(body).length }
}

function withSender(
  { fields, hash, impersonated }: FileTransaction,
  listed: FileReceipt,
  at: string,
  decode: () => Transaction,
): Transaction {
  if (impersonated === undefined && unsignedSenderOf(fields.raw) !== listed.from) {
    for (const given of [hash ?? fields.hash, listed.hash]) {
      if (given === fields.hash) continue
      throw new InvalidStateFileError(`${at} has the hash ${given}, but its fields have ${fields.hash}`)
    }
    const tx = decodeOf(decode, at)
    if (tx.from === listed.from) return tx
    throw new InvalidStateFileError(`${listed.at}.info.from is ${listed.from}, but ${tx.from} has signed`)
  }
  const from = impersonated ?? listed.from
  // Anvil's hash of an unsigned transaction is not the hash of its bytes.
  return { ...fields, from, hash: listed.hash, unsigned: true }
}

function decodeOf(decode: () => Transaction, at: string): Transaction {
  try {
    return decode()
  } catch (error) {
    if (!(error instanceof TransactionRejectedError)) throw error
    throw new InvalidStateFileError(`${at} is not valid on this chain: ${error.message}`)
  }
}

function readWithdrawal(value: unknown, at: string): Withdrawal {
  const given = new Fields(value, at)
  return {
    index: given.number('index'),
    validatorIndex: given.number('validatorIndex'),
    address: given.hex('address', 20),
    amount: given.number('amount'),
  }
}

/** Compares a body and its receipts with the header. @throws InvalidStateFileError */
function checkBody(
  {
    header,
    transactions,
    uncles,
    withdrawals,
  }: Pick<Block, 'header' | 'transactions' | 'uncles' | 'withdrawals'>,
  receipts: readonly Receipt[],
  at: string,
  crypto: Crypto,
): void {
  const raws = transactions.map(({ raw }) => raw)
  const computed: Partial<Header> = {
    ...bodyFields(raws, uncles, withdrawals, crypto),
    // Not compared without receipts: anvil up to 1.2 writes zeros in the header of a genesis block.
    ...(receipts.length > 0 && {
      ...receiptFields(receipts, transactions, crypto),
      gasUsed: receipts.at(-1)!.cumulativeGasUsed,
    }),
  }
  const names = Object.keys(computed) as (keyof Header)[]
  const wrong = names.find((name) => computed[name] !== header[name])
  if (wrong === undefined) return
  throw new InvalidStateFileError(
    `${at}.header.${wrong} does not match the block, which has ${computed[wrong]}`,
  )
}

/** Header fields of hardforks that are not supported. The hash of a header would include them. */
const UNKNOWN_FIELDS = ['blockAccessListHash', 'slotNumber']

/** How many bits these fields may have: fewer than in a header. */
const BITS: Partial<Record<keyof Header, number>> = { timestamp: 42, blobGasUsed: 32, excessBlobGas: 32 }

/** Reads a header. @param at - its path in the file. @throws InvalidStateFileError */
export function readHeader(value: unknown, at: string): Header {
  const given = new Fields(value, at)
  const unknown = UNKNOWN_FIELDS.find((name) => given.has(name))
  if (unknown !== undefined) {
    throw new InvalidStateFileError(`${at}.${unknown} is of a hardfork that is not supported`)
  }
  const fields = HEADER_FIELDS.map(({ name, format, since }) => {
    if (since !== undefined && !given.has(name)) return [name, undefined]
    if (format === 'bytes') return [name, given.hex(name)]
    return [
      name,
      'bytes' in format ? given.hex(name, format.bytes) : given.number(name, BITS[name] ?? format.bits),
    ]
  })
  return Object.fromEntries(fields)
}

/** A mined transaction of a file, with its sender and receipt. */
export interface FileReceipt {
  readonly hash: Hash
  readonly blockHash: Hash
  /** The position in the block. */
  readonly index: bigint
  readonly from: Address
  readonly succeeded: boolean
  readonly cumulativeGasUsed: bigint
  readonly contractAddress: Address | null
  readonly logs: readonly Log[]
  /** The return or revert data. */
  readonly output: Hex | undefined
  readonly exit: unknown
  /** The fields of the receipt as in the file. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The path in the file. */
  readonly at: string
}

/** Reads a mined transaction. @param at - its path in the file. @throws InvalidStateFileError */
export function readReceipt(value: unknown, at: string): FileReceipt {
  const given = new Fields(value, at)
  const info = given.object('info')
  const outer = given.object('receipt')
  // Anvil up to 1.0 nests the receipt once more.
  const inner = readOptionalObject(outer.values['receipt'], `${outer.at}.receipt`)
  const receipt = new Fields({ ...inner, ...outer.values }, outer.at)
  return {
    hash: info.hex('transaction_hash', 32),
    blockHash: given.hex('block_hash', 32),
    index: info.number('transaction_index', 32),
    from: info.hex('from', 20),
    succeeded: receipt.number('status') !== 0n,
    cumulativeGasUsed: receipt.number('cumulativeGasUsed'),
    contractAddress: info.optionalHex('contract_address', 20) ?? null,
    logs: receipt.list('logs', readLog),
    output: info.optionalHex('out'),
    exit: info.values['exit'],
    fields: receipt.values,
    at,
  }
}

function readLog(value: unknown, at: string): Log {
  const given = new Fields(value, at)
  const topics = given.list('topics', readHash)
  if (topics.length > 4) throw new InvalidStateFileError(`${at}.topics has more than 4 items`)
  return { address: given.hex('address', 20), topics, data: given.hex('data') }
}

const readHash = (value: unknown, at: string): Hash => readHex(value, at, 32)

/**
 * Returns the receipt of a transaction.
 *
 * @param before - the receipt of the previous transaction.
 * @param spec - of the chain.
 */
export function toReceipt(
  { succeeded, cumulativeGasUsed, contractAddress, logs, output, exit, fields, at }: FileReceipt,
  tx: Transaction,
  before: Receipt | undefined,
  { baseFeePerGas = 0n }: Header,
  revertReason: boolean,
  spec?: ChainSpec,
): Receipt {
  const gasUsed = cumulativeGasUsed - (before?.cumulativeGasUsed ?? 0n)
  if (gasUsed < 0n) {
    throw new InvalidStateFileError(
      `${at}.receipt.cumulativeGasUsed is below the cumulativeGasUsed of the previous transaction`,
    )
  }
  const isReverted = !succeeded && exit === 'Revert' && output !== undefined
  return {
    succeeded,
    gasUsed,
    cumulativeGasUsed,
    effectiveGasPrice: effectiveGasPrice(tx, baseFeePerGas),
    contractAddress: tx.to === null ? contractAddress : null,
    logs,
    firstLogIndex: before === undefined ? 0 : before.firstLogIndex + before.logs.length,
    extra: spec?.receiptFields && readExtra(spec.receiptFields, fields),
    ...(revertReason && isReverted && { revertReason: output }),
  }
}

function readExtra(
  names: readonly { readonly name: string }[],
  fields: Readonly<Record<string, unknown>>,
): ExtraFields {
  const given = names.map(({ name }) => [name, fields[name]] as const)
  return Object.fromEntries(given.filter((one): one is [string, string] => typeof one[1] === 'string'))
}

// Transactions in the forms that versions of anvil write.

/** A transaction in a block of a file. */
export interface FileTransaction {
  /** The sender is unknown: `from` is zero. */
  readonly fields: Transaction
  /** The hash in the file. For an impersonated transaction, anvil does not hash its bytes. */
  readonly hash: Hash | undefined
  /** The sender of an unsigned transaction. */
  readonly impersonated: Address | undefined
}

/** The names of transaction types in anvil up to 1.2, in the order of the types. */
const TYPE_NAMES = ['Legacy', 'EIP2930', 'EIP1559', 'EIP4844', 'EIP7702']

/** Reads a transaction. @param at - its path in the file. @throws InvalidStateFileError */
export function readTransaction(value: unknown, at: string, crypto: Crypto): FileTransaction {
  const outer = new Fields(value, at)
  const wrapped = outer.values['transaction'] === undefined ? outer : outer.object('transaction')
  const name = TYPE_NAMES.find((one) => wrapped.values[one] !== undefined)
  const given = name === undefined ? wrapped : wrapped.object(name)
  // A blob transaction with its sidecar is nested once more.
  const tx =
    given.values['tx'] === undefined
      ? given
      : new Fields({ ...given.values, ...given.object('tx').values }, given.at)
  const type = name === undefined ? readType(tx) : (TYPE_NAMES.indexOf(name) as TransactionType)
  const fields = readFields(tx, type)
  const chainId = tx.optionalNumber('chainId')
  return {
    fields: encodeTransaction(fields, chainId, readSignature(tx, type, chainId), crypto),
    hash: tx.optionalHex('hash', 32),
    impersonated: outer.optionalHex('impersonated_sender', 20),
  }
}

function readType(tx: Fields): TransactionType {
  const type = tx.optionalNumber('type') ?? 0n
  if (type > 4n) throw new InvalidStateFileError(`${tx.at}.type is ${type}, expected one from 0 to 4`)
  return Number(type) as TransactionType
}

function readFields(tx: Fields, type: TransactionType): TxEnv {
  const [gas, input] = [
    tx.values['gas'] === undefined ? 'gasLimit' : 'gas',
    tx.values['input'] === undefined ? 'data' : 'input',
  ]
  return {
    type,
    from: ZERO_ADDRESS,
    nonce: tx.number('nonce'),
    gasLimit: tx.number(gas),
    to: tx.optionalHex('to', 20) ?? null,
    value: tx.number('value', 256),
    data: hexToBytes(tx.hex(input)),
    ...(type < 2
      ? { gasPrice: tx.number('gasPrice', 256) }
      : {
          maxFeePerGas: tx.number('maxFeePerGas', 256),
          maxPriorityFeePerGas: tx.number('maxPriorityFeePerGas', 256),
        }),
    ...(type > 0 && { accessList: tx.list('accessList', readAccessListEntry) }),
    ...(type === 3 && {
      maxFeePerBlobGas: tx.number('maxFeePerBlobGas', 256),
      blobVersionedHashes: tx.list('blobVersionedHashes', readHash),
    }),
    ...(type === 4 && { authorizationList: tx.list('authorizationList', readAuthorization) }),
  }
}

function readSignature(
  tx: Fields,
  type: TransactionType,
  chainId: bigint | undefined,
): { readonly v: bigint; readonly r: bigint; readonly s: bigint } {
  const { values } = tx.values['signature'] === undefined ? tx : tx.object('signature')
  const given = new Fields({ ...values, v: values['v'] ?? values['yParity'] }, tx.at)
  const [v, r, s] = [given.number('v', 256), given.number('r', 256), given.number('s', 256)]
  if (type > 0 || v > 1n) return { v, r, s }
  return { v: v + (chainId === undefined ? 27n : 35n + 2n * chainId), r, s }
}

function readAccessListEntry(value: unknown, at: string): AccessListEntry {
  const given = new Fields(value, at)
  return { address: given.hex('address', 20), storageKeys: given.list('storageKeys', readHash) }
}

function readAuthorization(value: unknown, at: string): Authorization {
  const given = new Fields(value, at)
  return {
    chainId: given.number('chainId', 256),
    address: given.hex('address', 20),
    nonce: given.number('nonce'),
    yParity: Number(given.number('yParity', 8)),
    r: given.number('r', 256),
    s: given.number('s', 256),
  }
}

/**
 * Reads the states of blocks by hash. Older versions of anvil write a list of them, newer ones an object that has the
 * list in `states`.
 *
 * @throws InvalidStateFileError
 */
export function readStates(value: unknown, pause: Pause): ChainFile['states'] {
  const [list, at] = isObject(value)
    ? [value['states'], 'historical_states.states']
    : [value, 'historical_states']
  const pairs = readList(list, at, (one, path) => {
    const pair = readList(one, path)
    if (pair.length !== 2) throw new InvalidStateFileError(`${path} is not a block's hash and its state`)
    return [readHash(pair[0], `${path}[0]`), () => readState(pair[1], `${path}[1]`, pause)] as const
  })
  return new Map(pairs)
}

async function readState(value: unknown, at: string, pause: Pause): Promise<FileAccounts> {
  const given = new Fields(value, at)
  const slots = given.object('storage').values
  const accounts = given.object('accounts')
  return readEachAccount(accounts.values, accounts.at, pause, async (one, path, key) => {
    const account = new Fields(one, path)
    const state = await readSlots(slots[key], `${at}.storage.${key}`, path, pause)
    return {
      nonce: account.number('nonce'),
      balance: account.number('balance', 256),
      code: account.has('code') ? readCode(account.object('code')) : NO_CODE,
      state,
    }
  })
}

/** Reads code in anvil's memory layout: padded, with jump destinations, or as a delegation. */
function readCode(code: Fields): Uint8Array {
  const { Eip7702: delegation, LegacyRaw: raw } = code.values
  if (raw !== undefined) return hexToBytes(code.hex('LegacyRaw'))
  if (delegation !== undefined) {
    return hexToBytes(`0xef0100${code.object('Eip7702').hex('delegated_address', 20).slice(2)}`)
  }
  const analyzed = code.object('LegacyAnalyzed')
  const padded = hexToBytes(analyzed.hex('bytecode'))
  const size = Number(analyzed.number('original_len', 32))
  if (size > padded.length) {
    throw new InvalidStateFileError(
      `${analyzed.at}.original_len is ${size}, but bytecode has ${padded.length} bytes`,
    )
  }
  return padded.subarray(0, size)
}
