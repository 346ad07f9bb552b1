/** Pauses of the work that requests start. */
import { createYielder, YIELD_AFTER_MS, type Yielder } from '../base/waiting.ts'
import { DisconnectedError } from '../core/sequencer/errors.ts'
import type { Closing, ReadServices } from './services.ts'

/**
 * As `createYielder`, for the work of a request: it ends with the connection, since nobody gets the answer then.
 *
 * @throws DisconnectedError from a pause during which the connection has ended.
 */
export function createPause({
  read,
  closed,
}: {
  readonly read: Pick<ReadServices, 'clock'>
  readonly closed: Pick<Closing, 'isClosed'>
}): Yielder {
  return createYielder(read.clock, YIELD_AFTER_MS, () => {
    if (closed.isClosed) throw new DisconnectedError()
  })
}
