/** Errors of a chain in a worker. */
import { PresealError } from '../../base/errors.ts'

/** A worker could not be loaded, threw an uncaught error, sent a message that cannot be read, or was terminated. */
export class WorkerFailedError extends PresealError {
  override name = 'WorkerFailedError'
  /** @param reason - what happened, such as the host's message; undefined if that is unknown. */
  constructor(reason: string | undefined, options?: { readonly cause?: unknown }) {
    super(`the worker failed: ${reason || 'no reason given'}`, options?.cause === undefined ? {} : options)
  }
}

/** The host lacks what a database of a page needs. A DatabaseOpenError has its text. */
export class HostFeatureMissingError extends PresealError {
  override name = 'HostFeatureMissingError'
  /** @param place - where the feature is available. */
  constructor(feature: string, place: string, options?: { readonly cause?: unknown }) {
    super(`${feature} is not available here: expected ${place}`, options)
  }
}

/** An IndexedDB database was created by another program. A DatabaseOpenError has its text. */
export class ForeignDatabaseError extends PresealError {
  override name = 'ForeignDatabaseError'
  constructor(name: string) {
    super(`the IndexedDB database ${name} belongs to another program: expected another name`)
  }
}
