/** The interface of tracers. A run traces one execution and returns a result. */
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Block } from '../../ethereum/block.ts'
import type { Hooks, Included } from '../../ethereum/evm/executor.ts'
import type { TxEnv } from '../../ethereum/transaction.ts'
import { TraceTooLargeError } from './errors.ts'

/** The name of the tracer that runs several tracers. */
export const MUX = 'muxTracer'

/** Context shared by the tracers of a request. */
export interface TraceContext {
  readonly crypto: Crypto
  /** Counts estimated memory. @param bytes - negative to release memory. @throws TraceTooLargeError above the limit. */
  readonly spend: (bytes: number) => void
}

/** Creates a budget. @returns a function that spends bytes, and throws TraceTooLargeError above `limit` bytes. */
export function createTraceBudget(limit: number): TraceContext['spend'] {
  let left = limit
  return (bytes) => {
    left -= bytes
    if (left < 0) throw new TraceTooLargeError(limit)
  }
}

/** Counts the memory of one execution. */
export class Spending {
  readonly #spend: TraceContext['spend']
  #spent = 0

  constructor({ spend }: Pick<TraceContext, 'spend'>) {
    this.#spend = spend
  }

  /** Called when the execution starts or starts over. Releases the memory counted before. */
  start(): void {
    this.#spend(-this.#spent)
    this.#spent = 0
  }

  /** @throws TraceTooLargeError above the limit. */
  add(bytes: number): void {
    this.#spent += bytes
    this.#spend(bytes)
  }
}

/** A tracer's run on one execution. */
export interface TraceRun<Result> {
  readonly hooks: Hooks
  /** Returns the trace after the execution. `place` is absent for a call. */
  result(tx: TxEnv, outcome: Included, place?: TracePlace): Result
}

/** The position of a traced transaction. */
export interface TracePlace {
  readonly block: Pick<Block, 'hash' | 'number' | 'transactions'>
  readonly index: number
}
