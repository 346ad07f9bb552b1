/** Schemas of single values, and the parser of a request's `params`. Converts hex in upper case to lower case. */

import { hexToBytes, hexToWord, quantity as quantityHex } from '../../base/bytes.ts'
import { InvalidParamsError, SchemaError } from '../../base/errors.ts'
import {
  array,
  type InputOf,
  map,
  ofLimitedLength,
  refine,
  type Schema,
  scalar,
  type ValueOf,
} from '../../base/schema.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import { ParamsCountError } from '../errors.ts'

function lowerCaseHex(pattern: RegExp): (value: unknown) => Hex | undefined {
  return (value) =>
    typeof value === 'string' && pattern.test(value) ? (value.toLowerCase() as Hex) : undefined
}

function quantityOf(bits: 64 | 256): (value: unknown) => bigint | undefined {
  const read = lowerCaseHex(new RegExp(`^0x(0|[1-9a-f][0-9a-f]{0,${bits / 4 - 1}})$`, 'i'))
  return (value) => {
    const hex = read(value)
    return hex && BigInt(hex)
  }
}

/** Parses a hex quantity of up to 64 bits; undefined for any other value. */
export const readInteger64 = quantityOf(64)

/** Parses a hex quantity of up to 53 bits; undefined for any other value. */
export function readIndex(value: unknown): number | undefined {
  const number = Number(readInteger64(value) ?? Number.NaN)
  return Number.isSafeInteger(number) ? number : undefined
}

/** Returns a string unchanged; undefined for any other value. */
export const readText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

function readCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : readIndex(value)
}

/** Parses 32 bytes of hex; undefined for any other value. */
export const readHash32 = lowerCaseHex(/^0x[0-9a-f]{64}$/i)

const readWord = lowerCaseHex(/^0x[0-9a-f]{0,64}$/i)

/** Parses hex of whole bytes, with `0x` or `0X`; undefined for any other value. */
export function readBytes(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || value.length % 2 === 1 || !/^0x/i.test(value)) return undefined
  try {
    return hexToBytes(value.startsWith('0X') ? `0x${value.slice(2)}` : (value as Hex))
  } catch {
    return undefined
  }
}

/** An address; mixed case is not checked against EIP-55. */
export const address = scalar<Address, Address>('a 20-byte address', lowerCaseHex(/^0x[0-9a-f]{40}$/i))

/** A 32-byte hash, converted to lower case. */
export const hash32 = scalar<Hash, Hash>('a 32-byte hash', readHash32)

/** Hex of whole bytes, possibly none. */
export const data = ofLimitedLength(scalar<Uint8Array, Hex>('a hex string of whole bytes', readBytes))

/** An integer up to 2^256 - 1, without leading zeros. */
export const quantity = scalar<bigint, Hex>('a hex quantity of up to 256 bits', quantityOf(256))

/** An integer up to 2^64 - 1, without leading zeros. */
export const quantity64 = scalar<bigint, Hex>('a hex quantity of up to 64 bits', readInteger64)

/** An integer up to 2^53 - 1, without leading zeros, as a number. */
export const index = scalar<number, Hex>('a hex quantity of up to 53 bits', readIndex)

/** True or false, as JSON. */
export const boolean = scalar<boolean, boolean>('a boolean', (value) =>
  typeof value === 'boolean' ? value : undefined,
)

/** A string, possibly empty. */
export const text = scalar<string, string>('a string', readText)

/** A word of up to 32 bytes, with or without leading zeros; parsed to 32 bytes. */
export const storageKey = scalar<Hash, Hex>('a hex string of up to 32 bytes', (value) => {
  const hex = readWord(value)
  return hex && hexToWord(hex)
})

/** Reads a word of up to 32 bytes whose `0x` may be missing, as in go-ethereum. */
const readSlot = (value: unknown): Hex | undefined =>
  readWord(typeof value === 'string' && /^[0-9a-f]+$/i.test(value) ? `0x${value}` : value)

/** A storage slot to read; parsed to 32 bytes. */
export const slot = scalar<Hash, Hex>('a hex string of up to 32 bytes', (value) => {
  const hex = readSlot(value)
  return hex && hexToWord(hex)
})

/** A slot of eth_getProof, and its form in the result: 32 bytes unchanged, a shorter key as a quantity. */
export const proofKey = scalar<{ readonly slot: Hash; readonly shown: Hex }, Hex>(
  'a hex string of up to 32 bytes',
  (value) => {
    const hex = readSlot(value)
    if (hex === undefined) return undefined
    const key = hexToWord(hex)
    // As in go-ethereum, an odd digit counts as a byte: 63 digits are 32 bytes.
    return { slot: key, shown: hex.length > 64 ? key : quantityHex(BigInt(key)) }
  },
)

/** A signed transaction: at least one byte. */
export const rawTransaction = ofLimitedLength(
  scalar<Uint8Array, Hex>('a hex string of at least one byte', (value) => {
    const bytes = readBytes(value)
    return bytes?.length ? bytes : undefined
  }),
)

/** A duration in ms, as a JSON number or a hex quantity. */
export const timeoutMs = scalar<number, number | Hex>('an integer >= 0 (milliseconds)', readCount)

/** Any value, wrapped in an object, since a parsed `undefined` would mean a wrong form. */
export const any = scalar<{ readonly value: unknown }, unknown>('any value', (value) => ({ value }))

/** An integer of up to 256 bits, with or without leading zeros, such as `r` and `s` of a signature. */
export const word = refine(storageKey, (hex) => BigInt(hex))

/** A non-negative integer as a JSON number or a hex quantity. */
export const count = scalar<number, number | Hex>('an integer >= 0', readCount)

/** Number of results per page. */
export const pageSize = scalar<number, number | Hex>('an integer from 1 to 1000', (value) => {
  const size = readCount(value)
  return size !== undefined && size > 0 && size <= 1000 ? size : undefined
})

/** A non-negative integer as a JSON number. */
export const natural = scalar<number, number>('an integer >= 0', (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined,
)

/** The slots to read, by account: the request of eth_getStorageValues. */
export const storageRequests = map(address, array(slot))

type Params = readonly Schema<unknown>[]

/** The parsed `params` for a list of schemas. */
export type ParamValues<S extends Params> = { -readonly [K in keyof S]: ValueOf<S[K]> }

/** The `params` that a caller passes for a list of schemas. */
export type WireParams<S extends Params> = S extends readonly [infer P, ...infer Rest extends Params]
  ? P extends { readonly optional: true }
    ? [value?: InputOf<P>, ...rest: WireParams<Rest>]
    : [value: InputOf<P>, ...rest: WireParams<Rest>]
  : []

/**
 * Parses a request's `params`: an array, or absent. Trailing undefined values do not count.
 *
 * @throws ParamsCountError if there are too many, or a required one is missing
 * @throws InvalidParamsError if `params` is not an array, or a value has the wrong form
 */
export function parseParams<const S extends Params>(params: unknown, specs: S): ParamValues<S> {
  const values = params ?? []
  if (!Array.isArray(values)) throw new InvalidParamsError('params', 'an array')
  let count = values.length
  while (count > 0 && values[count - 1] === undefined) count--
  let required = specs.length
  while (required > 0 && specs[required - 1]!.optional) required--
  if (count < required || count > specs.length) throw new ParamsCountError(required, specs.length, count)
  const parsed: unknown[] = []
  for (let i = 0; i < specs.length; i++) parsed.push(parseParam(values[i], i, specs[i]!))
  return parsed as ParamValues<S>
}

/** Parses one parameter. @param position - index or name. @throws InvalidParamsError if it has the wrong form */
export function parseParam<T>(value: unknown, position: number | string, schema: Schema<T>): T {
  try {
    return schema.parse(value, `${position}`)
  } catch (error) {
    throw error instanceof SchemaError ? new InvalidParamsError(error.path, error.expected) : error
  }
}
