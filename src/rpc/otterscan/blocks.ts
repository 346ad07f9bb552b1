/** Otterscan's blocks, from blocks and receipts on the wire: those of the chain here, or of a forked node. */

import { quantity } from '../../base/bytes.ts'
import type { PresealRpcBlock, PresealRpcReceipt, PresealRpcTransaction } from '../../base/rpcTypes.ts'
import type { Hash } from '../../base/types.ts'
import { blockReward, uncleReward } from '../../core/block/systemCalls.ts'
import type { Block } from '../../ethereum/block.ts'
import type { OtterscanBlock, OtterscanBlockDetails, OtterscanBlockTransactions } from './shapes.ts'

/** Wei that a block created for its miner and for those of its uncles. */
export interface Issuance {
  readonly block: bigint
  readonly uncles: bigint
}

/** The issuance since the merge. */
export const NO_ISSUANCE: Issuance = { block: 0n, uncles: 0n }

/** The issuance of a block. */
export function issuanceOf({
  header,
  rules,
  uncles,
  number,
}: Pick<Block, 'header' | 'rules' | 'uncles' | 'number'>): Issuance {
  if (rules.fork.paris || header.number === 0n) return NO_ISSUANCE
  const shares = uncles.map((uncle) => uncleReward(rules.fork, uncle, number))
  return {
    block: blockReward(rules.fork, uncles.length),
    uncles: shares.reduce((sum, share) => sum + share, 0n),
  }
}

/** The result of ots_getBlockDetails. */
export function toDetails(
  block: PresealRpcBlock,
  receipts: readonly PresealRpcReceipt[],
  issuance: Issuance,
): OtterscanBlockDetails {
  const fees = receipts.reduce(
    (sum, { gasUsed, effectiveGasPrice }) => sum + BigInt(gasUsed) * BigInt(effectiveGasPrice),
    0n,
  )
  return {
    block: withoutTransactions(block),
    issuance: {
      blockReward: quantity(issuance.block),
      uncleReward: quantity(issuance.uncles),
      issuance: quantity(issuance.block + issuance.uncles),
    },
    totalFees: quantity(fees),
  }
}

/** The result of ots_getBlockTransactions. Page 0 has the last transactions of the block. */
export function toTransactions(
  block: PresealRpcBlock<PresealRpcTransaction>,
  receipts: readonly PresealRpcReceipt[],
  page: number,
  size: number,
): OtterscanBlockTransactions {
  const end = Math.max(0, block.transactions.length - page * size)
  const start = Math.max(0, end - size)
  return {
    fullblock: {
      ...withoutTransactions(block),
      transactions: block.transactions.slice(start, end).map((tx) => ({ ...tx, input: selectorOf(tx) })),
    },
    receipts: receipts.slice(start, end).map((receipt) => ({ ...receipt, logs: null, logsBloom: null })),
  }
}

function withoutTransactions({
  transactions,
  ...block
}: PresealRpcBlock<Hash | PresealRpcTransaction>): OtterscanBlock {
  return { ...block, transactionCount: transactions.length, logsBloom: null }
}

function selectorOf({ input }: PresealRpcTransaction): PresealRpcTransaction['input'] {
  return input.slice(0, 10) as PresealRpcTransaction['input']
}
