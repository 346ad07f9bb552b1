/** What is withdrawn if a chain begins again on another block: a module that most chains do not load. */
import type { Hash } from '../../base/types.ts'
import type { Block } from '../../ethereum/block.ts'
import type { TipRetraction } from './retraction.ts'
import type { Tip } from './tip.ts'

/**
 * What a tip withdraws that begins another chain: all sealed blocks in memory, and all that was pre-confirmed.
 *
 * @param blockOf - the sealed blocks of the chain before; undefined for one that is not in memory.
 */
export function compareChains(
  before: Tip,
  tip: Tip,
  blockOf: (hash: Hash) => Block | undefined,
): TipRetraction {
  const blocks: Block[] = []
  let block = blockOf(before.head.block.hash)
  // The other chain can continue one of them.
  while (block !== undefined && block.hash !== tip.head.block.hash) {
    blocks.push(block)
    block = blockOf(block.header.parentHash)
  }
  const pending = before.preconf.block
  const withdrawn = [pending, ...blocks].toReversed()
  const transactions = withdrawn.flatMap((one) => one.transactions.map(({ hash }) => hash))
  return { reason: 'reset', snapshots: before.snapshots, blocks, transactions, pending, kept: 0, tip }
}
