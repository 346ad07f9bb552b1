import { defineMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'
import { parityTraces } from '../traces.ts'

/**
 * Returns the traces of a transaction in Parity's format, or null if it is in no block.
 *
 * @throws StateUnavailableError, TraceTooLargeError
 * @group Tracing
 * @example ["$transaction"]
 */
export const trace_transaction = defineMethod({
  class: 'debug',
  onFork: { reads: 'transaction', answer: 'parityTracesOrNull' },
  params: [hash32],
  handler: async (context, hash) => (await parityTraces(context, hash)) ?? null,
})
