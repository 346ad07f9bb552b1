/**
 * Parsers of unknown values: each returns a typed value, or throws an error with the path (`0.topics[1]`) and the
 * expected form. For an optional value, undefined and null both mean absent.
 */
import { equalBytes } from './bytes.ts'
import { SchemaError } from './errors.ts'
import type { Hex } from './types.ts'

/** A parser of unknown values to `T`; `Input` is the type for callers. */
export interface Schema<T, Input = unknown> {
  readonly expected: string
  readonly optional: boolean
  /** @throws SchemaError naming `path` if the value has the wrong form. */
  parse(value: unknown, path: string): T
  /** Never set; carries the type for {@link InputOf}. */
  readonly input?: Input
}

/** A schema that parses undefined and null to undefined; the type of {@link optional}. */
export interface OptionalSchema<T, Input> extends Schema<T | undefined, Input | null | undefined> {
  readonly optional: true
}

/** The type to which a schema parses values. */
export type ValueOf<S> = S extends Schema<infer T> ? T : never

/** The type that callers pass to a schema; `unknown` if the schema does not state it. */
export type InputOf<S> = S extends Schema<unknown, infer Input> ? Input : never

/** Creates a schema of a required value. @param parse - throws a SchemaError for a value of the wrong form */
export function createSchema<T, Input>(
  expected: string,
  parse: (value: unknown, path: string) => T,
): Schema<T, Input> {
  return { expected, optional: false, parse }
}

/** A schema of single values; `read` returns undefined for a value of the wrong form. */
export function scalar<T, Input>(
  expected: string,
  read: (value: unknown) => T | undefined,
): Schema<T, Input> {
  return createSchema(expected, (value, path) => {
    const parsed = read(value)
    if (parsed === undefined) throw new SchemaError(path, expected)
    return parsed
  })
}

/** A schema whose parsed value is checked or converted further by `next`. */
export function refine<T, U, Input>(
  base: Schema<T, Input>,
  next: (value: T, path: string) => U,
): Schema<U, Input> {
  return createSchema(base.expected, (value, path) => next(base.parse(value, path), path))
}

/** Parses undefined and null to undefined, and any present value with `base`. */
export function optional<T, Input>(base: Schema<T, Input>): OptionalSchema<T, Input> {
  return {
    expected: base.expected,
    optional: true,
    parse: (value, path) => (isAbsent(value) ? undefined : base.parse(value, path)),
  }
}

/** The maximum number of keys of a map, and by default of items of a list. */
export const MAX_ITEMS = 10_000

/** The maximum size of hex data: 16 MiB, more than any gas limit in use can pay for. */
export const MAX_DATA_BYTES = 2 ** 24

/** A list of at most `max` values; default: {@link MAX_ITEMS}. */
export function array<T, Input>(
  item: Schema<T, Input>,
  { max = MAX_ITEMS }: { max?: number } = {},
): Schema<readonly T[], readonly Input[]> {
  return createSchema('an array', (value, path) => {
    if (!Array.isArray(value)) throw new SchemaError(path, 'an array')
    if (value.length > max) throw new SchemaError(path, `at most ${max} items`)
    return Array.from(value, (one: unknown, i) => item.parse(one, `${path}[${i}]`))
  })
}

/** Refuses hex data of more than {@link MAX_DATA_BYTES}, and any string of such a length, before parsing it. */
export function ofLimitedLength<T, Input>(base: Schema<T, Input>): Schema<T, Input> {
  return createSchema(base.expected, (value, path) => {
    if (typeof value === 'string' && value.length > 2 + 2 * MAX_DATA_BYTES) {
      throw new SchemaError(path, `at most ${MAX_DATA_BYTES} bytes`)
    }
    return base.parse(value, path)
  })
}

/** One of these strings; case matters. */
export function oneOf<const T extends string>(...values: readonly T[]): Schema<T, T> {
  return scalar(values.map((value) => `'${value}'`).join(' or '), (value) =>
    values.find((one) => one === value),
  )
}

type Fields = { readonly [name: string]: Schema<unknown> }

type Aliases<F> = { readonly [K in keyof F]?: string }

type OptionalKey<F> = { [K in keyof F]: F[K] extends { readonly optional: true } ? K : never }[keyof F]

type Flat<T> = { [K in keyof T]: T[K] }

type ObjectValue<F> = Flat<
  { readonly [K in Exclude<keyof F, OptionalKey<F>>]: ValueOf<F[K]> } & {
    readonly [K in OptionalKey<F>]?: Exclude<ValueOf<F[K]>, undefined>
  }
>

type ObjectInput<F, A> = Flat<
  { readonly [K in Exclude<keyof F, OptionalKey<F>>]: InputOf<F[K]> } & {
    readonly [K in OptionalKey<F>]?: InputOf<F[K]>
  } & { readonly [K in keyof A & keyof F as A[K] & string]?: InputOf<F[K]> }
>

/**
 * An object with these fields. Ignores unknown keys, and leaves absent fields out of the result.
 *
 * @param aliases - second names of fields; a field given under both must have the same value.
 */
export function object<const F extends Fields, const A extends Aliases<F> = Record<never, never>>(
  fields: F,
  aliases?: A,
): Schema<ObjectValue<F>, ObjectInput<F, A>> {
  const entries = Object.entries(fields).map(([name, field]) => ({ name, field, alias: aliases?.[name] }))
  return createSchema('an object', (value, path) => {
    const source = readObject(value, path)
    const result: Record<string, unknown> = {}
    for (const { name, field, alias } of entries) {
      const hasAlias = alias !== undefined && !isAbsent(source[alias])
      // Most fields of a call are absent, and skipped before their path is built.
      if (field.optional && !hasAlias && isAbsent(source[name])) continue
      const given = hasAlias && isAbsent(source[name]) ? alias : name
      const parsed = field.parse(source[given], `${path}.${given}`)
      if (hasAlias && given === name && !isSame(field.parse(source[alias], `${path}.${alias}`), parsed)) {
        throw new SchemaError(`${path}.${alias}`, `the same value as ${name}`)
      }
      if (parsed !== undefined) result[name] = parsed
    }
    return result as ObjectValue<F>
  })
}

/** Refuses keys that `names` does not list, which `base` would ignore. */
export function exact<T, Input>(base: Schema<T, Input>, names: readonly string[]): Schema<T, Input> {
  return createSchema(base.expected, (value, path) => {
    const other = Object.keys(readObject(value, path)).find((name) => !names.includes(name))
    if (other === undefined) return base.parse(value, path)
    throw new SchemaError(`${path}.${other}`, `no other key than ${names.join(', ')}`)
  })
}

/** An object used as a map. Refuses two keys that `key` parses to the same value, such as hex in different cases. */
export function map<K, V, Input>(
  key: Schema<K>,
  item: Schema<V, Input>,
): Schema<ReadonlyMap<K, V>, { readonly [key: Hex]: Input | null | undefined }> {
  return createSchema('an object', (value, path) => {
    const result = new Map<K, V>()
    const entries = Object.entries(readObject(value, path))
    if (entries.length > MAX_ITEMS) throw new SchemaError(path, `at most ${MAX_ITEMS} keys`)
    for (const [name, one] of entries) {
      const at = `${path}.${name}`
      const parsedKey = key.parse(name, at)
      if (isAbsent(one)) continue
      if (result.has(parsedKey)) throw new SchemaError(at, 'each key only once')
      result.set(parsedKey, item.parse(one, at))
    }
    return result
  })
}

/** Returns whether a value counts as not given: undefined, or null as JSON sends it. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

/** Returns whether a value is an object, and neither null nor an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns an object as it is. For a value that is no object, such as an array, returns an empty object. */
export const toObject = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})

/** Returns a value that is an object. @throws SchemaError naming `path` if it is null, an array or no object */
export function readObject(value: unknown, path: string): Record<string, unknown> {
  if (!isObject(value)) throw new SchemaError(path, 'an object')
  return value
}

function isSame(a: unknown, b: unknown): boolean {
  return a instanceof Uint8Array && b instanceof Uint8Array ? equalBytes(a, b) : a === b
}

/** Wraps a value without parsing it, for a field whose form depends on further fields. */
export function untouched<Input>(expected: string): Schema<{ value: unknown }, Input> {
  return scalar(expected, (value) => ({ value }))
}
