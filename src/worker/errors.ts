/** Errors of a chain in a worker. */
import { PresealError } from '../primitives/errors.ts'

/** A worker could not be loaded, threw an uncaught error, sent a message that cannot be read, or was terminated. */
export class WorkerFailedError extends PresealError {
  override name = 'WorkerFailedError'
  /** @param reason - what happened, such as the host's message; undefined if that is unknown. */
  constructor(reason: string | undefined, options?: { readonly cause?: unknown }) {
    super(`the worker failed: ${reason || 'no reason given'}`)
    if (options?.cause !== undefined) this.cause = options.cause
  }
}
