/**
 * What has become of a batch of calls (EIP-5792), told by where its transactions stand; a chunk loaded with the first.
 */

import type { TransactionPlace } from '../../ledger/ledger.ts'
import { quantity } from '../../primitives/bytes.ts'
import type { DropReason } from '../../primitives/eventTypes.ts'
import type { RpcCallReceipt, RpcCallsStatus } from '../../primitives/rpcTypes.ts'
import type { Transaction } from '../../protocol/transaction.ts'
import { toRpcReceipt } from '../format/format.ts'
import type { ReadContext } from '../method.ts'
import type { Batch } from './batches.ts'
import { UnknownBatchError } from './errors.ts'

/**
 * A batch as the view shows it: on standard it waits until it is sealed.
 *
 * @throws UnknownBatchError for one whose blocks are older than the history
 */
export function callsStatus(
  asked: ReadContext,
  id: string,
  { chainId, atomic, transactions }: Batch,
): RpcCallsStatus {
  const { mempool } = asked.read
  const receipts: RpcCallReceipt[] = []
  const drops: DropReason[] = []
  for (const transaction of transactions) {
    const reason = mempool.fateOf(transaction)
    // One that was dropped may have been sent once more since, by itself or in another batch, under the same hash.
    const isMeant = (found: Transaction) => found === transaction || reason === undefined
    const place = asked.viewed.findTransaction(transaction.hash)
    const waiting = asked.viewed.findPending(transaction.hash) ?? mempool.get(transaction.hash)
    if (place !== undefined && isMeant(place.block.transactions[place.index]!)) {
      receipts.push(toCallReceipt(place))
    } else if (waiting === undefined || !isMeant(waiting)) {
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
  receipts: readonly RpcCallReceipt[],
  drops: readonly DropReason[],
): RpcCallsStatus['status'] {
  if (receipts.length === 0) return drops.includes('reverted') ? 500 : 400
  const failed = receipts.filter(({ status }) => status === '0x0').length
  if (failed === receipts.length) return 500
  return failed + drops.length === 0 ? 200 : 600
}

function toCallReceipt({ block, index }: TransactionPlace): RpcCallReceipt {
  const { status, blockHash, blockNumber, gasUsed, transactionHash, logs } = toRpcReceipt(block, index)
  return {
    logs: logs.map(({ address, data, topics }) => ({ address, data, topics })),
    // Absent before Byzantium alone, from when no block is made here.
    status: status!,
    blockHash,
    blockNumber,
    gasUsed,
    transactionHash,
  }
}
