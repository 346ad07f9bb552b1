/** Adds Solidity stack traces to errors of failed executions, if the chain has the option `stackTraces`. */
import type { StackTraceSource } from '../config/stackTraceOptions.ts'
import type { Crypto } from '../crypto/crypto.ts'
import type { Tracer } from '../evm/executor.ts'
import type { ClosingChain } from '../solidity/failures.ts'

/** Adds a trace to an error by executing again, and returns the error. */
export type TraceFailure = <E extends Error>(
  error: E,
  execute: (tracer: Tracer) => Promise<unknown>,
) => Promise<E>

/** Creates the function that adds traces, for one chain; nothing is loaded or read before the first failure. */
export function createTraceFailure(
  source: StackTraceSource,
  crypto: Crypto,
  closed: ClosingChain,
): TraceFailure {
  let loaded: Promise<{ explain: TraceFailure }> | undefined
  return async (error, execute) => {
    loaded ??= import('../solidity/failures.ts').then(({ Failures }) => new Failures(source, crypto, closed))
    return (await loaded).explain(error, execute)
  }
}
