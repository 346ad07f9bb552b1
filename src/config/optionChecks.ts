/** What options are checked with: one question about an unknown value each, and the refusal. */
import type { Clock } from '../primitives/clock.ts'
import { InvalidOptionError } from '../primitives/errors.ts'
import type { ManualClock } from '../primitives/manualClock.ts'
import type { Dialect } from '../primitives/types.ts'

/** The most an EVM word holds. */
export const MAX_UINT256 = 2n ** 256n - 1n

/** @throws InvalidOptionError unless `valid`. */
export function check(valid: boolean, option: string, expected: string): asserts valid {
  if (!valid) throw new InvalidOptionError(option, expected)
}

/** Everything a clock must do. */
export function isClock(value: unknown): value is Clock {
  return hasMethods(value, ['now', 'setTimeout', 'clearTimeout', 'yield'])
}

/** Under a clock that is advanced by hand, how long a tick takes says nothing. */
export function isManual(clock: Clock): boolean {
  return typeof (clock as Partial<ManualClock>).advance === 'function'
}

/** The dialects, as a message names them. */
export const DIALECT_NAMES = "'preconf' or 'geth'"

/** One of the dialects. */
export function isDialect(value: unknown): value is Dialect {
  return value === 'preconf' || value === 'geth'
}

/** What of an abstract-level database is used. */
export function isDatabase(value: unknown): boolean {
  return hasMethods(value, ['open', 'get', 'batch'])
}

/** An object or an array. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** A whole number from `least` on that is exact. */
export function isInteger(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least
}

/** A chain id as a genesis holds one. */
export function isChainId(value: unknown): boolean {
  return isInteger(value, 1)
}

/** A bigint within these bounds. */
export function isBigint(value: unknown, least: bigint, most: bigint): value is bigint {
  return typeof value === 'bigint' && value >= least && value <= most
}

/** `0x` and this many bytes, in either case. */
export function isHexOf(value: unknown, bytes: number): boolean {
  return typeof value === 'string' && value.length === 2 + 2 * bytes && /^0x[0-9a-f]*$/i.test(value)
}

/** A number as a genesis holds one, or undefined for what is none. */
export function quantityOf(value: unknown): bigint | undefined {
  try {
    return BigInt(value as string)
  } catch {
    return undefined
  }
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  return (
    isObject(value) && names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function')
  )
}
