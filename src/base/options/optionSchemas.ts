/** Schemas of single options: numbers, choices, hex, and objects such as clocks and databases. */
import { MAX_UINT256 } from '../bytes.ts'
import type { Clock } from '../clock.ts'
import type { ManualClock } from '../manualClock.ts'
import { isObject, type Schema, scalar } from '../schema.ts'
import type { Address, Dialect, EngineName, Hex } from '../types.ts'

/** The longest delay of a timer in milliseconds. Runtimes fire a timer with a longer delay immediately. */
export const MAX_TIMEOUT = 2 ** 31 - 1

/** A schema of values that need no conversion. */
export function accept<T>(expected: string, isValid: (value: unknown) => boolean): Schema<T, T> {
  return scalar(expected, (value) => (isValid(value) ? (value as T) : undefined))
}

/** An integer from `least` to `most`, by default 2^53 - 1. `expected` is its form in errors. */
export function integer(
  least: number,
  {
    most = Number.MAX_SAFE_INTEGER,
    expected = most === Number.MAX_SAFE_INTEGER
      ? `an integer >= ${least}`
      : `an integer from ${least} to ${most}`,
  }: { readonly most?: number; readonly expected?: string } = {},
): Schema<number, number> {
  return accept(
    expected,
    (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
  )
}

/** A bigint from `least` to `most`. `expected` is its form in errors. */
export function bigint(least: bigint, most: bigint, expected: string): Schema<bigint, bigint> {
  return accept(expected, (value) => typeof value === 'bigint' && value >= least && value <= most)
}

/** A bigint from 0 to 2^64 - 1, such as a time in Unix seconds. */
export const uint64 = bigint(0n, 2n ** 64n - 1n, 'an integer of up to 64 bits')

/** One of these strings. */
export function choice<const T extends string>(
  values: readonly T[],
  expected = alternatives(values.map((value) => `'${value}'`)),
): Schema<T, T> {
  return accept(expected, (value) => values.includes(value as T))
}

/** Lists names as `a, b or c`. */
export function alternatives(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' or ')
}

/** A list of these strings, each at most once. */
export function choices<const T extends string>(values: readonly T[]): Schema<readonly T[], readonly T[]> {
  return accept(
    `a list of ${values.join(', ')}, each at most once`,
    (value) =>
      Array.isArray(value) &&
      value.every((one) => values.includes(one)) &&
      new Set(value).size === value.length,
  )
}

/** True or false; no value is converted. */
export const boolean: Schema<boolean, boolean> = accept(
  'true or false',
  (value) => typeof value === 'boolean',
)

/** Text that is not empty. */
export function text(expected = 'a string that is not empty'): Schema<string, string> {
  return accept(expected, (value) => typeof value === 'string' && value !== '')
}

/** A chain id, as a number. EIP-155 sets no maximum, but JSON and viem read only integers below 2^53 exactly. */
export const chainId = integer(1, { expected: 'an integer from 1 to 2^53 - 1' })

/** A whole number of milliseconds, at least 1. */
export const milliseconds = integer(1, { expected: 'an integer >= 1 (milliseconds)' })

/** An amount in wei that fits an EVM word. */
export const wei = bigint(0n, MAX_UINT256, 'a bigint from 0 to 2^256 - 1')

/** The minimum gas limit of a block (Yellow Paper, section 4.3.4). */
export const MIN_BLOCK_GAS = 5000n

/** The maximum gas limit of a block, as in go-ethereum. */
export const MAX_BLOCK_GAS = 2n ** 63n - 1n

/** The gas limit of a block, as a bigint. */
export const blockGas = bigint(MIN_BLOCK_GAS, MAX_BLOCK_GAS, 'a bigint from 5,000 to 2^63 - 1')

/** An address, converted to lower case. */
export const address: Schema<Address, Address> = lowerCase('a 20-byte address', /^0x[0-9a-f]{40}$/i)

/** The extra data of a header, converted to lower case. */
export const extraData: Schema<Hex, Hex> = lowerCase(
  'a hex string of up to 32 bytes',
  /^0x([0-9a-f]{2}){0,32}$/i,
)

function lowerCase(expected: string, pattern: RegExp): Schema<Hex, Hex> {
  return scalar(expected, (value) =>
    typeof value === 'string' && pattern.test(value) ? (value.toLowerCase() as Hex) : undefined,
  )
}

/** The option `engine`; see {@link EngineName}. */
export const engine: Schema<EngineName, EngineName> = choice(['preseal', 'ethereumjs'])

/** The option `dialect`; see {@link Dialect}. */
export const dialect: Schema<Dialect, Dialect> = choice(['preconf', 'geth', 'hardhat'])

/** The option `clock`. Checks only whether the methods exist. */
export const clock: Schema<Clock, Clock> = accept('a Clock', (value) =>
  hasMethods(value, ['now', 'setTimeout', 'clearTimeout', 'yield']),
)

/** Whether a clock is advanced by hand, so that its time does not depend on how long a tick takes. */
export function isManual(clock: Clock): clock is ManualClock {
  return typeof (clock as Partial<ManualClock>).advance === 'function'
}

/**
 * A key-value store for blocks and state: any abstract-level database, such as `memory-level`, `classic-level` or
 * `browser-level`. Keys and values are bytes (encoding `view`).
 */
export interface Database {
  open(): Promise<void>
  close(): Promise<void>
  get(key: never, options: never): Promise<unknown>
  batch(operations: never, options: never): Promise<void>
  iterator(options: never): unknown
}

/** A {@link Database}, recognised by its methods. */
export const database: Schema<Database, Database> = accept(
  'an abstract-level database, such as new ClassicLevel(path) of classic-level; a name is for preseal/worker only',
  isDatabase,
)

/** Whether a value has the methods of a {@link Database}. */
export function isDatabase(value: unknown): boolean {
  return hasMethods(value, ['open', 'get', 'batch', 'iterator'])
}

/** Bytes, or hex of whole bytes, in either case. Neither is copied or converted. */
export const bytes: Schema<Uint8Array | Hex, Uint8Array | Hex> = accept(
  'a Uint8Array, or its hex',
  (value) =>
    value instanceof Uint8Array ||
    (typeof value === 'string' && value.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(value)),
)

/** Whether a value is `0x` and the hex of this many bytes, in either case. */
export function isHexOf(value: unknown, bytes: number): value is Hex {
  return typeof value === 'string' && value.length === 2 + 2 * bytes && /^0x[0-9a-f]*$/i.test(value)
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof value[name] === 'function')
}
