/** Errors of a chain in a worker. */
import { PresealError } from '../primitives/errors.ts'

/** A chain was to be advanced whose clock moves by itself. */
export class ClockNotManualError extends PresealError {
  override name = 'ClockNotManualError'
  constructor() {
    super('only a chain under a manual clock can be advanced')
  }
}

/** A worker could not be loaded, threw an uncaught error, or sent a message that cannot be read. */
export class WorkerFailedError extends PresealError {
  override name = 'WorkerFailedError'
  /** @param reason - what the host says of it, where it says anything. */
  constructor(reason: string | undefined, options?: { readonly cause?: unknown }) {
    super(`the worker failed: ${reason || 'the host does not say why'}`)
    if (options?.cause !== undefined) this.cause = options.cause
  }
}
