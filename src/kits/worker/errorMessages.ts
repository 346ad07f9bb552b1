/** Conversion of errors to messages and back: structured clone alone loses the class and the code of an `Error`. */

import { InvalidOptionError, PresealError, PresealRpcError } from '../../base/errors.ts'
import { ImportError, ReplayError, VerificationError } from '../../core/import/errors.ts'
import {
  DatabaseHeadError,
  DatabaseInUseError,
  DatabaseOpenError,
  DatabaseStoppedError,
  DatabaseWriteError,
  GenesisMismatchError,
} from '../../core/ledger/errors.ts'
import { ClockNotManualError } from '../../core/open/errors.ts'

/** An error as part of a message. */
export interface CarriedError {
  readonly class: keyof typeof CLASSES
  readonly message: string
  readonly stack: string | undefined
  /** Everything else it holds: name, code, data, details, cause, and so on. */
  readonly fields: Readonly<Record<string, Carried>>
}

/** A value as part of a message. */
export type Carried = { readonly value: unknown } | { readonly error: CarriedError }

/** The classes of errors, the more specific first. */
const CLASSES = {
  ClockNotManualError,
  DatabaseHeadError,
  DatabaseInUseError,
  DatabaseOpenError,
  DatabaseStoppedError,
  DatabaseWriteError,
  GenesisMismatchError,
  ImportError,
  InvalidOptionError,
  ReplayError,
  VerificationError,
  PresealRpcError,
  PresealError,
  Error,
} as const

/** Converts a value to its form in a message. */
export function carry(value: unknown): Carried {
  return value instanceof Error ? { error: carryError(value) } : { value }
}

/** Converts the form of a value in a message back. */
export function revive(carried: Carried): unknown {
  return 'error' in carried ? reviveError(carried.error) : carried.value
}

/**
 * Converts an error to its form in a message. Properties that structured clone refuses are left out, so that the error
 * itself can be sent.
 *
 * @param within - the errors that contain it; a reference back to one of them is left out.
 */
export function carryError(error: Error, within: readonly Error[] = []): CarriedError {
  const { name, message, stack, cause } = error
  const names = Object.keys(CLASSES) as (keyof typeof CLASSES)[]
  const fields: Record<string, Carried> = {}
  const known = [...within, error]
  for (const [field, value] of Object.entries({ ...error, name, ...(cause !== undefined && { cause }) })) {
    if (value instanceof Error) {
      if (!known.includes(value)) fields[field] = { error: carryError(value, known) }
    } else if (isCloneable(value)) {
      fields[field] = { value }
    }
  }
  return {
    class: names.find((candidate) => error instanceof CLASSES[candidate])!,
    message,
    stack,
    fields,
  }
}

function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}

/** Converts the form of an error in a message back: an instance of the public class, with the error's own name. */
export function reviveError({ class: name, message, stack, fields }: CarriedError): Error {
  const error = Object.setPrototypeOf(new Error(message), CLASSES[name].prototype) as Error
  // The stack of the side that threw it is more useful than this side's.
  if (stack !== undefined) error.stack = stack
  for (const [field, carried] of Object.entries(fields)) {
    const value = revive(carried)
    if (Reflect.get(error, field) !== value) Reflect.set(error, field, value)
  }
  return error
}
