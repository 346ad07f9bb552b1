/** Transactions that are given up: those that wait, and those that are pre-confirmed. */
import type { Transaction } from '../protocol/transaction.ts'
import type { CheatParts } from './parts.ts'

/**
 * Gives up what is not sealed yet; what was pre-confirmed of it is withdrawn, and what can't do without it waits again.
 *
 * @returns how many there were.
 */
export function dropTransactions(
  { sequencer, mempool }: CheatParts,
  isMeant: (transaction: Transaction) => boolean,
): Promise<number> {
  return sequencer.exclusive(async ({ tip, rebuildPending }) => {
    const all = [...tip().preconf.block.transactions, ...mempool.transactions()]
    const drop = new Set(all.filter(isMeant).map(({ hash }) => hash))
    if (drop.size > 0) await rebuildPending({ drop }, 'cheat')
    return drop.size
  })
}
