/** Fee history and suggested fees. */

import { quantity } from '../base/bytes.ts'
import type { Hex } from '../base/types.ts'
import type { Pause } from '../base/waiting.ts'
import type { BlockView } from '../core/view/blockView.ts'
import { HeaderNotFoundError } from '../core/view/errors.ts'
import type { BlockPosition } from '../core/view/sources.ts'
import type { ViewedTip } from '../core/view/view.ts'
import type { Block } from '../ethereum/block.ts'
import { nextBlobBaseFee } from '../ethereum/header.ts'
import { effectiveTip } from '../ethereum/transaction.ts'

/** The tip to suggest if recent blocks have no transactions: 1 gwei. */
const DEFAULT_TIP = 1_000_000_000n
/** The suggested tip is the 60th percentile of the tips in the 20 newest blocks, as in go-ethereum. */
const SUGGESTION_BLOCKS = 20
const SUGGESTION_PERCENTILE = 60

/** Suggests a tip from recently sealed transactions, in wei per gas. */
export function suggestTip(viewed: ViewedTip): bigint {
  const tips: bigint[] = []
  for (const block of viewed.recent(SUGGESTION_BLOCKS)) for (const [tip] of tipsOf(block)) tips.push(tip)
  if (tips.length === 0) return DEFAULT_TIP
  tips.sort(ascending)
  return tips[Math.floor(((tips.length - 1) * SUGGESTION_PERCENTILE) / 100)]!
}

/** Returns the fixed gas price, or the base fee of the next block plus the suggested tip, in wei per gas. */
export function suggestGasPrice(viewed: ViewedTip, fixed: bigint | undefined): bigint {
  return fixed ?? viewed.pending.env.baseFee + suggestTip(viewed)
}

/** The result of eth_feeHistory. */
export interface FeeHistory {
  readonly oldestBlock: Hex
  /** One fee per block, then the fee of the block after them. */
  readonly baseFeePerGas: readonly Hex[]
  readonly gasUsedRatio: readonly number[]
  readonly baseFeePerBlobGas: readonly Hex[]
  readonly blobGasUsedRatio: readonly number[]
  /** Per block, the tips at the requested percentiles, weighted by gas. Undefined if no percentiles are requested. */
  readonly reward?: readonly (readonly Hex[])[]
}

/** The result for a request of 0 blocks, as in go-ethereum. */
const NO_HISTORY: FeeHistory = {
  oldestBlock: '0x0',
  baseFeePerGas: [],
  gasUsedRatio: [],
  baseFeePerBlobGas: [],
  blobGasUsedRatio: [],
}

/**
 * Computes the result of eth_feeHistory. Reads transactions and receipts only for percentiles.
 *
 * @param count - number of blocks; the result has fewer if the chain is shorter.
 * @param percentiles - ascending, at least one; undefined for none.
 * @param pause - called after each block.
 * @throws HeaderNotFoundError if the newest block does not exist
 * @throws StateUnavailableError if percentiles are requested for a block older than the history
 */
export async function feeHistory(
  viewed: ViewedTip,
  count: number,
  newest: BlockPosition,
  percentiles: readonly number[] | undefined,
  pause: Pause,
): Promise<FeeHistory> {
  const last = await viewed.require(newest)
  if (count === 0) return NO_HISTORY
  const nextBaseFee = viewed.nextBaseFee(last.block)
  const views: BlockView[] = []
  const reward: Hex[][] = []
  const oldest = last.block.number - BigInt(count - 1)
  for (let number = oldest < 0n ? 0n : oldest; number <= last.block.number; number++) {
    const view = number === last.block.number ? last : await viewed.find({ kind: 'number', number })
    if (view === undefined) throw new HeaderNotFoundError()
    views.push(view)
    if (percentiles !== undefined) reward.push(rewardsOf(view, percentiles))
    await pause()
  }
  const nextBlobFee = nextBlobBaseFee(last.block.header, last.block.rules)
  return {
    oldestBlock: quantity(views[0]!.block.number),
    baseFeePerGas: [...views.map(({ env }) => env.baseFee), nextBaseFee].map(quantity),
    gasUsedRatio: views.map(({ block }) => Number(block.header.gasUsed) / Number(block.header.gasLimit)),
    baseFeePerBlobGas: [...views.map(({ env }) => env.blobBaseFee), nextBlobFee].map(quantity),
    blobGasUsedRatio: views.map(({ block }) => blobGasUsedRatio(block)),
    ...(percentiles !== undefined && { reward }),
  }
}

function blobGasUsedRatio({ header, rules }: Pick<Block, 'header' | 'rules'>): number {
  const { blobGasUsed = 0n } = header
  return blobGasUsed === 0n ? 0 : Number(blobGasUsed) / Number(rules.blobs.maxGas)
}

/** @throws StateUnavailableError if percentiles are requested and the receipts are no longer stored */
function rewardsOf(view: BlockView, percentiles: readonly number[]): Hex[] {
  const block = view.executed
  const tips = tipsOf(block).sort(([a], [b]) => ascending(a, b))
  const total = Number(block.header.gasUsed)
  let next = 0
  let used = 0
  return percentiles.map((percentile) => {
    const threshold = Math.floor((total * percentile) / 100)
    while (next < tips.length && used + Number(tips[next]![1]) < threshold) used += Number(tips[next++]![1])
    const tip = tips[next]?.[0]
    return tip === undefined ? '0x0' : quantity(tip)
  })
}

function tipsOf({ transactions, receipts, header }: Block): [tip: bigint, gasUsed: bigint][] {
  const baseFee = header.baseFeePerGas ?? 0n
  return transactions.map((tx, i) => [effectiveTip(tx, baseFee), receipts[i]!.gasUsed])
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b)
}
