import { optional } from '../../base/schema.ts'
import { TransactionNotFoundError } from '../errors.ts'
import { defineMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'
import { traceOptions } from '../params/trace.ts'
import { createTraceContext, loadTracers, traceTransaction } from '../traces.ts'

/**
 * Traces a transaction with the struct logger or the named `tracer`: `callTracer`, `prestateTracer`, `4byteTracer`,
 * `flatCallTracer`, `muxTracer` or `noopTracer`. Executes the block again up to the transaction. The preconf view also
 * traces pre-confirmed transactions.
 *
 * @throws TransactionNotFoundError, UnknownTracerError, TraceTooLargeError, StateUnavailableError
 * @group Tracing
 * @example ["$tokenTransfer", { "tracer": "callTracer" }]
 */
export const debug_traceTransaction = defineMethod({
  class: 'debug',
  onFork: { reads: 'transaction', answer: 'present' },
  params: [hash32, optional(traceOptions)],
  handler: async (context, hash, options = {}) => {
    const { createTraceRun } = await loadTracers()
    const tracing = createTraceContext(context.read)
    const trace = await traceTransaction(context, hash, () => createTraceRun(options, tracing))
    if (trace === undefined) throw new TransactionNotFoundError()
    return trace
  },
})
