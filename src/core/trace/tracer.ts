/** The interface of tracers, each of which traces one execution and then returns a result. */
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Block } from '../../ethereum/block.ts'
import type { Hooks, Included } from '../../ethereum/evm/executor.ts'
import type { TxEnv } from '../../ethereum/transaction.ts'
import { TraceTooLargeError } from './errors.ts'

/** The name of the tracer that runs others. */
export const MUX = 'muxTracer'

/** The context of the tracers of one request. */
export interface TraceContext {
  readonly crypto: Crypto
  /** Counts the memory of the trace. @param bytes - estimated; below 0 for what is released. @throws TraceTooLargeError above the limit. */
  readonly spend: (bytes: number) => void
}

/** Creates a budget of `limit` bytes. @returns a function that spends bytes; it throws TraceTooLargeError. */
export function createTraceBudget(limit: number): TraceContext['spend'] {
  let left = limit
  return (bytes) => {
    left -= bytes
    if (left < 0) throw new TraceTooLargeError(limit)
  }
}

/** What a tracer has spent on one execution; an execution that is started again takes it back. */
export class Spending {
  readonly #spend: TraceContext['spend']
  #spent = 0

  constructor({ spend }: Pick<TraceContext, 'spend'>) {
    this.#spend = spend
  }

  /** The execution starts, perhaps again: what was traced before is void. */
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

/** The run of a tracer on one execution. */
export interface TraceRun<Result> {
  /** The hooks to execute with. */
  readonly hooks: Hooks
  /** The trace, after the execution has ended; `place` is absent for a call. */
  result(tx: TxEnv, outcome: Included, place?: TracePlace): Result
}

/** The position of a traced transaction. */
export interface TracePlace {
  readonly block: Pick<Block, 'hash' | 'number' | 'transactions'>
  readonly index: number
}
