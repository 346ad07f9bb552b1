/** What a tracer is: something that follows one execution, and then has something to say of it. */
import type { Crypto } from '../crypto/crypto.ts'
import type { Hooks, Included } from '../evm/executor.ts'
import type { Pause } from '../primitives/yielder.ts'
import type { Block } from '../protocol/block.ts'
import type { TxEnv } from '../protocol/transaction.ts'
import { TraceTooLargeError } from './errors.ts'

/** The tracer that runs others. */
export const MUX = 'muxTracer'

/** What tracers work with; that of one request. */
export interface TraceContext {
  readonly crypto: Crypto
  /** Counts memory that the trace takes. @param bytes - estimated. @throws TraceTooLargeError if it is too much. */
  readonly spend: (bytes: number) => void
  /** For work that takes one step per instruction. */
  readonly pause: Pause
}

/** Counts up to `limit` bytes. @returns what is to be called with each amount; it throws TraceTooLargeError. */
export function createTraceBudget(limit: number): TraceContext['spend'] {
  let left = limit
  return (bytes) => {
    left -= bytes
    if (left < 0) throw new TraceTooLargeError(limit)
  }
}

/** A tracer at work on one execution. */
export interface TraceRun<Result> {
  /** What the execution is to be hooked with. */
  readonly hooks: Pick<Hooks, 'tracer' | 'onAccess'>
  /** What the trace is, once the execution has ended; `place` is absent for a call. */
  result(tx: TxEnv, outcome: Included, place?: TracePlace): Result
}

/** Where a traced transaction stands. */
export interface TracePlace {
  readonly block: Pick<Block, 'hash' | 'number' | 'transactions'>
  readonly index: number
}
