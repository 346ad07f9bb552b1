/** Errors across a channel, where structured clone would leave an `Error` without class and code. */
import { ImportError, ReplayError } from '../import/errors.ts'
import { GenesisMismatchError } from '../ledger/errors.ts'
import { InvalidOptionError, PresealError, RpcError } from '../primitives/errors.ts'

/** An error as a message carries it. */
export interface CarriedError {
  readonly class: keyof typeof CLASSES
  readonly message: string
  readonly stack: string | undefined
  /** Everything else it holds: name, code, data, details, cause, and so on. */
  readonly fields: Readonly<Record<string, Carried>>
}

/** A value as a message carries it. */
export type Carried = { readonly value: unknown } | { readonly error: CarriedError }

/** What errors can be told apart by; the first that fits counts. */
const CLASSES = {
  GenesisMismatchError,
  ImportError,
  InvalidOptionError,
  ReplayError,
  RpcError,
  PresealError,
  Error,
} as const

/** Makes a value ready for a message. */
export function carry(value: unknown): Carried {
  return value instanceof Error ? { error: carryError(value) } : { value }
}

/** The other way round. */
export function revive(carried: Carried): unknown {
  return 'error' in carried ? reviveError(carried.error) : carried.value
}

/**
 * Makes an error ready for a message. What it holds that structured clone refuses is left out: better told without than
 * not told at all.
 *
 * @param within - the errors that hold it, which one that leads back to them must not repeat.
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

/** The other way round: an instance of the public class, with the name of its own. */
export function reviveError({ class: name, message, stack, fields }: CarriedError): Error {
  const error = Object.setPrototypeOf(new Error(message), CLASSES[name].prototype) as Error
  // Where it was thrown tells more than where it arrived.
  if (stack !== undefined) error.stack = stack
  for (const [field, carried] of Object.entries(fields)) {
    const value = revive(carried)
    if (Reflect.get(error, field) !== value) Reflect.set(error, field, value)
  }
  return error
}
