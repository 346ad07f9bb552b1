/** The `params` of a request as a whole. */
import { InvalidParamsError, SchemaError } from '../../base/errors.ts'
import type { InputOf, Schema, ValueOf } from '../../base/schema.ts'
import { ParamsCountError } from '../errors.ts'

type Params = readonly Schema<unknown>[]

/** The parsed values of a list of schemas. */
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
 * @throws ParamsCountError if there are too many, or a required one is missing.
 * @throws InvalidParamsError if `params` is not an array, or one of them has the wrong form.
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

/** Parses one parameter. @param position - its place or its name. @throws InvalidParamsError if it has the wrong form. */
export function parseParam<T>(value: unknown, position: number | string, schema: Schema<T>): T {
  try {
    return schema.parse(value, `${position}`)
  } catch (error) {
    throw error instanceof SchemaError ? new InvalidParamsError(error.path, error.expected) : error
  }
}
