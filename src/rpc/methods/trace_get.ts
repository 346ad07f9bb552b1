import { defineMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'
import { traceAddress } from '../params/trace.ts'
import { parityTraces } from '../traces.ts'

/**
 * Returns the trace of a transaction at a trace address in Parity's format, or null if there is none.
 *
 * @throws StateUnavailableError, TraceTooLargeError
 * @group Tracing
 * @example ["$transaction", []]
 */
export const trace_get = defineMethod({
  class: 'debug',
  onFork: { reads: 'transaction', answer: 'parityTraceOrNull' },
  params: [hash32, traceAddress],
  handler: async (context, hash, address) => {
    const traces = await parityTraces(context, hash)
    const wanted = address.join()
    return traces?.find((trace) => trace.traceAddress.join() === wanted) ?? null
  },
})
