/** The mined transactions of a state file: who sent them, and their receipts. */
import type { Address, Hash, Hex } from '../../../base/types.ts'
import type { Log, Receipt } from '../../../ethereum/block.ts'
import type { Header } from '../../../ethereum/header.ts'
import { effectiveGasPrice, type Transaction } from '../../../ethereum/transaction.ts'
import { InvalidStateFileError } from '../errors.ts'
import { readHex, readList, readNumber, readObject, readOptionalHex, readOptionalObject } from './fields.ts'

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
