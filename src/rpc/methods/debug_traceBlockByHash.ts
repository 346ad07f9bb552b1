import { optional } from '../../base/schema.ts'
import { defineMethod } from '../method.ts'
import { blockHash } from '../params/block.ts'
import { traceOptions } from '../params/trace.ts'
import { debugTraceBlock } from '../traces.ts'

/**
 * Traces the transactions of a block by hash; see debug_traceTransaction.
 *
 * @throws HeaderNotFoundError, UnknownTracerError, TraceTooLargeError, StateUnavailableError
 * @throws GenesisNotTraceableError for genesis, in the `geth` dialect
 * @group Tracing
 * @example ["$block", { "tracer": "callTracer" }]
 */
export const debug_traceBlockByHash = defineMethod({
  class: 'debug',
  onFork: { reads: 'block', answer: 'objects' },
  params: [blockHash, optional(traceOptions)],
  handler: debugTraceBlock,
})
