/**
 * Parsers of unknown values: each turns a value into a typed one, or throws an error that names its path
 * (`0.topics[1]`) and what was expected there.
 *
 * Input is never changed and never kept. For a value that may be absent, undefined and null both mean absent.
 */
import { equalBytes } from './bytes.ts'
import { SchemaError } from './errors.ts'
import type { Hex } from './types.ts'

/** A parser of unknown values to `T`; `Input` is the type of what callers may pass. */
export interface Schema<T, Input = unknown> {
  /** What a value must be, as error messages say it. */
  readonly expected: string
  /** Whether the value may be absent. */
  readonly optional: boolean
  /** @throws SchemaError naming `path` if the value has another form. */
  parse(value: unknown, path: string): T
  /** Never set; it carries the type for {@link InputOf}. */
  readonly input?: Input
}

/** A schema whose value may be absent. */
export interface OptionalSchema<T, Input> extends Schema<T | undefined, Input | null | undefined> {
  readonly optional: true
}

/** The type of a schema's parsed values. */
export type ValueOf<S> = S extends Schema<infer T> ? T : never

/** The type of what callers pass to a schema. */
export type InputOf<S> = S extends Schema<unknown, infer Input> ? Input : never

/** Creates a schema; `parse` throws a SchemaError for a value of another form. */
export function createSchema<T, Input>(
  expected: string,
  parse: (value: unknown, path: string) => T,
): Schema<T, Input> {
  return { expected, optional: false, parse }
}

/** A schema of single values; `read` gives undefined for a value of another form. */
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

/** The same schema for a value that may be absent. */
export function optional<T, Input>(base: Schema<T, Input>): OptionalSchema<T, Input> {
  return {
    expected: base.expected,
    optional: true,
    parse: (value, path) => (isAbsent(value) ? undefined : base.parse(value, path)),
  }
}

/** The most items of a list and keys of an object, by default. */
export const MAX_ITEMS = 10_000

/** The most bytes of hex data: 16 MiB, more than any gas limit in use can pay for. */
export const MAX_DATA_BYTES = 2 ** 24

/** A list of values of one schema, at most `max` of them; default: {@link MAX_ITEMS}. */
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

/** Refuses hex data of more than {@link MAX_DATA_BYTES}, and other text of that length, before it is parsed. */
export function ofLimitedLength<T, Input>(base: Schema<T, Input>): Schema<T, Input> {
  return createSchema(base.expected, (value, path) => {
    if (typeof value === 'string' && value.length > 2 + 2 * MAX_DATA_BYTES) {
      throw new SchemaError(path, `at most ${MAX_DATA_BYTES} bytes`)
    }
    return base.parse(value, path)
  })
}

/** A string that is one of these. */
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
 * An object with these fields; other keys are ignored, absent ones are left out of the result.
 *
 * @param aliases - a second name for some fields; if a field is given under both, the values must be the same.
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
      // Most fields of most calls; their paths would be built for nothing.
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

/** An object that has no other keys than `names`. */
export function exact<T, Input>(base: Schema<T, Input>, names: readonly string[]): Schema<T, Input> {
  return createSchema(base.expected, (value, path) => {
    const other = Object.keys(readObject(value, path)).find((name) => !names.includes(name))
    if (other === undefined) return base.parse(value, path)
    throw new SchemaError(`${path}.${other}`, `no other key than ${names.join(', ')}`)
  })
}

/** An object used as a map; keys that differ only in their spelling are refused. */
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

/** Whether a value is undefined or null. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

/** Whether a value is an object, but not an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value as an object; an empty one unless {@link isObject}. */
export const toObject = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})

/** The value as an object. @throws SchemaError unless {@link isObject}. */
export function readObject(value: unknown, path: string): Record<string, unknown> {
  if (!isObject(value)) throw new SchemaError(path, 'an object')
  return value
}

function isSame(a: unknown, b: unknown): boolean {
  return a instanceof Uint8Array && b instanceof Uint8Array ? equalBytes(a, b) : a === b
}

/** Wraps a value without parsing it, for a field whose form depends on others. */
export function untouched<Input>(expected: string): Schema<{ value: unknown }, Input> {
  return scalar(expected, (value) => ({ value }))
}
