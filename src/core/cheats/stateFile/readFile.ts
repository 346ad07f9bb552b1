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
import type { AccessListEntry, Hash } from '../../../base/types.ts'
import type { Pause } from '../../../base/waiting.ts'
import type { Block, Log, Receipt, Withdrawal } from '../../../ethereum/block.ts'
import { encodeBlock } from '../../../ethereum/blockEncoding.ts'
import type { ChainSpec, ExtraFields } from '../../../ethereum/chainSpec.ts'
import { decodeTransaction } from '../../../ethereum/decodeTransaction.ts'
import { receiptFields } from '../../../ethereum/evm/receiptEncoding.ts'
import { encodeTransaction } from '../../../ethereum/evm/transactionEncoding.ts'
import { unsignedSenderOf } from '../../../ethereum/evm/unsignedSender.ts'
import { NEXT_HEADER_FIELDS } from '../../../ethereum/forks.ts'
import { HEADER_FIELDS, type Header, hashHeader } from '../../../ethereum/header.ts'
import type { Rules } from '../../../ethereum/rules.ts'
import { NO_CODE } from '../../../ethereum/state/account.ts'
import { bodyFields } from '../../../ethereum/state/bodyFields.ts'
import {
  type Authorization,
  effectiveGasPrice,
  type Transaction,
  type TransactionType,
  type TxEnv,
} from '../../../ethereum/transaction.ts'
import type { PayloadConfig } from '../../block/payload.ts'
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

interface BlockReading extends Pick<PayloadConfig, 'rules' | 'crypto'> {
  readonly revertReason: boolean
  /** The chain id of a block in which no transaction has one. */
  readonly chainId: bigint
  readonly pause: Pause
}

interface FileBlock {
  readonly header: Header
  readonly hash: Hash
  readonly block: Fields
}

type Contents = Readonly<Record<string, unknown>>

/** Reads the canonical blocks of a file, from genesis on. @throws InvalidStateFileError */
export async function readBlocks(file: Contents, reading: BlockReading): Promise<Block[]> {
  const { pause } = reading
  const byHash = new Map<Hash, FileBlock>()
  for (const { value, at } of readList(file['blocks'], 'blocks', toPlace)) {
    const block = new Fields(value, at)
    const header = readHeader(block.values['header'], `${at}.header`)
    const hash = hashHeader(header)
    byHash.set(hash, { header, hash, block })
    await pause()
  }
  const receipts = new Map<string, FileReceipt>()
  for (const { value, at } of readList(file['transactions'], 'transactions', toPlace)) {
    const receipt = readReceipt(value, at)
    if (!byHash.has(receipt.blockHash)) {
      throw new InvalidStateFileError(`${at} is of block ${receipt.blockHash}, which is absent`)
    }
    receipts.set(keyOf(receipt.blockHash, receipt.index), receipt)
    await pause()
  }
  const blocks: Block[] = []
  for (const block of chainOf(file, byHash)) {
    const takeReceipt = (index: number): FileReceipt | undefined => {
      const key = keyOf(block.hash, BigInt(index))
      const receipt = receipts.get(key)
      receipts.delete(key)
      return receipt
    }
    blocks.push(readBlock(block, reading, takeReceipt))
    await pause()
  }
  const canonical = new Set(blocks.map(({ hash }) => hash))
  const unused = [...receipts.values()].find(({ blockHash }) => canonical.has(blockHash))
  if (unused !== undefined)
    throw new InvalidStateFileError(`${unused.at} is not in block ${unused.blockHash}`)
  return blocks
}

const toPlace = (value: unknown, at: string) => ({ value, at })
const keyOf = (block: Hash, index: bigint): string => `${block}/${index}`

function chainOf(file: Contents, byHash: ReadonlyMap<Hash, FileBlock>): FileBlock[] {
  const stated = file['best_block_number']
  const given = isAbsent(stated) ? undefined : readNumber(stated, 'best_block_number', 64)
  const env = new Fields(file['block'] ?? {}, 'block')
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
      const expected = `not the hash of block ${number - 1n}`
      throw new InvalidStateFileError(`${at.block.at}.header.parentHash is ${parentHash}, ${expected}`)
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
  takeReceipt: (index: number) => FileReceipt | undefined,
): Block {
  const { at } = block
  const read = block.list('transactions', (one, path) => readTransaction(one, path, crypto))
  const bound = read.find(({ fields }) => fields.chainId !== undefined)?.fields.chainId ?? chainId
  const rules = chainRules.withChainId(bound).at(header.number, header.timestamp, header.difficulty)
  const transactions: Transaction[] = []
  const receipts: Receipt[] = []
  for (const [i, one] of read.entries()) {
    const path = `${at}.transactions[${i}]`
    const listed = takeReceipt(i)
    if (listed === undefined)
      throw new InvalidStateFileError(`the receipt of ${path} is absent from transactions`)
    const tx = withSender(one, listed, path, rules, crypto)
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
  rules: Rules,
  crypto: Crypto,
): Transaction {
  if (impersonated === undefined && unsignedSenderOf(fields.raw) !== listed.from) {
    for (const given of [hash ?? fields.hash, listed.hash]) {
      if (given === fields.hash) continue
      throw new InvalidStateFileError(`${at} has the hash ${given}, but its fields have ${fields.hash}`)
    }
    const tx = decode(fields.raw, at, rules, crypto)
    if (tx.from === listed.from) return tx
    throw new InvalidStateFileError(`${listed.at}.info.from is ${listed.from}, but ${tx.from} has signed`)
  }
  const from = impersonated ?? listed.from
  // Anvil's hash of an unsigned transaction is not the hash of its bytes.
  return { ...fields, from, hash: listed.hash, unsigned: true }
}

function decode(raw: Uint8Array, at: string, rules: Rules, crypto: Crypto): Transaction {
  try {
    return decodeTransaction(raw, rules, crypto)
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

function checkBody(
  body: Pick<Block, 'header' | 'transactions' | 'uncles' | 'withdrawals'>,
  receipts: readonly Receipt[],
  at: string,
  crypto: Crypto,
): void {
  const { header, transactions, uncles, withdrawals } = body
  const raws = transactions.map(({ raw }) => raw)
  const computed: Partial<Header> = {
    ...bodyFields(raws, uncles, withdrawals, crypto),
    // Not compared without receipts: anvil up to 1.2 writes zeros in the header of a genesis block.
    ...(receipts.length > 0 && {
      ...receiptFields(receipts, transactions, crypto),
      gasUsed: receipts.at(-1)!.cumulativeGasUsed,
    }),
  }
  const wrong = Object.entries(computed).find(([name, value]) => value !== header[name as keyof Header])
  if (wrong === undefined) return
  throw new InvalidStateFileError(`${at}.header.${wrong[0]} does not match the block, which has ${wrong[1]}`)
}

/** How many bits these fields may have: fewer than in a header. */
const BITS: Partial<Record<keyof Header, number>> = { timestamp: 42, blobGasUsed: 32, excessBlobGas: 32 }

function readHeader(value: unknown, at: string): Header {
  const given = new Fields(value, at)
  // The hash of the header would include such a field, which `Header` lacks.
  const unknown = NEXT_HEADER_FIELDS.find((name) => given.has(name))
  if (unknown !== undefined) {
    throw new InvalidStateFileError(`${at}.${unknown} is of a hardfork that is not supported`)
  }
  const fields = HEADER_FIELDS.map(({ name, format, since }) => {
    if (since !== undefined && !given.has(name)) return [name, undefined]
    if (format === 'bytes') return [name, given.hex(name)]
    if ('bytes' in format) return [name, given.hex(name, format.bytes)]
    return [name, given.number(name, BITS[name] ?? format.bits)]
  })
  return Object.fromEntries(fields)
}

type FileReceipt = ReturnType<typeof readReceipt>

/** Reads a mined transaction, with its sender and receipt. @param at - its path in the file. */
function readReceipt(value: unknown, at: string) {
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

/** @param before - the receipt of the previous transaction. */
function toReceipt(
  { succeeded, cumulativeGasUsed, contractAddress, logs, output, exit, fields, at }: FileReceipt,
  tx: Transaction,
  before: Receipt | undefined,
  { baseFeePerGas = 0n }: Header,
  revertReason: boolean,
  spec?: ChainSpec,
): Receipt {
  const gasUsed = cumulativeGasUsed - (before?.cumulativeGasUsed ?? 0n)
  if (gasUsed < 0n) {
    const previous = 'the cumulativeGasUsed of the previous transaction'
    throw new InvalidStateFileError(`${at}.receipt.cumulativeGasUsed is below ${previous}`)
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

type FileTransaction = ReturnType<typeof readTransaction>

/** The names of transaction types in anvil up to 1.2, in the order of the types. */
const TYPE_NAMES = ['Legacy', 'EIP2930', 'EIP1559', 'EIP4844', 'EIP7702']

function readTransaction(value: unknown, at: string, crypto: Crypto) {
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
    /** The sender is unknown: `from` is zero. */
    fields: encodeTransaction(fields, chainId, readSignature(tx, type, chainId), crypto),
    /** Anvil's hash of an impersonated transaction is not the hash of its bytes. */
    hash: tx.optionalHex('hash', 32),
    /** The sender of an unsigned transaction. */
    impersonated: outer.optionalHex('impersonated_sender', 20),
  }
}

function readType(tx: Fields): TransactionType {
  const type = tx.optionalNumber('type') ?? 0n
  if (type > 4n) throw new InvalidStateFileError(`${tx.at}.type is ${type}, expected one from 0 to 4`)
  return Number(type) as TransactionType
}

function readFields(tx: Fields, type: TransactionType): TxEnv {
  const gas = tx.values['gas'] === undefined ? 'gasLimit' : 'gas'
  const input = tx.values['input'] === undefined ? 'data' : 'input'
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

function readSignature(tx: Fields, type: TransactionType, chainId: bigint | undefined) {
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

/** Reads the states of blocks by hash. Newer anvil puts their list into an object. @throws InvalidStateFileError */
export function readStates(value: unknown, pause: Pause): ChainFile['states'] {
  const at = isObject(value) ? 'historical_states.states' : 'historical_states'
  const list = isObject(value) ? value['states'] : value
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
  if (size <= padded.length) return padded.subarray(0, size)
  const reason = `but bytecode has ${padded.length} bytes`
  throw new InvalidStateFileError(`${analyzed.at}.original_len is ${size}, ${reason}`)
}
