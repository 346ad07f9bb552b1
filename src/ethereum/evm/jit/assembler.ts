/** WebAssembly as bytes: instructions, and the sections of a module (WebAssembly core specification 2.0, chapter 5). */

/** Instructions, or a part of a module: bytes in nested lists, copied once, at the end. */
export type Wasm = Uint8Array | readonly (number | Wasm)[]

/** A 32-bit integer. Value types are numbers, as a module encodes them. */
export const I32 = 0x7f
/** A 64-bit integer. */
export const I64 = 0x7e
/** A 64-bit float, in which JavaScript passes gas and sizes. */
export const F64 = 0x7c
/** A vector of 128 bits, half a word of the EVM. */
export const V128 = 0x7b

type ValueType = typeof I32 | typeof I64 | typeof F64 | typeof V128

function unsigned(n: number): Wasm {
  const bytes: number[] = []
  let left = n
  for (; left > 0x7f; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80)
  bytes.push(left)
  return bytes
}

/** Signed LEB128. */
function signed(n: bigint): Wasm {
  if (-64n <= n && n < 64n) return [Number(n) & 0x7f]
  const bytes: number[] = []
  let left = n
  for (; left < -64n || left > 63n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80)
  bytes.push(Number(left & 0x7fn))
  return bytes
}

/** Creates an encoder of an instruction: the code of its operands, then its opcode. */
const operation =
  (...code: readonly number[]) =>
  (...operands: readonly Wasm[]): Wasm => [operands, code]

/** Creates an encoder of a memory access, at an address plus a constant. Its alignment, 0, is only a hint. */
const access =
  (...code: readonly number[]) =>
  (offset: number, ...operands: readonly Wasm[]): Wasm => [operands, code, 0, unsigned(offset)]

/** Instructions on 32-bit integers. Operands are passed as the code that computes them. */
export const i32 = {
  const: (n: number): Wasm => [0x41, signed(BigInt(n))],
  load: access(0x28),
  store: access(0x36),
  store8: access(0x3a),
  eqz: operation(0x45),
  eq: operation(0x46),
  ne: operation(0x47),
  ltS: operation(0x48),
  gtS: operation(0x4a),
  gtU: operation(0x4b),
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

/** Instructions on 64-bit integers; the result of a comparison is a 32-bit integer. */
export const i64 = {
  const: (n: bigint): Wasm => [0x42, signed(BigInt.asIntN(64, n))],
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

/** Instructions on vectors of two 64-bit lanes. `reverse` reverses the 16 bytes. */
export const v128 = {
  load: access(0xfd, 0),
  store: access(0xfd, 11),
  reverse: (value: Wasm): Wasm => [value, value, 0xfd, 13, REVERSED],
  splat: operation(0xfd, 18),
  lane: (index: number, value: Wasm): Wasm => [value, 0xfd, 29, index],
  withLane: (index: number, value: Wasm, lane: Wasm): Wasm => [value, lane, 0xfd, 30, index],
}

const REVERSED = Array.from({ length: 16 }, (_, i) => 15 - i)

/** Instructions on local variables, by index; parameters come first. */
export const local = {
  get: (index: number): Wasm => [0x20, unsigned(index)],
  set: (index: number, value: Wasm = []): Wasm => [value, 0x21, unsigned(index)],
  tee: (index: number, value: Wasm): Wasm => [value, 0x22, unsigned(index)],
}

/** Instructions on the global variables of the module, by index. */
export const global = {
  get: (index: number): Wasm => [0x23, unsigned(index)],
  set: (index: number, value: Wasm): Wasm => [value, 0x24, unsigned(index)],
}

const VOID = 0x40
const END = 0x0b

/** A loop: `branch(0)` directly in the body repeats it; otherwise it ends after the body. */
export const loop = (...body: readonly Wasm[]): Wasm => [0x03, VOID, body, END]

/** A block: `branch(0)` directly in the body leaves it. */
export const block = (...body: readonly Wasm[]): Wasm => [0x02, VOID, body, END]

/** Runs `then` unless the condition is 0. As `then` is a block, branches out of it count one level more. */
export const when = (condition: Wasm, ...then: readonly Wasm[]): Wasm => [condition, 0x04, VOID, then, END]

/** Computes only one value: `no` if the condition is 0, else `yes`. */
export function choose(type: ValueType, condition: Wasm, yes: Wasm, no: Wasm): Wasm {
  return [condition, 0x04, type, yes, 0x05, no, END]
}

/** Computes both values, and selects `no` if the condition is 0, else `yes`. */
export const select = (yes: Wasm, no: Wasm, condition: Wasm): Wasm => [yes, no, condition, 0x1b]

/** Branches to the start of a loop or the end of a block, `depth` levels out. */
export const branch = (depth: number): Wasm => [0x0c, unsigned(depth)]
/** Branches as {@link branch} does, unless the condition is 0. */
export const branchIf = (depth: number, condition: Wasm): Wasm => [condition, 0x0d, unsigned(depth)]
/** Returns from the function with these values. */
export const end = (...values: readonly Wasm[]): Wasm => [values, 0x0f]
/** Calls a function of the module by index; imported ones come first. */
export const call = (index: number, ...operands: readonly Wasm[]): Wasm => [operands, 0x10, unsigned(index)]
/** Calls the function at a table index. */
export const callIndirect = (type: number, index: Wasm): Wasm => [index, 0x11, unsigned(type), 0]
/** Fills `size` bytes from an address on with zeros (`memory.fill`). */
export const fillZeros = (address: Wasm, size: Wasm): Wasm => [address, i32.const(0), size, 0xfc, 11, 0]

/** The type of a function: its parameters and results. */
export interface FunctionType {
  readonly params: readonly ValueType[]
  readonly results: readonly ValueType[]
}

/** A function of a module. `type` is the index of its {@link FunctionType}. */
export interface WasmFunction {
  readonly type: number
  /** Local variables: a count for each type in a row, indexed after the parameters. */
  readonly locals: readonly (readonly [count: number, type: ValueType])[]
  readonly body: Wasm
}

/** A module. It imports functions and the memory `env.memory`, and exports one function. */
interface WasmModule {
  readonly types: readonly FunctionType[]
  /** Functions imported from `env`, indexed from 0. */
  readonly imported: readonly (readonly [name: string, type: number])[]
  readonly functions: readonly WasmFunction[]
  readonly table: readonly number[]
  readonly globals: readonly ValueType[]
  /** The index of the function exported as `run`. */
  readonly exported: number
}

/** Encodes a module, which imports its memory and `imported` from `env`. */
export function assembleModule(module: WasmModule): Uint8Array<ArrayBuffer> {
  const { types, imported, functions, table, globals, exported } = module
  const signatures = types.map(({ params, results }) => [0x60, list(params), list(results)])
  const imports = [
    ...imported.map(([text, type]) => [name('env'), name(text), 0x00, unsigned(type)]),
    [name('env'), name('memory'), 0x02, 0x00, 0x01],
  ]
  const variables = globals.map((type) => [type, 1, type === I32 ? i32.const(0) : i64.const(0n), END])
  const typesOfFunctions = functions.map(({ type }) => unsigned(type))
  const bodies = functions.map(({ locals, body }) => withSize([list(locals.map(variable)), body, END]))
  return encode([
    [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(1, signatures),
    section(2, imports),
    section(3, typesOfFunctions),
    section(4, [[0x70, 0x00, unsigned(table.length)]]),
    section(6, variables),
    section(7, [[name('run'), 0x00, unsigned(exported)]]),
    section(9, [[0x00, i32.const(0), END, list(table.map(unsigned))]]),
    section(10, bodies),
  ])
}

const variable = ([count, type]: readonly [number, ValueType]): Wasm => [unsigned(count), type]

const section = (id: number, items: readonly Wasm[]): Wasm => [id, withSize(list(items))]

function withSize(part: Wasm): Wasm {
  const bytes = encode(part)
  return [unsigned(bytes.length), bytes]
}

const list = (items: readonly (number | Wasm)[]): Wasm => [unsigned(items.length), items]

const name = (text: string): Wasm => list(Array.from(text, (letter) => letter.charCodeAt(0)))

/** Copies bytes in nested lists into one array. */
export function encode(part: Wasm): Uint8Array<ArrayBuffer> {
  let bytes = new Uint8Array(256)
  let length = 0
  const reserve = (count: number): void => {
    if (length + count <= bytes.length) return
    const longer = new Uint8Array(2 * (length + count))
    longer.set(bytes)
    bytes = longer
  }
  const write = (code: Wasm): void => {
    if (code instanceof Uint8Array) {
      reserve(code.length)
      bytes.set(code, length)
      length += code.length
      return
    }
    for (const item of code) {
      if (typeof item !== 'number') write(item)
      else {
        reserve(1)
        bytes[length] = item
        length += 1
      }
    }
  }
  write(part)
  return bytes.subarray(0, length)
}
