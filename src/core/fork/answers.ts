/**
 * Readers of a forked node's answers. Each checks the shape of an untrusted value, and converts it. `Remote.ask` turns
 * its SchemaError into an error with the method and params.
 */

import { quantity as quantityToHex } from '../../base/bytes.ts'
import { SchemaError } from '../../base/errors.ts'
import { isAbsent, isObject, MAX_DATA_BYTES, readObject } from '../../base/schema.ts'
import type { AccessListEntry, Address, Hash, Hex } from '../../base/types.ts'

/** Checks and converts an answer. @throws SchemaError */
export type Reader<T> = (answer: unknown, path?: string) => T

/** A JSON object that was checked in part. */
export type RemoteObject = { readonly [name: string]: unknown }

/** A block as the node wrote it: checked, but with its hex in any case, and with the fields that only its chain has. */
export interface RemoteBlock extends RemoteObject {
  readonly hash: Hash
  readonly number: Hex
  readonly parentHash: Hash
  readonly stateRoot: Hash
  readonly timestamp: Hex
  readonly gasLimit: Hex
  readonly gasUsed: Hex
  readonly transactions: readonly (Hash | RemoteObject)[]
}

const QUANTITY = /^0x[0-9a-f]{1,64}$/i
const BYTES = /^0x(?:[0-9a-f]{2})*$/i

/** Reads an integer below 2^bits. Accepts leading zeros, but not `0x` for zero. */
export function quantity(bits = 256): Reader<bigint> {
  return quantityFrom(0n, (1n << BigInt(bits)) - 1n, `a hex quantity of up to ${bits} bits`)
}

/** Reads an integer from `min` to `max`, both included, like {@link quantity}. */
export function quantityFrom(
  min: bigint,
  max: bigint,
  expected: string = `a hex quantity from ${quantityToHex(min)} to ${quantityToHex(max)}`,
): Reader<bigint> {
  return (answer, path = '') => {
    const value = typeof answer === 'string' && QUANTITY.test(answer) ? BigInt(answer) : undefined
    if (value === undefined || value < min || value > max) throw new SchemaError(path, expected)
    return value
  }
}

/** Reads a chain id, with the limits of the option `chainId`. */
export const chainIdQuantity: Reader<bigint> = quantityFrom(1n, BigInt(Number.MAX_SAFE_INTEGER))

/** Reads hex of exactly `bytes` bytes, and converts it to lower case. */
export function hexOfSize(bytes: number): Reader<Hex> {
  return hexWithin(bytes, bytes, `a hex string of ${bytes} bytes`)
}

/** Reads hex of at most `bytes` bytes, and converts it to lower case. */
export function hexUpTo(bytes: number = MAX_DATA_BYTES): Reader<Hex> {
  return hexWithin(0, bytes, `a hex string of up to ${bytes} bytes`)
}

function hexWithin(min: number, max: number, expected: string): Reader<Hex> {
  return (answer, path = '') => {
    const isHex = typeof answer === 'string' && BYTES.test(answer)
    if (isHex && answer.length >= 2 + 2 * min && answer.length <= 2 + 2 * max)
      return answer.toLowerCase() as Hex
    throw new SchemaError(path, expected)
  }
}

/** Reads a storage word. Adds leading zeros that nodes omit. ganache omits all digits of an empty slot. */
export const storageWord: Reader<Hash> = (answer, path = '') => {
  if (typeof answer !== 'string' || !(QUANTITY.test(answer) || answer === '0x')) {
    throw new SchemaError(path, 'a hex string of up to 32 bytes')
  }
  return `0x${answer.slice(2).toLowerCase().padStart(64, '0')}`
}

/** Reads an address, and converts it to lower case. */
export const address: Reader<Address> = hexOfSize(20)
/** Reads a hash, and converts it to lower case. */
export const hash: Reader<Hash> = hexOfSize(32)

/** Accepts any answer, null included. */
export const json: Reader<unknown> = (answer) => answer

/** Reads null as null, and any other answer with `read`. */
export function orNull<T>(read: Reader<T>): Reader<T | null> {
  return (answer, path) => (answer === null ? null : read(answer, path))
}

/** Reads an array, and each item with `read`. */
export function listOf<T>(read: Reader<T>): Reader<readonly T[]> {
  return (answer, path = '') => {
    if (!Array.isArray(answer)) throw new SchemaError(path, 'an array')
    return answer.map((one, i) => read(one, `${path}[${i}]`))
  }
}

type Readers = Readonly<Record<string, Reader<unknown>>>

/**
 * Accepts an object if its `required` fields are valid, and its `optional` ones are valid, absent or null. Converts
 * nothing, and accepts unknown fields, so that unknown types of transactions and headers pass.
 */
export function fields<T extends object>(required: Readers, optional: Readers = {}): Reader<T> {
  const readers = Object.entries({ ...optional, ...required })
  return (answer, path = '') => {
    const found = readObject(answer, path)
    for (const [name, read] of readers) {
      if (name in required || !isAbsent(found[name])) read(found[name], `${path}.${name}`)
    }
    return found as T
  }
}

/** Accepts an access list (EIP-2930). */
export const accessList: Reader<readonly AccessListEntry[]> = listOf(
  fields({ address, storageKeys: listOf(hash) }),
)

/** Accepts a block. Checks the fields that blocks have on every chain. */
export const block: Reader<RemoteBlock> = fields({
  hash,
  number: quantity(64),
  parentHash: hash,
  stateRoot: hash,
  timestamp: quantity(64),
  gasLimit: quantity(256),
  gasUsed: quantity(256),
  transactions: listOf((answer, path = '') => (isObject(answer) ? answer : hash(answer, path))),
})

/** Accepts a block, or null for a block that the node does not have. */
export const blockOrNull: Reader<RemoteBlock | null> = orNull(block)

/** A block requested by number, by hash or by both. */
export interface Asked {
  readonly number?: bigint | undefined
  readonly hash?: Hash | undefined
}

/** Accepts only the requested block. */
export function blockAt<Block extends Pick<RemoteBlock, 'number' | 'hash'>>(
  { number, hash }: Asked,
  read: Reader<Block>,
): Reader<Block> {
  return (answer, path = '') => {
    const found = read(answer, path)
    requireNumber(found.number, number, `${path}.number`)
    requireHex(found.hash, hash, `${path}.hash`)
    return found
  }
}

/** Requires that a number is `wanted`, in any notation. @param wanted - undefined accepts any number. */
export function requireNumber(value: Hex | number, wanted: bigint | undefined, path: string): void {
  if (wanted === undefined || BigInt(value) === wanted) return
  throw new SchemaError(path, quantityToHex(wanted))
}

/** Requires that hex data is `wanted`, in any case. @param wanted - in lower case; undefined accepts any data. */
export function requireHex(value: Hex, wanted: Hex | undefined, path: string): void {
  if (wanted === undefined || value.toLowerCase() === wanted) return
  throw new SchemaError(path, wanted)
}

/** How many values and characters an answer may have in all. */
const MAX_ANSWER_SIZE = 2 ** 26

/** How deeply objects and arrays may be nested. A trace of 1,024 nested calls has two levels per call. */
const MAX_DEPTH = 2_500

/**
 * Copies a JSON value. Not recursive, since the node determines the depth.
 *
 * @throws SchemaError if the value is not JSON, has a key `__proto__`, or is too large or too deep
 */
export function toPlainJson(value: unknown): unknown {
  const unfilled: { source: object; copy: Record<string, unknown> | unknown[]; depth: number }[] = []
  let size = 0
  const copyOf = (one: unknown, depth: number): unknown => {
    size += 1 + (typeof one === 'string' ? one.length : 0)
    if (size > MAX_ANSWER_SIZE) throw new SchemaError('', `at most ${MAX_ANSWER_SIZE} characters`)
    if (one === null || typeof one === 'string' || typeof one === 'boolean' || Number.isFinite(one))
      return one
    if (typeof one !== 'object') throw new SchemaError('', 'JSON')
    if (depth === MAX_DEPTH) throw new SchemaError('', `at most ${MAX_DEPTH} levels`)
    const copy = Array.isArray(one) ? [] : {}
    unfilled.push({ source: one, copy, depth: depth + 1 })
    return copy
  }
  const result = copyOf(value, 0)
  for (let next = unfilled.pop(); next !== undefined; next = unfilled.pop()) {
    const { source, copy, depth } = next
    if (Array.isArray(copy)) {
      for (const one of source as readonly unknown[]) copy.push(copyOf(one, depth))
      continue
    }
    for (const [key, one] of Object.entries(source)) {
      if (key === '__proto__') throw new SchemaError('', 'no key __proto__')
      // A provider may return objects with undefined fields, which JSON omits.
      if (one !== undefined) copy[key] = copyOf(one, depth)
    }
  }
  return result
}
