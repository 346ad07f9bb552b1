import { method } from '../method.ts'
import { hash32, traceAddress } from '../params.ts'
import { loadParityTracer, traceTransaction } from '../traces.ts'

/**
 * The frame of a transaction at a trace address, in Parity's shape; null where there is none.
 *
 * @throws StateUnavailableError
 */
export const trace_get = method([hash32, traceAddress], async (context, hash, address) => {
  const { createTransactionTracer } = await loadParityTracer()
  const traces = await traceTransaction(context, hash, createTransactionTracer)
  const wanted = address.join()
  return traces?.find((trace) => trace.traceAddress.join() === wanted) ?? null
})
