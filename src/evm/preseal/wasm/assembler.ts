/** WebAssembly as bytes: instructions, and the sections of a module (WebAssembly core specification 2.0, chapter 5). */

/** Instructions, or a part of a module. */
export type Wasm = readonly number[]

/** Types of values, as a module encodes them. */
export const I32 = 0x7f
export const I64 = 0x7e
export const F64 = 0x7c
export const V128 = 0x7b

/** See {@link I32}. */
export type ValueType = typeof I32 | typeof I64 | typeof F64 | typeof V128

/** An unsigned integer (LEB128). */
export function unsigned(n: number): Wasm {
  const bytes: number[] = []
  let left = n
  for (; left > 0x7f; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80)
  bytes.push(left)
  return bytes
}

/** A signed integer (LEB128). */
function signed(n: bigint): Wasm {
  if (-64n <= n && n < 64n) return [Number(n) & 0x7f]
  const bytes: number[] = []
  let left = n
  for (; left < -64n || left > 63n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80)
  bytes.push(Number(left & 0x7fn))
  return bytes
}

/** An instruction after its operands. */
const operation =
  (...code: readonly number[]) =>
  (...operands: readonly Wasm[]): Wasm => [...operands.flat(), ...code]

/** An access to memory at an address plus a constant; its alignment is a hint only. */
const access =
  (...code: readonly number[]) =>
  (offset: number, ...operands: readonly Wasm[]): Wasm => [
    ...operands.flat(),
    ...code,
    0,
    ...unsigned(offset),
  ]

/** Instructions on integers of 32 bits. */
export const i32 = {
  const: (n: number): Wasm => [0x41, ...signed(BigInt(n))],
  load: access(0x28),
  store: access(0x36),
  store8: access(0x3a),
  eqz: operation(0x45),
  eq: operation(0x46),
  ne: operation(0x47),
  ltS: operation(0x48),
  gtS: operation(0x4a),
  gtU: operation(0x4b),
  leS: operation(0x4c),
  geS: operation(0x4e),
  add: operation(0x6a),
  sub: operation(0x6b),
  mul: operation(0x6c),
  and: operation(0x71),
  or: operation(0x72),
  xor: operation(0x73),
  shl: operation(0x74),
  wrap: operation(0xa7),
}

/** Instructions on integers of 64 bits; comparisons result in 32 bits. */
export const i64 = {
  const: (n: bigint): Wasm => [0x42, ...signed(BigInt.asIntN(64, n))],
  load: access(0x29),
  load32: access(0x35),
  store: access(0x37),
  store32: access(0x3e),
  eqz: operation(0x50),
  eq: operation(0x51),
  ne: operation(0x52),
  ltS: operation(0x53),
  ltU: operation(0x54),
  gtU: operation(0x56),
  geU: operation(0x5a),
  clz: operation(0x79),
  add: operation(0x7c),
  sub: operation(0x7d),
  mul: operation(0x7e),
  divU: operation(0x80),
  remU: operation(0x82),
  and: operation(0x83),
  or: operation(0x84),
  xor: operation(0x85),
  shl: operation(0x86),
  shrS: operation(0x87),
  shrU: operation(0x88),
  extend: operation(0xad),
  fromDouble: operation(0xb0),
}

/** Instructions on doubles. */
export const f64 = {
  store: access(0x39),
  fromI64: operation(0xb9),
}

/** Instructions on 16 bytes. */
export const v128 = {
  load: access(0xfd, 0),
  store: access(0xfd, 11),
  /** Reverses the bytes. */
  reverse: (value: Wasm): Wasm => [...value, ...value, 0xfd, 13, ...REVERSED],
  splat: operation(0xfd, 18),
  lane: (index: number, value: Wasm): Wasm => [...value, 0xfd, 29, index],
  withLane: (index: number, value: Wasm, lane: Wasm): Wasm => [...value, ...lane, 0xfd, 30, index],
}

const REVERSED = Array.from({ length: 16 }, (_, i) => 15 - i)

export const local = {
  get: (index: number): Wasm => [0x20, ...unsigned(index)],
  set: (index: number, value: Wasm = []): Wasm => [...value, 0x21, ...unsigned(index)],
  tee: (index: number, value: Wasm): Wasm => [...value, 0x22, ...unsigned(index)],
}

export const global = {
  get: (index: number): Wasm => [0x23, ...unsigned(index)],
  set: (index: number, value: Wasm): Wasm => [...value, 0x24, ...unsigned(index)],
}

const NO_RESULT = 0x40
const END = 0x0b

/** A loop, which `branch(0)` directly in it repeats. */
export const loop = (...body: readonly Wasm[]): Wasm => [0x03, NO_RESULT, ...body.flat(), END]

/** A block, which `branch(0)` directly in it leaves. */
export const block = (...body: readonly Wasm[]): Wasm => [0x02, NO_RESULT, ...body.flat(), END]

/** Instructions that are executed if a condition is not 0. */
export const when = (condition: Wasm, ...then: readonly Wasm[]): Wasm => [
  ...condition,
  0x04,
  NO_RESULT,
  ...then.flat(),
  END,
]

/** One of two values, of which only the chosen one is computed. */
export const choose = (type: ValueType, condition: Wasm, yes: Wasm, no: Wasm): Wasm => [
  ...condition,
  0x04,
  type,
  ...yes,
  0x05,
  ...no,
  END,
]

/** One of two values, both of which are computed. */
export const select = (yes: Wasm, no: Wasm, condition: Wasm): Wasm => [...yes, ...no, ...condition, 0x1b]

export const branch = (depth: number): Wasm => [0x0c, ...unsigned(depth)]
export const branchIf = (depth: number, condition: Wasm): Wasm => [...condition, 0x0d, ...unsigned(depth)]
export const end = (...values: readonly Wasm[]): Wasm => [...values.flat(), 0x0f]
export const call = (index: number, ...operands: readonly Wasm[]): Wasm => [
  ...operands.flat(),
  0x10,
  ...unsigned(index),
]
/** Calls the function at an index of the table. */
export const callIndirect = (type: number, index: Wasm): Wasm => [...index, 0x11, ...unsigned(type), 0]
/** Fills memory with zeros. */
export const fillZeros = (address: Wasm, size: Wasm): Wasm => [
  ...address,
  ...i32.const(0),
  ...size,
  0xfc,
  11,
  0,
]

/** The type of a function. */
export interface FunctionType {
  readonly params: readonly ValueType[]
  readonly results: readonly ValueType[]
}

/** A function of a module. */
export interface WasmFunction {
  /** Its index among the types of the module. */
  readonly type: number
  /** Its local variables: a number and a type each. Their indices follow those of the parameters. */
  readonly locals: readonly (readonly [count: number, type: ValueType])[]
  readonly body: Wasm
}

/** A module: it imports a function and a memory, and exports one function. */
export interface WasmModule {
  readonly types: readonly FunctionType[]
  /** The type of the imported function `env.call`, whose index is 0. */
  readonly importedType: number
  /** Their indices begin with 1. */
  readonly functions: readonly WasmFunction[]
  /** The functions in the table, by their indices. */
  readonly table: readonly number[]
  readonly globals: readonly ValueType[]
  /** The index of the function that is exported as `run`. */
  readonly exported: number
}

/** The bytes of a module. The memory is imported as `env.memory`. */
export function assembleModule(module: WasmModule): Uint8Array<ArrayBuffer> {
  const { types, importedType, functions, table, globals, exported } = module
  const names = [...name('env'), ...name('call'), 0x00, ...unsigned(importedType)]
  const memory = [...name('env'), ...name('memory'), 0x02, 0x00, 0x01]
  const parts: Wasm[] = [
    [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(
      1,
      types.map(({ params, results }) => [0x60, ...list(params), ...list(results)]),
    ),
    section(2, [names, memory]),
    section(
      3,
      functions.map(({ type }) => unsigned(type)),
    ),
    section(4, [[0x70, 0x00, ...unsigned(table.length)]]),
    section(
      6,
      globals.map((type) => [type, 1, ...(type === I32 ? i32.const(0) : i64.const(0n)), END]),
    ),
    section(7, [[...name('run'), 0x00, ...unsigned(exported)]]),
    section(9, [[0x00, ...i32.const(0), END, ...unsigned(table.length), ...table.flatMap(unsigned)]]),
    section(10, functions.map(functionBody)),
  ]
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

function functionBody({ locals, body }: WasmFunction): Wasm {
  const variables = locals.flatMap(([count, type]) => [...unsigned(count), type])
  const size = unsigned(locals.length).length + variables.length + body.length + 1
  return unsigned(size).concat(unsigned(locals.length), variables, body, END)
}

function section(id: number, items: readonly Wasm[]): Wasm {
  const content = list(items).flat()
  return [id].concat(unsigned(content.length), content)
}

/** A list: the number of its items, and the items. */
function list<Item>(items: readonly Item[]): readonly (Item | number)[] {
  return [...unsigned(items.length), ...items]
}

function name(text: string): Wasm {
  return list(Array.from(text, (letter) => letter.charCodeAt(0)))
}
