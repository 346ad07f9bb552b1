/** Transactions that wait for their senders, in the order in which they were sent. */

import type { Clock } from '../../base/clock.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Address, MaybePromise } from '../../base/types.ts'
import type { SignedHash } from '../../ethereum/decodeTransaction.ts'
import type { Rules } from '../../ethereum/rules.ts'
import type { SignedFields, Transaction } from '../../ethereum/transaction.ts'
import type { SendTurn } from '../sequencer/order.ts'

/** The parts of a chain that the recovery of senders needs. */
export interface RecoveryParts {
  readonly crypto: Crypto
  readonly clock: Pick<Clock, 'yield'>
  /** The text of the workers, instead of the one in the build. */
  readonly recoveryScript?: string | undefined
  /** The rules that transactions are decoded by now. */
  rules(): Rules
}

/** A transaction that waits for its sender. */
export interface Arrival {
  readonly raw: Uint8Array
  readonly turn: SendTurn
  /** Its fields, if they were decoded ahead, and the rules they were decoded by. */
  decoded?: { readonly fields: SignedFields; readonly signed: SignedHash; readonly rules: Rules }
  /** Its sender, if it was recovered ahead. */
  sender?: Address
  /** Whether nothing more can be done ahead of its turn. */
  isPrepared?: true
  /** Resolves once it is in the mempool. */
  readonly entered: Promise<Transaction>
  /** Called once it has left the queue. */
  onAdmitted?: () => void
  resolve(transaction: MaybePromise<Transaction>): void
  reject(error: Error): void
}

/** Unused places at the front that are kept, so that removing the first one takes constant time. */
const MAX_UNUSED = 1_000

/** See the file's header. */
export class ArrivalQueue {
  #arrivals: Arrival[] = []
  #first = 0

  get length(): number {
    return this.#arrivals.length - this.#first
  }

  get last(): Arrival | undefined {
    return this.#arrivals.at(-1)
  }

  /** @param index - from 0, the first one, to length - 1. */
  at(index: number): Arrival {
    return this.#arrivals[this.#first + index]!
  }

  push(raw: Uint8Array, turn: SendTurn): Arrival {
    let resolve!: Arrival['resolve']
    let reject!: Arrival['reject']
    const entered = new Promise<Transaction>((...settle) => {
      ;[resolve, reject] = settle
    })
    const arrival: Arrival = { raw, turn, entered, resolve, reject }
    this.#arrivals.push(arrival)
    return arrival
  }

  /** Removes the first one; there must be one. */
  shift(): Arrival {
    const arrival = this.at(0)
    this.#first += 1
    if (this.#first > MAX_UNUSED || this.length === 0) {
      this.#arrivals = this.#arrivals.slice(this.#first)
      this.#first = 0
    }
    return arrival
  }
}
