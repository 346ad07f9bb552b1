import { optional } from '../../primitives/schema.ts'
import { method } from '../method.ts'
import { blockHash } from '../params/block.ts'
import { traceOptions } from '../params/trace.ts'
import { debugTraceBlock } from '../traces.ts'

/**
 * What each transaction of a block did; see debug_traceTransaction. Nothing for a block without transactions.
 *
 * @throws HeaderNotFoundError, UnknownTracerError, StateUnavailableError; GenesisNotTraceableError in the dialect of
 *   go-ethereum
 */
export const debug_traceBlockByHash = method([blockHash, optional(traceOptions)], debugTraceBlock)
