/** How the fields of a state file are read: each has a path, which the error of a malformed one names. */
import { isObject } from '../../../base/schema.ts'
import type { Hex } from '../../../base/types.ts'
import { InvalidStateFileError } from '../errors.ts'

/** The value as an object. @throws InvalidStateFileError */
export function readObject(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw new InvalidStateFileError(`${at} is not an object`)
  return value
}

/** The value as an object, or an empty one if it is absent. @throws InvalidStateFileError */
export function readOptionalObject(value: unknown, at: string): Readonly<Record<string, unknown>> {
  return value === undefined || value === null ? {} : readObject(value, at)
}

/** The value as a list; an absent one is empty. @throws InvalidStateFileError */
export function readList(value: unknown, at: string): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new InvalidStateFileError(`${at} is not a list`)
  return value
}

/** An integer, as hex, as decimal digits or as a JSON number. @throws InvalidStateFileError */
export function readNumber(value: unknown, at: string, bits: number): bigint {
  const text = String(value)
  const number = /^(0x[0-9a-f]{1,64}|\d{1,78})$/i.test(text) ? BigInt(text) : -1n
  if (number < 0n || number >= 1n << BigInt(bits))
    throw new InvalidStateFileError(`${at} is not an integer >= 0 of up to ${bits} bits`)
  return number
}

/** {@link readNumber} of a value that may be absent. */
export function readOptionalNumber(value: unknown, at: string, bits: number): bigint | undefined {
  return value === undefined || value === null ? undefined : readNumber(value, at, bits)
}

/** Whole bytes as hex, in lower case. @param length - how many there must be. @throws InvalidStateFileError */
export function readHex(value: unknown, at: string, length?: number): Hex {
  const isHex = typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)
  if (!isHex || (length !== undefined && value.length !== 2 + 2 * length)) {
    throw new InvalidStateFileError(
      `${at} is not a hex string${length === undefined ? '' : ` of ${length} bytes`}`,
    )
  }
  return value.toLowerCase() as Hex
}

/** {@link readHex} of a value that may be absent. */
export function readOptionalHex(value: unknown, at: string, length?: number): Hex | undefined {
  return value === undefined || value === null ? undefined : readHex(value, at, length)
}
