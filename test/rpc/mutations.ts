/** Mutations of valid requests, for fuzzing. */
import fc from 'fast-check'
import { UNKNOWN } from './scene.ts'

/** Any JSON value, and some values that JSON cannot express. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(undefined, Number.NaN, -0, 1n, Symbol.iterator, () => 1, new Date(0), new Uint8Array(3)),
  fc.constantFrom(
    '0x',
    '0x0',
    '0x00',
    '0xg',
    'latest',
    'pending',
    '0xffffffffffffffff',
    UNKNOWN,
    `0x${'ff'.repeat(32)}`,
    `0x1${'00'.repeat(32)}`,
    2 ** 53,
    -1,
    1e308,
  ),
  fc.string({ maxLength: 8, unit: fc.constantFrom('0', 'x', 'f', '-', '.', 'A') }),
)

/** A change of one place of a value. */
export interface Edit {
  /** The index of the place, modulo the number of places. */
  readonly at: number
  readonly kind: number
  /** A value to replace it with. */
  readonly value: unknown
  /** Selects the digit to change and its new value. */
  readonly n: number
}

/** Any change. */
export const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(9999),
  kind: fc.nat(8),
  value: junk,
  n: fc.nat(9999),
})

/** Changes one place of a value: drops it, doubles it, replaces it, gives it another type, or alters its text. */
export function mutate(value: unknown, change: Edit): unknown {
  const places = placesIn(value)
  return alterAt(value, places[change.at % places.length]!, change)[0]
}

type Place = readonly (string | number)[]

function placesIn(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [place]
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value)
  return [place, ...[...keys].flatMap((key) => placesIn(value[key as never], [...place, key]))]
}

/** The values at a place after the change: none, one, or the same one twice. */
function alterAt(value: unknown, [key, ...rest]: Place, change: Edit): readonly unknown[] {
  if (key === undefined) return alter(value, change)
  const altered = alterAt(value![key as never], rest, change)
  if (Array.isArray(value))
    return [[...value.slice(0, key as number), ...altered, ...value.slice(Number(key) + 1)]]
  const { [key]: _, ...others } = value as Record<string, unknown>
  return [altered.length === 0 ? others : { ...others, [key]: altered[0] }]
}

function alter(value: unknown, { kind, value: other, n }: Edit): readonly unknown[] {
  if (kind === 0) return []
  if (kind === 1) return [value, value]
  if (kind === 2) return [other]
  if (kind === 3) return [ofAnotherType(value)]
  if (Array.isArray(value)) return [[...value].reverse()]
  if (typeof value !== 'string' || value.length < 3) return [other]
  const i = 2 + (n % (value.length - 2))
  if (kind === 4) return [value.slice(0, i)]
  const digit = '0123456789abcdefgz'[n % 18]
  return [`${value.slice(0, i)}${digit}${value.slice(i + (kind === 5 ? 0 : 1))}`]
}

function ofAnotherType(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('0x') ? Number(value) : [value]
  if (typeof value === 'number') return `0x${value.toString(16)}`
  if (Array.isArray(value)) return { ...value }
  return typeof value === 'object' ? [value] : String(value)
}

/** Freezes a value deeply, so that any write to it throws. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  for (const one of Object.values(value)) freeze(one)
  return Object.freeze(value)
}
