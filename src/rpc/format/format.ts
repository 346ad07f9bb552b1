/** Converts internal values to the wire format. Every object is new: results share none with the chain. */

import { bytesToHex, quantity } from '../../base/bytes.ts'
import type { PreconfBlock, Retraction, SealedBlock } from '../../base/eventTypes.ts'
import type {
  PresealRpcBlock,
  PresealRpcFilledTransaction,
  PresealRpcLog,
  PresealRpcPendingBlock,
  PresealRpcReceipt,
  PresealRpcTransaction,
  PresealRpcUncle,
  PresealRpcWithdrawal,
  RpcAuthorization,
} from '../../base/rpcTypes.ts'
import type { AccessListEntry, Address, Hash, Hex } from '../../base/types.ts'
import { blockSize } from '../../core/block/attributes.ts'
import type { Payload } from '../../core/block/payload.ts'
import type { PrunedBlock } from '../../core/ledger/ledger.ts'
import { type IndexedLog, indexTransactionLogs } from '../../core/ledger/logIndex.ts'
import type { MempoolContent } from '../../core/mempool/mempool.ts'
import type { TipRetraction } from '../../core/sequencer/tip.ts'
import type { BlockView } from '../../core/view/blockView.ts'
import { HeaderNotFoundError } from '../../core/view/errors.ts'
import type { BlockReference } from '../../core/view/sources.ts'
import type { ViewedTip } from '../../core/view/view.ts'
import type { Block, Receipt, Withdrawal } from '../../ethereum/block.ts'
import { type ChainSpec, shownFields } from '../../ethereum/chainSpec.ts'
import { logsToBloom } from '../../ethereum/evm/receiptEncoding.ts'
import {
  blobBaseFee,
  EMPTY_BLOOM,
  type Header,
  hashHeader,
  LATER_FIELDS,
  measureHeader,
} from '../../ethereum/header.ts'
import {
  type Authorization,
  blobGasOf,
  effectiveGasPrice,
  feeCapOf,
  type Transaction,
} from '../../ethereum/transaction.ts'
import type { DialectRules } from '../dialect.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Fields of a transaction that come from its block. */
export interface BlockFields {
  readonly blockHash: Hash
  readonly blockNumber: Hex
  readonly blockTimestamp: Hex
}

/** Returns the fields that transactions and logs take from their block. */
export function toBlockFields({ hash, number, timestamp }: PrunedBlock): BlockFields {
  return { blockHash: hash, blockNumber: quantity(number), blockTimestamp: quantity(timestamp) }
}

/**
 * Formats a transaction, with null block fields while it waits.
 *
 * @param shared - block fields, computed once per block.
 */
export function toRpcTransaction(
  tx: Transaction,
  place?: { readonly block: PrunedBlock; readonly index: number },
  shared: BlockFields | undefined = place && toBlockFields(place.block),
): PresealRpcTransaction {
  const { type, chainId, maxFeePerGas, maxPriorityFeePerGas, accessList, authorizationList } = tx
  const { maxFeePerBlobGas, blobVersionedHashes } = tx
  const price =
    place === undefined ? feeCapOf(tx) : effectiveGasPrice(tx, place.block.header.baseFeePerGas ?? 0n)
  // Assigned field by field: full blocks are requested often, and a spread copies each object.
  const shown = {
    hash: tx.hash,
    type: quantity(type),
    nonce: quantity(tx.nonce),
    from: tx.from,
    to: tx.to,
    value: quantity(tx.value),
    gas: quantity(tx.gasLimit),
    gasPrice: quantity(price),
  } as Mutable<PresealRpcTransaction>
  if (maxFeePerGas !== undefined) shown.maxFeePerGas = quantity(maxFeePerGas)
  if (maxPriorityFeePerGas !== undefined) shown.maxPriorityFeePerGas = quantity(maxPriorityFeePerGas)
  if (maxFeePerBlobGas !== undefined) shown.maxFeePerBlobGas = quantity(maxFeePerBlobGas)
  if (blobVersionedHashes !== undefined) shown.blobVersionedHashes = [...blobVersionedHashes]
  shown.input = bytesToHex(tx.data)
  if (accessList !== undefined) shown.accessList = accessList.map(copyAccessListEntry)
  if (authorizationList !== undefined) shown.authorizationList = authorizationList.map(toRpcAuthorization)
  if (chainId !== undefined) shown.chainId = quantity(chainId)
  shown.v = quantity(tx.v)
  shown.r = quantity(tx.r)
  shown.s = quantity(tx.s)
  if (type > 0) shown.yParity = shown.v
  shown.blockHash = shared?.blockHash ?? null
  shown.blockNumber = shared?.blockNumber ?? null
  if (shared?.blockTimestamp !== undefined) shown.blockTimestamp = shared.blockTimestamp
  shown.transactionIndex = place === undefined ? null : quantity(place.index)
  const fields = place?.block.rules.spec?.transactionFields
  return fields === undefined ? shown : Object.assign(shown, shownFields(fields, tx))
}

function copyAccessListEntry({ address, storageKeys }: AccessListEntry): AccessListEntry {
  return { address, storageKeys: [...storageKeys] }
}

/** Formats an unsigned transaction as go-ethereum does: no block fields, null for fees that its type lacks. */
export function toFilledTransaction(tx: Transaction, chainId: bigint): PresealRpcFilledTransaction['tx'] {
  const { blockHash, blockNumber, transactionIndex, gasPrice, ...fields } = toRpcTransaction(tx)
  const { maxFeePerGas = null, maxPriorityFeePerGas = null } = fields
  return {
    ...fields,
    gasPrice: tx.type < 2 ? gasPrice : null,
    maxFeePerGas,
    maxPriorityFeePerGas,
    chainId: quantity(chainId),
  }
}

/** Formats a log. @param removed - whether it was withdrawn. @param shared - block fields, computed once per block. */
export function toRpcLog(log: IndexedLog, removed = false, shared?: BlockFields): PresealRpcLog {
  return {
    address: log.address,
    topics: [...log.topics],
    data: log.data,
    blockNumber: shared?.blockNumber ?? quantity(log.blockNumber),
    blockHash: log.blockHash,
    blockTimestamp: shared?.blockTimestamp ?? quantity(log.blockTimestamp),
    transactionHash: log.transactionHash,
    transactionIndex: quantity(log.transactionIndex),
    logIndex: quantity(log.logIndex),
    removed,
  }
}

/** Formats all receipts of a block. */
export function toRpcReceipts(block: Block): PresealRpcReceipt[] {
  const shared = toBlockFields(block)
  return block.receipts.map((_, index) => toRpcReceipt(block, index, shared))
}

/** Formats a block with transaction hashes. */
export function toRpcBlock(block: PrunedBlock, dialect: DialectRules): PresealRpcBlock<Hash> {
  const transactions = block.transactions.map(({ hash }) => hash)
  return Object.assign(blockFields(block, dialect), { transactions })
}

/** Formats a block with full transactions. */
export function toFullRpcBlock(
  block: PrunedBlock,
  dialect: DialectRules,
): PresealRpcBlock<PresealRpcTransaction> {
  const shared = toBlockFields(block)
  const transactions = block.transactions.map((tx, index) => toRpcTransaction(tx, { block, index }, shared))
  return Object.assign(blockFields(block, dialect), { transactions })
}

/** Formats a block of a view. Number and hash of the standard view's candidate are null. */
export function toViewedBlock(
  { kind, block }: BlockView,
  full: boolean,
  dialect: DialectRules,
): PresealRpcBlock | PresealRpcPendingBlock {
  if (kind === 'candidate') {
    return { ...blockFields(block, dialect), transactions: [], number: null, hash: null }
  }
  return full ? toFullRpcBlock(block, dialect) : toRpcBlock(block, dialect)
}

/** A header as newHeads sends it. */
export type RpcHeader = Omit<
  PresealRpcBlock,
  'transactions' | 'uncles' | 'size' | 'withdrawals' | 'totalDifficulty'
>

/** Formats a preconf block, for events and subscriptions. */
export function toPreconfBlock({ index, added, block }: Payload, dialect: DialectRules): PreconfBlock {
  return { index, block: toFullRpcBlock(block, dialect), receipts: toRpcReceipts(block), added }
}

/** Formats a sealed block, for events. */
export function toSealedBlock(block: Block, dialect: DialectRules): SealedBlock {
  return { block: toFullRpcBlock(block, dialect), receipts: toRpcReceipts(block) }
}

/** Formats a retraction, for events. */
export function toRetraction({ reason, preconfBlocks, blocks, transactions }: TipRetraction): Retraction {
  return {
    reason,
    preconfBlocks: preconfBlocks.map(({ block }) => block.hash),
    blocks: blocks.map(({ hash }) => hash),
    transactions: [...transactions],
  }
}

function blockFields(block: PrunedBlock, dialect: DialectRules): Omit<PresealRpcBlock, 'transactions'> {
  const { uncles, withdrawals, size } = block
  const shown = toRpcHeader(block.header, block.hash, block.rules.spec) as Mutable<
    Omit<PresealRpcBlock, 'transactions'>
  >
  if (dialect.totalDifficulty) shown.totalDifficulty = '0x0'
  shown.size = quantity(size)
  shown.uncles = uncles.map((uncle) => hashHeader(uncle))
  if (withdrawals !== undefined) shown.withdrawals = withdrawals.map(toRpcWithdrawal)
  return shown
}

/** Formats an uncle as a block without transactions. */
export function toRpcUncle(header: Header): PresealRpcUncle {
  const { hash, size } = measureHeader(header)
  return {
    ...toRpcHeader(header, hash),
    size: quantity(blockSize(size, 0, undefined)),
    uncles: [],
  }
}

/** Formats a header. @param spec - the spec of its chain, which may add fields. */
export function toRpcHeader(header: Header, hash: Hash, spec?: ChainSpec): RpcHeader {
  // Assigned field by field, as for transactions.
  const shown = {
    number: quantity(header.number),
    hash,
    parentHash: header.parentHash,
    nonce: header.nonce,
    sha3Uncles: header.sha3Uncles,
    logsBloom: header.logsBloom,
    transactionsRoot: header.transactionsRoot,
    stateRoot: header.stateRoot,
    receiptsRoot: header.receiptsRoot,
    miner: header.miner,
    difficulty: quantity(header.difficulty),
    extraData: header.extraData,
    gasLimit: quantity(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    timestamp: quantity(header.timestamp),
    mixHash: header.mixHash,
  } as Mutable<RpcHeader>
  const later: Record<string, unknown> = shown
  for (const { name } of LATER_FIELDS) {
    const value = header[name]
    if (value !== undefined) later[name] = typeof value === 'bigint' ? quantity(value) : value
  }
  const fields = spec?.headerFields
  return fields === undefined ? shown : Object.assign(shown, shownFields(fields, header))
}

/** Formats a transaction's receipt. @param shared - block fields, computed once per block. */
export function toRpcReceipt(
  block: Block,
  index: number,
  shared: BlockFields = toBlockFields(block),
): PresealRpcReceipt {
  const tx = block.transactions[index]!
  const receipt: Receipt = block.receipts[index]!
  // Assigned field by field, as for transactions.
  const shown: Partial<Mutable<PresealRpcReceipt>> = {
    transactionHash: tx.hash,
    transactionIndex: quantity(index),
    blockHash: block.hash,
    blockNumber: shared.blockNumber,
    from: tx.from,
    to: tx.to,
    cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
    gasUsed: quantity(receipt.gasUsed),
    contractAddress: tx.to === null ? receipt.contractAddress : null,
    logs: indexTransactionLogs(block, index).map((log) => toRpcLog(log, false, shared)),
    logsBloom: receipt.logs.length === 0 ? EMPTY_BLOOM : bytesToHex(logsToBloom(receipt.logs)),
  }
  if (receipt.stateRoot === undefined) shown.status = receipt.succeeded ? '0x1' : '0x0'
  else shown.root = receipt.stateRoot
  shown.effectiveGasPrice = quantity(receipt.effectiveGasPrice)
  if (receipt.revertReason !== undefined) shown.revertReason = receipt.revertReason
  if (tx.type === 3) {
    shown.blobGasUsed = quantity(blobGasOf(tx))
    shown.blobGasPrice = quantity(blobBaseFee(block.header, block.rules))
  }
  shown.type = quantity(tx.type)
  if (receipt.extra !== undefined) Object.assign(shown, receipt.extra)
  return shown as PresealRpcReceipt
}

/** Formats a withdrawal (EIP-4895), with its amount in gwei. */
export function toRpcWithdrawal({
  index,
  validatorIndex,
  address,
  amount,
}: Withdrawal): PresealRpcWithdrawal {
  return {
    index: quantity(index),
    validatorIndex: quantity(validatorIndex),
    address,
    amount: quantity(amount),
  }
}

function toRpcAuthorization({ chainId, address, nonce, yParity, r, s }: Authorization): RpcAuthorization {
  return {
    chainId: quantity(chainId),
    address,
    nonce: quantity(nonce),
    yParity: quantity(yParity),
    r: quantity(r),
    s: quantity(s),
  }
}

/** Finds a block to encode. @throws HeaderNotFoundError if there is none, or it is the candidate */
export async function requireEncodable(viewed: ViewedTip, reference: BlockReference): Promise<BlockView> {
  const view = await viewed.require(reference)
  if (view.kind === 'candidate') throw new HeaderNotFoundError()
  return view
}

// Mempool content in the shapes of the txpool namespace.

/** Returns the executable and the queued transactions, converted by `shape`, by sender and decimal nonce. */
export function poolBy<T>({ pending, queued }: MempoolContent, shape: (tx: Transaction) => T) {
  const bySender = (all: MempoolContent['pending']): Record<Address, Record<string, T>> =>
    Object.fromEntries([...all].map(([sender, transactions]) => [sender, byNonce(transactions, shape)]))
  return { pending: bySender(pending), queued: bySender(queued) }
}

/** Returns transactions of one sender, converted by `shape`, by decimal nonce. */
export function byNonce<T>(
  transactions: readonly Transaction[],
  shape: (tx: Transaction) => T,
): Record<string, T> {
  return Object.fromEntries(transactions.map((tx) => [tx.nonce.toString(), shape(tx)]))
}

/** Returns full transactions in one list: executable ones, then queued ones, each sender's in nonce order. */
export function poolTransactions({ pending, queued }: MempoolContent): PresealRpcTransaction[] {
  return [...pending.values(), ...queued.values()].flat().map((tx) => toRpcTransaction(tx))
}
