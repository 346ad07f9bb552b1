/** Cheats that drop transactions: those that wait, and those that are pre-confirmed. */
import type { Transaction } from '../../ethereum/transaction.ts'
import type { CheatParts } from './parts.ts'

/**
 * Drops transactions that are not sealed; pre-confirmed ones are withdrawn, and those that depend on them wait again.
 *
 * @returns how many were dropped.
 */
export function dropTransactions(
  { sequencer, mempool }: CheatParts,
  matches: (transaction: Transaction) => boolean,
): Promise<number> {
  return sequencer.exclusive(async ({ tip, rebuildPending }) => {
    const all = [...tip().preconf.block.transactions, ...mempool.transactions()]
    const drop = new Set(all.filter(matches).map(({ hash }) => hash))
    if (drop.size > 0) await rebuildPending({ drop }, 'cheat')
    return drop.size
  })
}
