/**
 * The blocks of a state file, with their transactions and receipts. They are not executed: their headers commit to their
 * transactions and receipts, and to the block before.
 *
 *   blocks ─► by hash ─► back from the best block to genesis ─► senders, receipts ─► compared with the header
 */

import { bytesToHex } from '../../../base/bytes.ts'
import type { Crypto } from '../../../base/crypto/crypto.ts'
import { TransactionRejectedError } from '../../../base/errors.ts'
import { encodeRlp } from '../../../base/rlp.ts'
import type { Address, Hash, Hex } from '../../../base/types.ts'
import type { Pause } from '../../../base/yielder.ts'
import type { Block, Receipt, Withdrawal } from '../../../ethereum/block.ts'
import { encodeBlock, encodeWithdrawal } from '../../../ethereum/blockEncoding.ts'
import { decodeTransaction } from '../../../ethereum/decodeTransaction.ts'
import { receiptFields } from '../../../ethereum/evm/receiptEncoding.ts'
import { type Header, hashHeader, headerItems } from '../../../ethereum/header.ts'
import type { ChainRules } from '../../../ethereum/rules.ts'
import { listRoot } from '../../../ethereum/state/listTrie.ts'
import type { Transaction } from '../../../ethereum/transaction.ts'
import { InvalidStateFileError } from '../errors.ts'
import { readHex, readList, readNumber, readObject, readOptionalNumber } from './fields.ts'
import { readHeader } from './readHeader.ts'
import { type FileReceipt, readReceipt, toReceipt } from './readReceipt.ts'
import { type FileTransaction, readTransaction } from './readTransaction.ts'

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
