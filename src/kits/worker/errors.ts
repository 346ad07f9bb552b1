/** Errors of a chain in a worker. */
import { PresealError } from '../../base/errors.ts'

/** A worker could not be loaded, threw an uncaught error, sent an unreadable message, or was terminated. */
export class WorkerFailedError extends PresealError {
  override name = 'WorkerFailedError'
  /** @param reason - such as the host's message; undefined if unknown */
  constructor(reason: string | undefined, options?: { readonly cause?: unknown }) {
    super(`the worker failed: ${reason || 'no reason given'}`, options?.cause === undefined ? {} : options)
  }
}

/** The host lacks a feature that a page's database needs. A DatabaseOpenError contains the message. */
export class HostFeatureMissingError extends PresealError {
  override name = 'HostFeatureMissingError'
  constructor(feature: string, place: string, options?: { readonly cause?: unknown }) {
    super(`${feature} is not available here: expected ${place}`, options)
  }
}

/** A foreign program created the IndexedDB database. A DatabaseOpenError contains the message. */
export class ForeignDatabaseError extends PresealError {
  override name = 'ForeignDatabaseError'
  constructor(name: string) {
    super(`the IndexedDB database ${name} belongs to a different program: expected a free name`)
  }
}
