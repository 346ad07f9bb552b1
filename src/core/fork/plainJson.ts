/** Copies of untrusted values: plain JSON of limited size and depth, which no getter or prototype can be hidden in. */
import { SchemaError } from '../../base/errors.ts'

/** Values and characters of an answer. */
export const MAX_ANSWER_SIZE = 2 ** 26

/** Objects and arrays within each other: a trace of 1,024 calls has two for each. */
const MAX_DEPTH = 2_500

/** An object or array whose copy is not filled yet. */
interface Unfilled {
  readonly source: object
  readonly copy: Record<string, unknown> | unknown[]
  readonly depth: number
}

/**
 * A copy of a value, as JSON would give it. Without recursion, since the depth is the node's choice.
 *
 * @throws SchemaError if the value is not JSON, has a key `__proto__`, or is too large or too deep.
 */
export function toPlainJson(value: unknown): unknown {
  const unfilled: Unfilled[] = []
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
      // As in JSON, a key without a value is absent; the provider of a library can give one.
      if (one !== undefined) copy[key] = copyOf(one, depth)
    }
  }
  return result
}
