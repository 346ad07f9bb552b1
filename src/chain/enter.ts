/** How transactions enter the mempool of a chain, and which events that has. */
import type { PoolStore } from '../ledger/poolStore.ts'
import { addTogether } from '../mempool/addTogether.ts'
import type { Dropped } from '../mempool/dropMemory.ts'
import type { Mempool } from '../mempool/mempool.ts'
import type { Emitter } from '../primitives/emitter.ts'
import type { Transaction } from '../protocol/transaction.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'

/** The dependencies of {@link createEnter}. */
export interface EnterParts {
  readonly mempool: Mempool
  readonly sequencer: Sequencer
  readonly transactions: Emitter<{ added: (transaction: Transaction) => void }>
  /** Resolves after a promise, once what was sent before now is in the mempool too. */
  readonly afterArrivals: (earlier: Promise<unknown>) => Promise<unknown>
}

/**
 * A function that adds transactions to the mempool at once, all of them or none. Their events are emitted at once too,
 * or with a database, once they are stored.
 */
export function createEnter(
  { mempool, sequencer, transactions, afterArrivals }: EnterParts,
  journal: PoolStore | undefined,
): (transactions: readonly Transaction[]) => void {
  const emitDropped = (drops: readonly Dropped[]): void => {
    for (const { transaction, reason } of drops) sequencer.events.emit('dropped', transaction.hash, reason)
  }
  const emitAdded = (added: readonly Transaction[]): void => {
    for (const tx of added) transactions.emit('added', tx)
  }
  if (journal === undefined) {
    return (entering) => {
      emitDropped(addTogether(mempool, entering))
      sequencer.wake()
      emitAdded(entering)
    }
  }
  return (entering) => {
    const displaced = addTogether(mempool, entering)
    sequencer.wake()
    const announce = (): void => {
      emitDropped(displaced)
      emitAdded(entering)
    }
    const admission = { transactions: entering, displaced, announce, onLost: emitDropped }
    journal.admitted(admission, afterArrivals)
  }
}
