/** Checks of the forked node's answers. They accept unknown fields, so that unknown transaction types pass. */

import { SchemaError } from '../../base/errors.ts'
import type { PresealRpcAccountProof, PresealRpcLog, PresealRpcReceipt } from '../../base/rpcTypes.ts'
import { isAbsent } from '../../base/schema.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import {
  type Asked,
  accessList,
  address,
  blockAt,
  fields,
  hash,
  hexOfSize,
  hexUpTo,
  json,
  listOf,
  orNull,
  quantity as quantityOf,
  type Reader,
  type RemoteBlock,
  type RemoteObject,
  requireHex,
  requireNumber,
} from '../../core/fork/answers.ts'
import type { HeaderField } from '../../ethereum/forks.ts'
import { HEADER_FIELDS } from '../../ethereum/header.ts'
import type { FeeHistory } from '../fees.ts'

/** Checks a value; the result is unused. @throws SchemaError if the value has the wrong shape */
export type Check = Reader<unknown>

/** Hex of whole bytes, possibly none. */
export const bytes: Check = hexUpTo()
/** An integer of up to 256 bits; some nodes write leading zeros. */
export const quantity: Check = quantityOf()
/** An integer of up to 64 bits; some nodes write leading zeros. */
export const quantity64: Check = quantityOf(64)
const bloom = hexOfSize(256)

function jsonOf(isValid: (value: unknown) => boolean, expected: string): Check {
  return (value, path = '') => {
    if (!isValid(value)) throw new SchemaError(path, expected)
  }
}

const boolean = jsonOf((value) => typeof value === 'boolean', 'a boolean')
const finite = jsonOf(Number.isFinite, 'a number')
const integer = jsonOf(Number.isSafeInteger, 'an integer')

/** Any JSON value except null. */
export const present: Check = jsonOf((value) => !isAbsent(value), 'a value')

/** An object with any fields, such as a withdrawal. */
export const object = fields<RemoteObject>({})

/** The place in a block that a transaction or a receipt claims. */
export interface Placed {
  readonly blockNumber?: Hex | null
  readonly blockHash?: Hash | null
  readonly transactionIndex?: Hex | null
}

interface WireTransaction extends Placed {
  readonly hash: Hash
  readonly from: Address
  readonly nonce: Hex
}

/** A transaction of any type. While it waits, it has no block fields. */
export const transaction = fields<WireTransaction>(
  { hash, from: address, input: bytes, value: quantity, nonce: quantity64, gas: quantity64 },
  {
    to: address,
    type: quantity64,
    gasPrice: quantity,
    maxFeePerGas: quantity,
    maxPriorityFeePerGas: quantity,
    maxFeePerBlobGas: quantity,
    blobVersionedHashes: listOf(hash),
    accessList,
    chainId: quantity,
    v: quantity,
    r: quantity,
    s: quantity,
    yParity: quantity64,
    blockHash: hash,
    blockNumber: quantity64,
    transactionIndex: quantity64,
  },
)

/** A log of a block. `removed` is optional. */
export const log = fields<Omit<PresealRpcLog, 'removed'>>(
  {
    address,
    data: bytes,
    topics: listOf(hash),
    blockNumber: quantity64,
    blockHash: hash,
    transactionHash: hash,
    transactionIndex: quantity64,
    logIndex: quantity64,
  },
  { removed: boolean },
)

/** A receipt, with `status` or, before Byzantium, with `root` (EIP-658). */
export const receipt = fields<Pick<PresealRpcReceipt, 'transactionHash'> & Placed>(
  {
    transactionHash: hash,
    transactionIndex: quantity64,
    blockHash: hash,
    blockNumber: quantity64,
    gasUsed: quantity,
    cumulativeGasUsed: quantity,
    logs: listOf(log),
  },
  {
    from: address,
    to: address,
    contractAddress: address,
    logsBloom: bloom,
    status: quantity64,
    root: hash,
    type: quantity64,
    effectiveGasPrice: quantity,
  },
)

const header = {
  required: { hash, parentHash: hash, number: quantity64, timestamp: quantity64 },
  others: {
    ...Object.fromEntries(HEADER_FIELDS.map(({ name, format }) => [name, ofFormat(format)])),
    // Up to 256 bits: on some chains, blocks have more gas than the 64 bits of Ethereum's headers can express.
    gasLimit: quantity,
    gasUsed: quantity,
    totalDifficulty: quantity,
    size: quantity64,
    uncles: listOf(hash),
    withdrawals: listOf(object),
  },
} as const

function ofFormat(format: HeaderField['format']): Check {
  if (format === 'bytes') return bytes
  return 'bits' in format ? quantityOf(format.bits) : hexOfSize(format.bytes)
}

type ShownBlock = Pick<RemoteBlock, 'number' | 'hash' | 'transactions'>

/** A block with the hashes of its transactions. */
export const block = fields<ShownBlock>({ ...header.required, transactions: listOf(hash) }, header.others)
/** A block with whole transactions. */
export const fullBlock = fields<ShownBlock>(
  { ...header.required, transactions: listOf(transaction) },
  header.others,
)
/** The header of an uncle; some nodes add an empty list of transactions. */
const uncle: Check = fields(header.required, header.others)

const proof = fields<Pick<PresealRpcAccountProof, 'address' | 'storageProof'>>({
  address,
  accountProof: listOf(bytes),
  balance: quantity,
  codeHash: hash,
  nonce: quantity64,
  storageHash: hash,
  storageProof: listOf(fields({ key: json, value: quantity, proof: listOf(bytes) })),
})

/** The result of eth_feeHistory. It has no `reward` without percentiles, and no blob fields before Cancun. */
export const feeHistory = fields<FeeHistory>(
  { oldestBlock: quantity64, baseFeePerGas: listOf(quantity), gasUsedRatio: listOf(finite) },
  {
    reward: listOf(listOf(quantity)),
    baseFeePerBlobGas: listOf(quantity),
    blobGasUsedRatio: listOf(finite),
  },
)

/** A frame in Parity's format. Its block number is a JSON number. */
export const parityTrace = fields<{ readonly blockNumber?: number }>(
  { action: object },
  { blockNumber: integer, blockHash: hash },
)

/** A frame of callTracer, with the frames it called. */
export const callTrace: Check = (value, path = '') =>
  fields(
    { type: json, from: address, input: bytes },
    { to: address, value: quantity, output: bytes, calls: listOf(callTrace) },
  )(value, path)

/** Returns a check that a block is the requested one, and that its full transactions claim their place in it. */
export function placedBlock(asked: Asked, shape = block): Check {
  const read = blockAt(asked, shape)
  return (value, path = '') => {
    const { number, hash, transactions } = read(value, path)
    const place = { number: BigInt(number), hash: hash.toLowerCase() as Hash }
    for (const [i, tx] of transactions.entries()) {
      if (typeof tx !== 'string') requirePlace(tx as Placed, place, i, `${path}.transactions[${i}]`)
    }
  }
}

/** Requires that a transaction, receipt or log does not claim a different block or index. */
export function requirePlace(
  { blockNumber, blockHash, transactionIndex }: Placed,
  { number, hash }: Asked,
  index: number,
  path: string,
): void {
  // In an answer about a block these fields may be absent.
  if (!isAbsent(blockNumber)) requireNumber(blockNumber, number, `${path}.blockNumber`)
  if (!isAbsent(blockHash)) requireHex(blockHash, hash, `${path}.blockHash`)
  if (!isAbsent(transactionIndex)) {
    requireNumber(transactionIndex, BigInt(index), `${path}.transactionIndex`)
  }
}

/** Returns the check of a list: `read` checks the shape of each item, then `check` receives it with its index. */
export function eachOf<T>(read: Reader<T>, check: (item: T, index: number, path: string) => void): Check {
  const readList = listOf(read)
  return (value, path = '') => {
    for (const [i, item] of readList(value, path).entries()) check(item, i, `${path}[${i}]`)
  }
}

/** Returns a check that a transaction has this hash. */
export function transactionOf(hash: Hash): Check {
  return (value, path = '') => requireHex(transaction(value, path).hash, hash, `${path}.hash`)
}

/** Returns a check that a receipt is of the transaction with this hash. */
export function receiptOf(hash: Hash): Check {
  return (value, path = '') =>
    requireHex(receipt(value, path).transactionHash, hash, `${path}.transactionHash`)
}

/** Creates the check of an answer about the block `asked`. @param values - the request's parsed parameters. */
export type PlacedCheck = (asked: Asked, values: readonly unknown[]) => Check

/** Creates the check of a block's receipts: each must claim its place in the list. */
export const receiptsOf: PlacedCheck = (asked) =>
  eachOf(receipt, (one, i, path) => requirePlace(one, asked, i, path))

const transactionAt: PlacedCheck = (asked, [, index]) =>
  orNull((value, path = '') => {
    requirePlace(transaction(value, path), asked, index as number, path)
  })

const proofOf: PlacedCheck =
  (_asked, values) =>
  (value, path = '') => {
    const { address: shown, storageProof } = proof(value, path)
    const [account, keys] = values as [Address, readonly unknown[]]
    requireHex(shown, account, `${path}.address`)
    if (storageProof.length !== keys.length) {
      throw new SchemaError(`${path}.storageProof`, `${keys.length} items`)
    }
  }

const parityTraces: PlacedCheck = ({ number }) =>
  eachOf(parityTrace, ({ blockNumber }, _, path) => {
    if (!isAbsent(blockNumber)) requireNumber(blockNumber, number, `${path}.blockNumber`)
  })

/** Checks of the forked node's answers that methods pass on. */
const ANSWERS = {
  accessList: () => accessList,
  address: () => address,
  bytes: () => bytes,
  bytesOrNull: () => orNull(bytes),
  hash: () => hash,
  listOfBytes: () => listOf(bytes),
  objects: () => listOf(object),
  parityTraceOrNull: () => orNull(parityTrace),
  parityTraces,
  parityTracesOrNull: () => orNull(listOf(parityTrace)),
  present: () => present,
  proof: proofOf,
  quantity: () => quantity,
  quantity64: () => quantity64,
  receipts: receiptsOf,
  transactionAt,
  uncleOrNull: () => orNull(uncle),
} satisfies Readonly<Record<string, PlacedCheck>>

type AnswerName = keyof typeof ANSWERS

/** The form of an answer: a name of {@link ANSWERS}, or the names of the fields that an object must have. */
export type Answer = AnswerName | { readonly [field: string]: AnswerName }

/** Returns the check of an answer that a method passes on. */
export function checkOf(answer: Answer): PlacedCheck {
  if (typeof answer === 'string') return ANSWERS[answer]
  const forms = Object.entries(answer)
  return (asked, values) =>
    fields(Object.fromEntries(forms.map(([name, form]) => [name, ANSWERS[form](asked, values)])))
}
