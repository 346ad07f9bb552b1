import { optional } from '../../base/schema.ts'
import { defineMethod } from '../method.ts'
import { blockPosition } from '../params/block.ts'
import { traceOptions } from '../params/trace.ts'
import { debugTraceBlock } from '../traces.ts'

/**
 * Traces the transactions of a block by number or tag; see debug_traceTransaction.
 *
 * @throws HeaderNotFoundError, UnknownTracerError, TraceTooLargeError, StateUnavailableError
 * @throws GenesisNotTraceableError for genesis, in the `geth` dialect
 * @group Tracing
 * @example ["latest"]
 */
export const debug_traceBlockByNumber = defineMethod({
  class: 'debug',
  onFork: { reads: 'block', answer: 'objects' },
  params: [blockPosition, optional(traceOptions)],
  handler: debugTraceBlock,
})
