/**
 * Derives the status of a batch of calls (EIP-5792) from the stages of its transactions, in a chunk that is loaded with
 * the first request.
 */

import { quantity } from '../../base/bytes.ts'
import type { DropReason } from '../../base/eventTypes.ts'
import type { PresealRpcCallReceipt, PresealRpcCallsStatus } from '../../base/rpcTypes.ts'
import type { TransactionPlace } from '../../core/ledger/ledger.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { toRpcReceipt } from '../format/format.ts'
import type { ReadContext } from '../method.ts'
import type { Batch } from './batches.ts'
import { UnknownBatchError } from './errors.ts'

/**
 * The status of a batch on a view: pending until it is pre-confirmed on preconf, until it is sealed on standard.
 *
 * @throws UnknownBatchError if its blocks are older than the history
 */
export function callsStatus(
  context: Pick<ReadContext, 'viewed' | 'read'>,
  id: string,
  { chainId, atomic, transactions }: Batch,
): PresealRpcCallsStatus {
  const { mempool } = context.read
  const receipts: PresealRpcCallReceipt[] = []
  const drops: DropReason[] = []
  for (const transaction of transactions) {
    const reason = mempool.drops.fateOf(transaction)
    // A dropped transaction may have been sent again since, alone or in another batch, under the same hash.
    const isOfBatch = (found: Transaction) => found === transaction || reason === undefined
    const place = context.viewed.findTransaction(transaction.hash)
    const waiting = context.viewed.findPending(transaction.hash) ?? mempool.get(transaction.hash)
    if (place !== undefined && isOfBatch(place.block.transactions[place.index]!)) {
      receipts.push(toCallReceipt(place))
    } else if (waiting === undefined || !isOfBatch(waiting)) {
      if (reason === undefined) throw new UnknownBatchError(id)
      drops.push(reason)
    }
  }
  const waits = receipts.length + drops.length < transactions.length
  return {
    version: '2.0.0',
    id,
    chainId: quantity(chainId),
    status: waits ? 100 : statusOf(receipts, drops),
    atomic,
    ...(receipts.length > 0 && { receipts }),
  }
}

function statusOf(
  receipts: readonly PresealRpcCallReceipt[],
  drops: readonly DropReason[],
): PresealRpcCallsStatus['status'] {
  if (receipts.length === 0) return drops.includes('reverted') ? 500 : 400
  const failed = receipts.filter(({ status }) => status === '0x0').length
  if (failed === receipts.length) return 500
  return failed + drops.length === 0 ? 200 : 600
}

function toCallReceipt({ block, index }: TransactionPlace): PresealRpcCallReceipt {
  const { status, blockHash, blockNumber, gasUsed, transactionHash, logs } = toRpcReceipt(block, index)
  return {
    logs: logs.map(({ address, data, topics }) => ({ address, data, topics })),
    // Absent only before Byzantium, in imported blocks, which contain no batches.
    status: status!,
    blockHash,
    blockNumber,
    gasUsed,
    transactionHash,
  }
}
