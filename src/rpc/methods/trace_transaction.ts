import { method } from '../method.ts'
import { hash32 } from '../params/params.ts'
import { parityTraces } from '../traces.ts'

/**
 * Returns the traces of a transaction in Parity's format, or null if it is in no block.
 *
 * @throws StateUnavailableError, TraceTooLargeError
 */
export const trace_transaction = method([hash32], async (context, hash) => {
  return (await parityTraces(context, hash)) ?? null
})
