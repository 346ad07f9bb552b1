/**
 * Declarations of options: schema, default and command-line flag in one place. The types of options, their checks,
 * `--help` and the tables of the documentation derive from them.
 */
import { closestName } from '../closestName.ts'
import { InvalidOptionError, SchemaError } from '../errors.ts'
import { createSchema, type InputOf, type Schema, type ValueOf } from '../schema.ts'

/** An option's flag on the command line. */
export interface Flag {
  /** The name without `--`; by default the option's name in kebab case. */
  readonly name?: string
  /** The name of the value in `--help`; undefined for a switch. */
  readonly value?: string
  /** The meaning; `--help` adds the default. */
  readonly help: string
  /** The default as `--help` prints it; by default the value itself. */
  readonly default?: string
  /** How the flag's text is parsed: by default, to the type of the option's default; without one, it stays text. */
  readonly of?:
    | 'negation'
    | 'number'
    | 'bigint'
    | 'ether'
    | 'block'
    | 'names'
    | 'headers'
    | 'json file'
    | 'binary file'
    | 'folder'
}

/** An option: a schema that parses undefined to the default. */
export interface Option<T, Input = unknown> extends Schema<T, Input> {
  /** Undefined if there is none, or if it depends on further options. */
  readonly default: T | undefined
  readonly flag?: Flag | undefined
  /** Where a chain stores the option's value, which applies again unless a new one is given. */
  readonly keptIn?: 'database' | 'export' | 'both' | undefined
  /** The options of a group. */
  readonly fields?: Options
}

/** Options by name. */
export type Options = { readonly [name: string]: Option<unknown> }

/** Options as a caller passes them; all are optional. */
export type OptionsInput<O extends Options> = { readonly [Name in keyof O]?: InputOf<O[Name]> | undefined }

/** Options with their defaults filled in. */
export type OptionsValue<O extends Options> = { readonly [Name in keyof O]: ValueOf<O[Name]> }

type OptionSettings = Pick<Option<unknown>, 'flag' | 'keptIn'>

/** Declares an option with a default. */
export function option<T, Input>(
  schema: Schema<T, Input>,
  declared: { readonly default: NoInfer<T> } & OptionSettings,
): Option<T, Input>
/** Declares an option that is undefined unless given, or whose default depends on further options. */
export function option<T, Input>(
  schema: Schema<T, Input>,
  declared?: OptionSettings,
): Option<T | undefined, Input>
export function option<T, Input>(
  schema: Schema<T, Input>,
  { default: fallback, flag, keptIn }: { readonly default?: T } & OptionSettings = {},
): Option<T | undefined, Input> {
  return {
    ...schema,
    default: fallback,
    flag,
    keptIn,
    parse: (value, path) => (value === undefined ? fallback : schema.parse(value, path)),
  }
}

/** Declares options that are passed together, as an object. */
export function group<const O extends Options>(fields: O): Option<OptionsValue<O>, OptionsInput<O>> {
  const schema = createSchema<OptionsValue<O>, OptionsInput<O>>('an object', (value, path) =>
    parseFields(fields, value, path),
  )
  return { ...option(schema, { default: parseFields(fields, {}, '') }), fields }
}

/** Checks options and fills in the defaults. @throws InvalidOptionError for the first invalid one. */
export function parseOptions<const O extends Options>(options: O, given: unknown): OptionsValue<O> {
  return withOptionErrors(() => parseFields(options, given === undefined ? {} : given, ''))
}

/** Checks one option. @throws InvalidOptionError if it is invalid. */
export function parseOption<T>(schema: Schema<T>, value: unknown, name: string): T {
  return withOptionErrors(() => schema.parse(value, name))
}

function withOptionErrors<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw error instanceof SchemaError ? new InvalidOptionError(error.path, error.expected) : error
  }
}

/** Checks the options of an object. @throws SchemaError, also for an unknown name. */
export function parseFields<O extends Options>(options: O, given: unknown, path: string): OptionsValue<O> {
  if (typeof given !== 'object' || given === null) throw new SchemaError(path || 'options', 'an object')
  const values = given as Readonly<Record<string, unknown>>
  const pathTo = (name: string): string => (path === '' ? name : `${path}.${name}`)
  for (const name of Object.keys(values)) {
    if (Object.hasOwn(options, name)) continue
    const meant = meantBy(name, options)
    const hint = meant === undefined ? '' : `; did you mean ${pathTo(meant)}?`
    throw new SchemaError(pathTo(name), `one of ${Object.keys(options).join(', ')}${hint}`)
  }
  const parsed = Object.entries(options).map(([name, one]) => [name, one.parse(values[name], pathTo(name))])
  return Object.fromEntries(parsed) as OptionsValue<O>
}

/** The option that an unknown name probably stands for: an option of that name in a group, or a name spelt alike. */
function meantBy(name: string, options: Options): string | undefined {
  const group = Object.keys(options).find((one) => Object.hasOwn(options[one]!.fields ?? {}, name))
  return group === undefined ? closestName(name, Object.keys(options)) : `${group}.${name}`
}

/** @throws InvalidOptionError unless `valid`. */
export function check(valid: boolean, name: string, expected: string): asserts valid {
  if (!valid) throw new InvalidOptionError(name, expected)
}
