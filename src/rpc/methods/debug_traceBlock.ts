import { optional } from '../../base/schema.ts'
import { defineMethod } from '../method.ts'
import { rawTransaction } from '../params/params.ts'
import { traceOptions } from '../params/trace.ts'

/**
 * Traces the transactions of an RLP-encoded block on its parent's state; see debug_traceTransaction. The chain need not
 * contain the block.
 *
 * @throws BlockDecodeError, HeaderNotFoundError, UnknownTracerError, TraceTooLargeError, StateUnavailableError,
 *   TransactionRejectedError
 * @throws GenesisNotTraceableError for genesis, in the `geth` dialect
 * @group Tracing
 * @views on sealed blocks | on sealed blocks and preconf blocks
 * @example ["$rawBlock", { "tracer": "callTracer" }]
 */
export const debug_traceBlock = defineMethod({
  class: 'debug',
  onFork: { reads: 'block', answer: 'reader' },
  params: [rawTransaction, optional(traceOptions)],
  handler: async (context, block, options) =>
    (await import('../traceEncodedBlock.ts')).traceEncodedBlock(context, block, options),
})
