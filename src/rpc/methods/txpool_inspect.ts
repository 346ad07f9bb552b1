import { feeCapOf, type Transaction } from '../../ethereum/transaction.ts'
import { poolBy } from '../format/format.ts'
import { defineMethod } from '../method.ts'

/**
 * Returns a one-line summary of each waiting transaction by sender and nonce, in go-ethereum's format.
 *
 * @group Mempool
 */
export const txpool_inspect = defineMethod({
  class: 'debug',
  onFork: 'local',
  handler: ({ read }) => poolBy(read.mempool.content(), summarize),
})

function summarize(tx: Transaction): string {
  return `${tx.to ?? 'contract creation'}: ${tx.value} wei + ${tx.gasLimit} gas × ${feeCapOf(tx)} wei`
}
