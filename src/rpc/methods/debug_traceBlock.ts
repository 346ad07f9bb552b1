import { optional } from '../../base/schema.ts'
import { lazyMethod } from '../method.ts'
import { rawTransaction } from '../params/params.ts'
import { traceOptions } from '../params/trace.ts'

/**
 * Traces the transactions of a block that is given as RLP, on the state of its parent; see debug_traceTransaction. The
 * chain need not have the block.
 *
 * @throws BlockDecodeError, HeaderNotFoundError, UnknownTracerError, TraceTooLargeError, StateUnavailableError,
 *   TransactionRejectedError
 * @throws GenesisNotTraceableError for genesis, in the `geth` dialect
 */
export const debug_traceBlock = lazyMethod(
  [rawTransaction, optional(traceOptions)],
  async () => (await import('../traceEncodedBlock.ts')).traceEncodedBlock,
)
