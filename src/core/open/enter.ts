/** How transactions enter the mempool of a chain, and which events that has. */

import type { Emitter } from '../../base/emitter.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { PoolStore } from '../ledger/poolStore.ts'
import { addTogether } from '../mempool/addTogether.ts'
import type { Dropped } from '../mempool/dropMemory.ts'
import type { Mempool } from '../mempool/mempool.ts'
import type { SendTurn } from '../sequencer/order.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'

/** The dependencies of {@link createEnter}. */
export interface EnterParts {
  readonly mempool: Mempool
  readonly sequencer: Sequencer
  readonly transactions: Emitter<{ added: (transaction: Transaction) => void }>
  /** Whether what is sent is sealed at once. */
  readonly automine: () => boolean
  /** Resolves after a promise, once what was sent before now is in the mempool too. */
  readonly afterArrivals: (earlier: Promise<unknown>) => Promise<unknown>
}

/**
 * A function that adds transactions to the mempool at once, all of them or none, which ends the turn of their send. Their
 * events are emitted at once too, or with a database, once they are stored. It throws DisconnectedError if the turn was given up.
 */
export function createEnter(
  { mempool, sequencer, transactions, automine, afterArrivals }: EnterParts,
  journal: PoolStore | undefined,
): (transactions: readonly Transaction[], turn: SendTurn) => void {
  const emitDropped = (drops: readonly Dropped[]): void => {
    for (const { transaction, reason } of drops) sequencer.events.emit('dropped', transaction.hash, reason)
  }
  const emitAdded = (added: readonly Transaction[]): void => {
    for (const tx of added) transactions.emit('added', tx)
  }
  const add = (entering: readonly Transaction[], turn: SendTurn): readonly Dropped[] => {
    turn.check()
    const displaced = addTogether(mempool, entering, undefined, turn.place)
    turn.enter(automine())
    sequencer.wake()
    return displaced
  }
  if (journal === undefined) {
    return (entering, turn) => {
      emitDropped(add(entering, turn))
      emitAdded(entering)
    }
  }
  return (entering, turn) => {
    const displaced = add(entering, turn)
    const announce = (): void => {
      emitDropped(displaced)
      emitAdded(entering)
    }
    const admission = { transactions: entering, displaced, announce, onLost: emitDropped }
    journal.admitted(admission, afterArrivals)
  }
}
