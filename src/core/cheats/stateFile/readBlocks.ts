/**
 * The blocks of a state file, with their transactions and receipts. They are not executed: their headers commit to their
 * transactions and receipts, and to the block before.
 *
 *   blocks ─► by hash ─► back from the best block to genesis ─► senders, receipts ─► compared with the header
 */

import { bytesToHex, hexToBytes, ZERO_ADDRESS } from '../../../base/bytes.ts'
import type { Crypto } from '../../../base/crypto/crypto.ts'
import { TransactionRejectedError } from '../../../base/errors.ts'
import { encodeRlp } from '../../../base/rlp.ts'
import type { AccessListEntry, Address, Hash, Hex } from '../../../base/types.ts'
import type { Pause } from '../../../base/waiting.ts'
import type { Block, Log, Receipt, Withdrawal } from '../../../ethereum/block.ts'
import { encodeBlock, encodeWithdrawal } from '../../../ethereum/blockEncoding.ts'
import { decodeTransaction } from '../../../ethereum/decodeTransaction.ts'
import { receiptFields } from '../../../ethereum/evm/receiptEncoding.ts'
import { encodeTransaction } from '../../../ethereum/evm/transactionEncoding.ts'
import { type Header, hashHeader, headerItems } from '../../../ethereum/header.ts'
import type { ChainRules } from '../../../ethereum/rules.ts'
import { listRoot } from '../../../ethereum/state/trie.ts'
import {
  type Authorization,
  effectiveGasPrice,
  type Transaction,
  type TransactionType,
  type TxEnv,
} from '../../../ethereum/transaction.ts'
import { InvalidStateFileError } from '../errors.ts'
import {
  readHex,
  readList,
  readNumber,
  readObject,
  readOptionalHex,
  readOptionalNumber,
  readOptionalObject,
} from './fields.ts'

/** What the blocks of a file are read with. */
export interface BlockReading {
  readonly rules: ChainRules
  /** The chain id of blocks without a transaction that has one. */
  readonly chainId: bigint
  readonly crypto: Crypto
  /** Whether receipts have the revert data of transactions. */
  readonly revertReason: boolean
  readonly pause: Pause
}

interface FileBlock {
  readonly header: Header
  readonly hash: Hash
  readonly value: Readonly<Record<string, unknown>>
  /** Where it is in the file. */
  readonly at: string
}

/** The parts of a file that blocks are read from. */
export interface BlockContents {
  readonly block?: unknown
  readonly best_block_number?: unknown
  readonly blocks?: unknown
  readonly transactions?: unknown
}

/**
 * The canonical blocks of a file, from genesis on.
 *
 * @throws InvalidStateFileError
 */
export async function readBlocks(file: BlockContents, reading: BlockReading): Promise<Block[]> {
  const { pause } = reading
  const byHash = new Map<Hash, FileBlock>()
  for (const [i, one] of readList(file.blocks, 'blocks').entries()) {
    const at = `blocks[${i}]`
    const value = readObject(one, at)
    const header = readHeader(value['header'], `${at}.header`)
    const hash = hashHeader(header)
    byHash.set(hash, { header, hash, value, at })
    await pause()
  }
  const receipts = new Map<string, FileReceipt>()
  for (const [i, one] of readList(file.transactions, 'transactions').entries()) {
    const receipt = readReceipt(one, `transactions[${i}]`)
    if (!byHash.has(receipt.blockHash)) {
      throw new InvalidStateFileError(`transactions[${i}] is of block ${receipt.blockHash}, which is absent`)
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

const keyOf = (block: Hash, index: bigint): string => `${block}/${index}`

/** The blocks from genesis to the best one. */
function chainOf(file: BlockContents, byHash: ReadonlyMap<Hash, FileBlock>): FileBlock[] {
  const given = readOptionalNumber(file.best_block_number, 'best_block_number', 64)
  const env = file.block === undefined || file.block === null ? {} : readObject(file.block, 'block')
  const best = given ?? readOptionalNumber(env['number'], 'block.number', 64) ?? highest(byHash.values())
  // Of blocks with the same number anvil writes the canonical one last.
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
        `${at.at}.header.parentHash is ${parentHash}, not the hash of block ${number - 1n}`,
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
  { header, hash, value, at }: FileBlock,
  { rules: chainRules, chainId, crypto, revertReason }: BlockReading,
  receiptAt: (index: number) => FileReceipt | undefined,
): Block {
  const read = readList(value['transactions'], `${at}.transactions`).map((one, i) =>
    readTransaction(one, `${at}.transactions[${i}]`, crypto),
  )
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
    receipts.push(toReceipt(listed, tx, receipts.at(-1), header, revertReason))
  }
  const uncles = readList(value['ommers'], `${at}.ommers`).map((one, i) =>
    readHeader(one, `${at}.ommers[${i}]`),
  )
  const withdrawals =
    header.withdrawalsRoot === undefined ? undefined : readWithdrawals(value['withdrawals'], at)
  const body = { header, transactions, uncles, withdrawals }
  checkBody(body, receipts, at, crypto)
  const { number, timestamp } = header
  return { ...body, hash, number, timestamp, rules, receipts, size: encodeBlock(body).length }
}

/** The transaction with its sender. */
function withSender(
  { fields, hash, impersonated }: FileTransaction,
  listed: FileReceipt,
  at: string,
  decode: () => Transaction,
): Transaction {
  if (impersonated === undefined && !isUnsigned(fields, listed.from)) {
    for (const given of [hash ?? fields.hash, listed.hash]) {
      if (given === fields.hash) continue
      throw new InvalidStateFileError(`${at} has the hash ${given}, but its fields have ${fields.hash}`)
    }
    const tx = decodeOf(decode, at)
    if (tx.from === listed.from) return tx
    throw new InvalidStateFileError(`${listed.at}.info.from is ${listed.from}, but ${tx.from} has signed`)
  }
  const from = impersonated ?? listed.from
  // The hash that anvil gives to a transaction without a signature is not that of its bytes.
  return { ...fields, from, hash: listed.hash, unsigned: true }
}

/** Whether a chain of this library has made it without a signature; see `toUnsignedTransaction`. */
function isUnsigned({ r, s }: Transaction, from: Address): boolean {
  return s === 1n && r === (BigInt(from) || 1n << 160n)
}

function decodeOf(decode: () => Transaction, at: string): Transaction {
  try {
    return decode()
  } catch (error) {
    if (!(error instanceof TransactionRejectedError)) throw error
    throw new InvalidStateFileError(`${at} is not valid on this chain: ${error.message}`)
  }
}

function readWithdrawals(value: unknown, at: string): Withdrawal[] {
  return readList(value, `${at}.withdrawals`).map((one, i) => {
    const path = `${at}.withdrawals[${i}]`
    const given = readObject(one, path)
    const number = (name: string) => readNumber(given[name], `${path}.${name}`, 64)
    return {
      index: number('index'),
      validatorIndex: number('validatorIndex'),
      address: readHex(given['address'], `${path}.address`, 20),
      amount: number('amount'),
    }
  })
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
  const rootOf = (items: readonly Uint8Array[]): Hex => bytesToHex(listRoot(items, crypto))
  const computed: Partial<Header> = {
    transactionsRoot: rootOf(transactions.map(({ raw }) => raw)),
    sha3Uncles: crypto.keccak256Hex(encodeRlp(uncles.map(headerItems))),
    ...(withdrawals && {
      withdrawalsRoot: rootOf(withdrawals.map((one) => encodeRlp(encodeWithdrawal(one)))),
    }),
    // The header of a genesis block of anvil up to 1.2 has zeros.
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

// The headers of a state file.

/** Fields of later forks that hashes would contain. */
const UNKNOWN_FIELDS = ['blockAccessListHash', 'slotNumber']

/** Reads a header. @param at - where it is in the file. @throws InvalidStateFileError */
export function readHeader(value: unknown, at: string): Header {
  const given = readObject(value, at)
  const unknown = UNKNOWN_FIELDS.find((name) => given[name] !== undefined && given[name] !== null)
  if (unknown !== undefined) {
    throw new InvalidStateFileError(`${at}.${unknown} is of a hardfork that is not supported`)
  }
  const hash = (name: string): Hash => readHex(given[name], `${at}.${name}`, 32)
  const number = (name: string, bits = 64): bigint => readNumber(given[name], `${at}.${name}`, bits)
  const hex = (name: string, length?: number): Hex => readHex(given[name], `${at}.${name}`, length)
  const optionalHash = (name: string) => readOptionalHex(given[name], `${at}.${name}`, 32)
  const optionalNumber = (name: string, bits = 64) => readOptionalNumber(given[name], `${at}.${name}`, bits)
  return {
    parentHash: hash('parentHash'),
    sha3Uncles: hash('sha3Uncles'),
    miner: hex('miner', 20),
    stateRoot: hash('stateRoot'),
    transactionsRoot: hash('transactionsRoot'),
    receiptsRoot: hash('receiptsRoot'),
    logsBloom: hex('logsBloom', 256),
    difficulty: number('difficulty', 256),
    number: number('number'),
    gasLimit: number('gasLimit'),
    gasUsed: number('gasUsed'),
    timestamp: number('timestamp', 42),
    extraData: hex('extraData'),
    mixHash: hash('mixHash'),
    nonce: hex('nonce', 8),
    baseFeePerGas: optionalNumber('baseFeePerGas', 256),
    withdrawalsRoot: optionalHash('withdrawalsRoot'),
    blobGasUsed: optionalNumber('blobGasUsed', 32),
    excessBlobGas: optionalNumber('excessBlobGas', 32),
    parentBeaconBlockRoot: optionalHash('parentBeaconBlockRoot'),
    requestsHash: optionalHash('requestsHash'),
  }
}

// The mined transactions of a state file: who sent them, and their receipts.

/** A mined transaction of a file. */
export interface FileReceipt {
  readonly hash: Hash
  readonly blockHash: Hash
  /** Its place in the block. */
  readonly index: bigint
  readonly from: Address
  readonly succeeded: boolean
  readonly cumulativeGasUsed: bigint
  readonly contractAddress: Address | null
  readonly logs: readonly Log[]
  /** What it returned or reverted with. */
  readonly output: Hex | undefined
  readonly exit: unknown
  /** Where it is in the file. */
  readonly at: string
}

/** Reads a mined transaction. @param at - where it is in the file. @throws InvalidStateFileError */
export function readReceipt(value: unknown, at: string): FileReceipt {
  const given = readObject(value, at)
  const info = readObject(given['info'], `${at}.info`)
  const receipt = readObject(given['receipt'], `${at}.receipt`)
  // Anvil up to 1.0 nests the receipt once more.
  const inner = { ...readOptionalObject(receipt['receipt'], `${at}.receipt.receipt`), ...receipt }
  const number = (name: string) => readNumber(inner[name], `${at}.receipt.${name}`, 64)
  return {
    hash: readHex(info['transaction_hash'], `${at}.info.transaction_hash`, 32),
    blockHash: readHex(given['block_hash'], `${at}.block_hash`, 32),
    index: readNumber(info['transaction_index'], `${at}.info.transaction_index`, 32),
    from: readHex(info['from'], `${at}.info.from`, 20),
    succeeded: number('status') !== 0n,
    cumulativeGasUsed: number('cumulativeGasUsed'),
    contractAddress: readOptionalHex(info['contract_address'], `${at}.info.contract_address`, 20) ?? null,
    logs: readList(inner['logs'], `${at}.receipt.logs`).map((log, i) =>
      readLog(log, `${at}.receipt.logs[${i}]`),
    ),
    output: readOptionalHex(info['out'], `${at}.info.out`),
    exit: info['exit'],
    at,
  }
}

function readLog(value: unknown, at: string): Log {
  const { address, topics, data } = readObject(value, at)
  const read = readList(topics, `${at}.topics`).map((topic, i) => readHex(topic, `${at}.topics[${i}]`, 32))
  if (read.length > 4) throw new InvalidStateFileError(`${at}.topics has more than 4 items`)
  return { address: readHex(address, `${at}.address`, 20), topics: read, data: readHex(data, `${at}.data`) }
}

/** The receipt of a transaction, which follows that of the transaction before it. */
export function toReceipt(
  { succeeded, cumulativeGasUsed, contractAddress, logs, output, exit, at }: FileReceipt,
  tx: Transaction,
  before: Receipt | undefined,
  { baseFeePerGas = 0n }: Header,
  revertReason: boolean,
): Receipt {
  const gasUsed = cumulativeGasUsed - (before?.cumulativeGasUsed ?? 0n)
  if (gasUsed < 0n) {
    throw new InvalidStateFileError(
      `${at}.receipt.cumulativeGasUsed is below that of the transaction before it`,
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
    ...(revertReason && isReverted && { revertReason: output }),
  }
}

// The transactions in the blocks of a state file, in the forms that versions of anvil write.

/** A transaction as it is in a block of a file. */
export interface FileTransaction {
  /** Its sender is not known yet: `from` is zero. */
  readonly fields: Transaction
  /** The hash that the file has; of an impersonated one anvil's, which is not that of its bytes. */
  readonly hash: Hash | undefined
  /** The sender of a transaction without a signature. */
  readonly impersonated: Address | undefined
}

/** The names of types in files of anvil up to 1.2. */
const TYPE_NAMES = ['Legacy', 'EIP2930', 'EIP1559', 'EIP4844', 'EIP7702']

/** Reads a transaction. @param at - where it is in the file. @throws InvalidStateFileError */
export function readTransaction(value: unknown, at: string, crypto: Crypto): FileTransaction {
  const outer = readObject(value, at)
  const isWrapped = outer['transaction'] !== undefined
  const wrapped = isWrapped ? readObject(outer['transaction'], `${at}.transaction`) : outer
  const name = TYPE_NAMES.find((one) => wrapped[one] !== undefined)
  const path = `${at}${isWrapped ? '.transaction' : ''}${name === undefined ? '' : `.${name}`}`
  const given = name === undefined ? wrapped : readObject(wrapped[name], path)
  // A blob transaction is nested once more if it has its sidecar.
  const tx = given['tx'] === undefined ? given : { ...given, ...readObject(given['tx'], `${path}.tx`) }
  const type = name === undefined ? readType(tx['type'], path) : (TYPE_NAMES.indexOf(name) as TransactionType)
  const fields = readFields(tx, type, path)
  const chainId = readOptionalNumber(tx['chainId'], `${path}.chainId`, 64)
  const signature = readSignature(tx, type, chainId, path)
  return {
    fields: encodeTransaction(fields, chainId, signature, crypto),
    hash: readOptionalHex(tx['hash'], `${path}.hash`, 32),
    impersonated: readOptionalHex(outer['impersonated_sender'], `${at}.impersonated_sender`, 20),
  }
}

function readType(value: unknown, at: string): TransactionType {
  const type = readOptionalNumber(value, `${at}.type`, 64) ?? 0n
  if (type > 4n) throw new InvalidStateFileError(`${at}.type is ${type}, expected one from 0 to 4`)
  return Number(type) as TransactionType
}

type Json = Readonly<Record<string, unknown>>

function readFields(tx: Json, type: TransactionType, at: string): TxEnv {
  const number = (name: string, bits = 256) => readNumber(tx[name], `${at}.${name}`, bits)
  const [gas, input] = [
    tx['gas'] === undefined ? 'gasLimit' : 'gas',
    tx['input'] === undefined ? 'data' : 'input',
  ]
  return {
    type,
    from: ZERO_ADDRESS,
    nonce: number('nonce', 64),
    gasLimit: number(gas, 64),
    to: readOptionalHex(tx['to'], `${at}.to`, 20) ?? null,
    value: number('value'),
    data: hexToBytes(readHex(tx[input], `${at}.${input}`)),
    ...(type < 2
      ? { gasPrice: number('gasPrice') }
      : {
          maxFeePerGas: number('maxFeePerGas'),
          maxPriorityFeePerGas: number('maxPriorityFeePerGas'),
        }),
    ...(type > 0 && { accessList: readAccessList(tx['accessList'], `${at}.accessList`) }),
    ...(type === 3 && {
      maxFeePerBlobGas: number('maxFeePerBlobGas'),
      blobVersionedHashes: readList(tx['blobVersionedHashes'], `${at}.blobVersionedHashes`).map((hash, i) =>
        readHex(hash, `${at}.blobVersionedHashes[${i}]`, 32),
      ),
    }),
    ...(type === 4 && {
      authorizationList: readAuthorizations(tx['authorizationList'], `${at}.authorizationList`),
    }),
  }
}

function readSignature(
  tx: Json,
  type: TransactionType,
  chainId: bigint | undefined,
  at: string,
): { readonly v: bigint; readonly r: bigint; readonly s: bigint } {
  const given = tx['signature'] === undefined ? tx : readObject(tx['signature'], `${at}.signature`)
  const v = readNumber(given['v'] ?? given['yParity'], `${at}.v`, 256)
  const [r, s] = [readNumber(given['r'], `${at}.r`, 256), readNumber(given['s'], `${at}.s`, 256)]
  if (type > 0 || v > 1n) return { v, r, s }
  return { v: v + (chainId === undefined ? 27n : 35n + 2n * chainId), r, s }
}

function readAccessList(value: unknown, at: string): AccessListEntry[] {
  return readList(value, at).map((one, i) => {
    const { address, storageKeys } = readObject(one, `${at}[${i}]`)
    return {
      address: readHex(address, `${at}[${i}].address`, 20),
      storageKeys: readList(storageKeys, `${at}[${i}].storageKeys`).map((key, k) =>
        readHex(key, `${at}[${i}].storageKeys[${k}]`, 32),
      ),
    }
  })
}

function readAuthorizations(value: unknown, at: string): Authorization[] {
  return readList(value, at).map((one, i) => {
    const given = readObject(one, `${at}[${i}]`)
    const number = (name: string, bits: number) => readNumber(given[name], `${at}[${i}].${name}`, bits)
    return {
      chainId: number('chainId', 256),
      address: readHex(given['address'], `${at}[${i}].address`, 20),
      nonce: number('nonce', 64),
      yParity: Number(number('yParity', 8)),
      r: number('r', 256),
      s: number('s', 256),
    }
  })
}
