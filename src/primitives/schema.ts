/**
 * Parsers of unknown values: each turns a value into a typed one, or throws an error that names the place
 * (`0.topics[1]`) and what was expected there.
 *
 * Input is read, never mutated and never kept. If a value may be absent, undefined and null are absent.
 */
import { InvalidParamsError } from './errors.ts'
import type { Hex } from './types.ts'

/** A parser of one parameter: `T` is what it gives, `Wire` what a caller passes. */
export interface Param<T, Wire = unknown> {
  /** What a value must be, as error messages say it. */
  readonly expected: string
  /** Whether the value may be absent. */
  readonly optional: boolean
  /** @throws InvalidParamsError naming `position` if the value has another form. */
  parse(value: unknown, position: string): T
  /** Never set; it carries the type for WireParams. */
  readonly wire?: Wire
}

/** A parser whose value may be absent. */
export interface OptionalParam<T, Wire> extends Param<T | undefined, Wire | null | undefined> {
  readonly optional: true
}

/** What a parser gives. */
export type ParamValue<P> = P extends Param<infer T> ? T : never

/** What a caller passes to a parser. */
export type ParamWire<P> = P extends Param<unknown, infer Wire> ? Wire : never

export function parser<T, Wire>(
  expected: string,
  parse: (value: unknown, position: string) => T,
): Param<T, Wire> {
  return { expected, optional: false, parse }
}

/** `read` gives undefined for a value of another form. */
export function param<T, Wire>(expected: string, read: (value: unknown) => T | undefined): Param<T, Wire> {
  return parser(expected, (value, position) => {
    const parsed = read(value)
    if (parsed === undefined) throw new InvalidParamsError(position, expected)
    return parsed
  })
}

export function refine<T, U, Wire>(
  base: Param<T, Wire>,
  next: (value: T, position: string) => U,
): Param<U, Wire> {
  return parser(base.expected, (value, position) => next(base.parse(value, position), position))
}

/** The same parameter, which may be absent. */
export function optional<T, Wire>(base: Param<T, Wire>): OptionalParam<T, Wire> {
  return {
    expected: base.expected,
    optional: true,
    parse: (value, position) => (isAbsent(value) ? undefined : base.parse(value, position)),
  }
}

/** Items of a list and keys of an object, if nothing less is stated. */
export const MAX_ITEMS = 10_000

/** Bytes of hex data: 16 MiB, more than any gas limit in use can pay for. */
export const MAX_DATA_BYTES = 2 ** 24

/** A list of parameters of one kind, at most `max` of them; default: {@link MAX_ITEMS}. */
export function array<T, Wire>(
  item: Param<T, Wire>,
  { max = MAX_ITEMS }: { max?: number } = {},
): Param<readonly T[], readonly Wire[]> {
  return parser('an array', (value, position) => {
    if (!Array.isArray(value)) throw new InvalidParamsError(position, 'an array')
    if (value.length > max) throw new InvalidParamsError(position, `at most ${max} items`)
    return Array.from(value, (one: unknown, i) => item.parse(one, `${position}[${i}]`))
  })
}

/** Refuses hex data of more than {@link MAX_DATA_BYTES}, and other text as long, before it is read. */
export function ofLimitedLength<T, Wire>(base: Param<T, Wire>): Param<T, Wire> {
  return parser(base.expected, (value, position) => {
    if (typeof value === 'string' && value.length > 2 + 2 * MAX_DATA_BYTES) {
      throw new InvalidParamsError(position, `at most ${MAX_DATA_BYTES} bytes`)
    }
    return base.parse(value, position)
  })
}

/** A string that is one of these. */
export function oneOf<const T extends string>(...values: readonly T[]): Param<T, T> {
  return param(values.map((value) => `'${value}'`).join(' or '), (value) =>
    values.find((one) => one === value),
  )
}

type Fields = { readonly [name: string]: Param<unknown> }

type Aliases<F> = { readonly [K in keyof F]?: string }

type OptionalKey<F> = { [K in keyof F]: F[K] extends { readonly optional: true } ? K : never }[keyof F]

type Flat<T> = { [K in keyof T]: T[K] }

type ObjectValue<F> = Flat<
  { readonly [K in Exclude<keyof F, OptionalKey<F>>]: ParamValue<F[K]> } & {
    readonly [K in OptionalKey<F>]?: Exclude<ParamValue<F[K]>, undefined>
  }
>

type ObjectWire<F, A> = Flat<
  { readonly [K in Exclude<keyof F, OptionalKey<F>>]: ParamWire<F[K]> } & {
    readonly [K in OptionalKey<F>]?: ParamWire<F[K]>
  } & { readonly [K in keyof A & keyof F as A[K] & string]?: ParamWire<F[K]> }
>

/**
 * An object with these fields; other keys are tolerated, absent ones are left out of the result.
 *
 * @param aliases - a second name for some fields; given under both names the values must be the same.
 */
export function object<const F extends Fields, const A extends Aliases<F> = Record<never, never>>(
  fields: F,
  aliases?: A,
): Param<ObjectValue<F>, ObjectWire<F, A>> {
  const entries = Object.entries(fields).map(([name, field]) => {
    const alias = aliases?.[name]
    return { name, field, names: alias === undefined ? [name] : [name, alias] }
  })
  return parser('an object', (value, position) => {
    const source = readObject(value, position)
    const result: Record<string, unknown> = {}
    for (const { name, field, names } of entries) {
      const [first = name, second] = names.filter((key) => !isAbsent(source[key]))
      const parsed = field.parse(source[first], `${position}.${first}`)
      if (second !== undefined && !isSame(field.parse(source[second], `${position}.${second}`), parsed)) {
        throw new InvalidParamsError(`${position}.${second}`, `the same value as in ${first}`)
      }
      if (parsed !== undefined) result[name] = parsed
    }
    return result as ObjectValue<F>
  })
}

/** An object used as a map; keys that differ only in their spelling are refused. */
export function map<K, V, Wire>(
  key: Param<K>,
  item: Param<V, Wire>,
): Param<ReadonlyMap<K, V>, { readonly [key: Hex]: Wire | null | undefined }> {
  return parser('an object', (value, position) => {
    const result = new Map<K, V>()
    const entries = Object.entries(readObject(value, position))
    if (entries.length > MAX_ITEMS) throw new InvalidParamsError(position, `at most ${MAX_ITEMS} keys`)
    for (const [name, one] of entries) {
      const at = `${position}.${name}`
      const parsedKey = key.parse(name, at)
      if (isAbsent(one)) continue
      if (result.has(parsedKey)) throw new InvalidParamsError(at, 'each key once')
      result.set(parsedKey, item.parse(one, at))
    }
    return result
  })
}

export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function readObject(value: unknown, position: string): Record<string, unknown> {
  if (!isObject(value)) throw new InvalidParamsError(position, 'an object')
  return value
}

function isSame(a: unknown, b: unknown): boolean {
  if (!(a instanceof Uint8Array && b instanceof Uint8Array)) return a === b
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

/** Kept as it is, to be read once it is known what it has to be. */
export function untouched<Wire>(expected: string): Param<{ value: unknown }, Wire> {
  return param(expected, (value) => ({ value }))
}
