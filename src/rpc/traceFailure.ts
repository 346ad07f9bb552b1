/** Adds Solidity stack traces to errors of failed executions, if the chain has the option `stackTraces`. */

import type { Crypto } from '../base/crypto/crypto.ts'
import type { StackTraceSource } from '../base/options/options.ts'
import type { Tracer } from '../ethereum/evm/executor.ts'
import type { ClosingChain } from '../inspect/solidity/failures.ts'

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
    loaded ??= import('../inspect/solidity/failures.ts').then(
      ({ Failures }) => new Failures(source, crypto, closed),
    )
    return (await loaded).explain(error, execute)
  }
}
