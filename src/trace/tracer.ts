/** What a tracer is: something that follows one execution, and then has something to say of it. */
import type { Hooks, Included } from '../execution/executor.ts'
import type { Block } from '../ledger/block.ts'
import type { TxEnv } from '../transaction.ts'

/** The tracer that runs others. */
export const MUX = 'muxTracer'

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
