import { callsStatus } from '../callsStatus.ts'
import { method } from '../method.ts'
import { batchId } from '../params.ts'

/**
 * What has become of a batch of calls (EIP-5792): on preconf from pre-confirmation on, on standard from sealing on.
 *
 * @throws UnknownBatchError
 */
export const wallet_getCallsStatus = method([batchId], callsStatus)
