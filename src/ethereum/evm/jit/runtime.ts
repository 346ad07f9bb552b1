/** What all modules have: their layout, and the runtime, which is the entry and functions too long to inline. */
import {
  block,
  branch,
  branchIf,
  call,
  callIndirect,
  choose,
  encode,
  end,
  F64,
  type FunctionType,
  f64,
  fillZeros,
  global,
  I32,
  I64,
  i32,
  i64,
  local,
  loop,
  type Wasm,
  type WasmFunction,
  when,
} from './assembler.ts'

// The layout of a module: types, functions and globals by index, and its memory.

const LIMBS = [I64, I64, I64, I64] as const

/** The types of all functions of a module, by the indices below. */
export const TYPES: readonly FunctionType[] = [
  { params: [], results: [I32] },
  { params: [I32], results: [] },
  { params: [I32, I32, F64, F64, F64], results: [I32] },
  { params: [I64, I64, I64], results: [I32] },
  { params: [I64], results: [I32] },
  { params: [...LIMBS, ...LIMBS], results: LIMBS },
  { params: [...LIMBS, ...LIMBS, ...LIMBS], results: LIMBS },
  { params: [I32, I32], results: [] },
]

/** The indices of the types. A trace returns the index of the next trace, or an {@link exitTo}. */
export const [TRACE, ACTION, RUN, GROW, FIND, BINARY, TERNARY] = [0, 1, 2, 3, 4, 5, 6] as const
const RANGE = 7

/** The imported functions: names and types, indexed from 0. */
export const IMPORTED = [
  ['call', ACTION],
  ['hash', RANGE],
] as const

/** The runtime by name, indexed after the imported functions. */
const RUNTIME = {
  run,
  grow,
  hash,
  find,
  divide: () => DIVIDE,
  mul,
  div: () => quotient(false),
  mod: () => quotient(true),
  sdiv: () => signedQuotient(false),
  smod: () => signedQuotient(true),
  addmod,
  mulmod,
  shl: () => shift(true, false),
  shr: () => shift(false, false),
  sar: () => shift(false, true),
  signextend,
  byte,
}

const NAMES = ['instruction', 'keccak256', ...(Object.keys(RUNTIME) as (keyof typeof RUNTIME)[])] as const
/** The indices of functions. */
export const FUNCTIONS = Object.fromEntries(NAMES.map((name, i) => [name, i])) as Readonly<
  Record<(typeof NAMES)[number], number>
>
/** The index of a module's first trace; functions of the runtime come before it. */
export const FIRST_TRACE = NAMES.length

/** The gas left, as a 64-bit integer. */
export const GAS = 0
/** The height of the stack in bytes. */
export const HEIGHT = 1
/** The memory in use, in bytes. */
export const SIZE = 2
/** The first offset at which no whole word is within the memory in use. */
export const READABLE = 3
const CAPACITY = 4

/** The types of the global variables, by the indices above. */
export const GLOBALS = [I64, I32, I64, I64, I64] as const

/** A division in digits of 32 bits: dividend (later remainder), divisor and quotient. */
const DIVIDEND = 0
const DIVISOR = 128
const QUOTIENT = 192
/** The operand and result of an instruction that is not compiled; or a hash, first byte first. */
export const OPERAND = 384
/** After a run: gas and memory in use as doubles, and the height of the stack. */
export const RESULTS = 512
/** How many keccak256 blocks a run may still hash; 0 after code needed more. */
export const HASHES_LEFT = 544
/** The stack: 32 bytes per word, least significant first. */
export const STACK = 0x8000
/** The EVM's memory, up to the end of the WebAssembly memory. */
export const MEMORY = 0x10000

/** The maximum static gas of a trace, kept in reserve while a trace runs. */
export const TRACE_GAS = 8192

/** The value that a trace returns to leave at `pc`. @param isWithin - whether `pc` may be within a basic block. */
export function exitTo(pc: number, isWithin: boolean): number {
  return ~(pc * 2 + (isWithin ? 1 : 0))
}

// The runtime.

const { get, set, tee } = local
const [zero, one, two] = [i32.const(0), i32.const(1), i32.const(2)]
const [ZERO, ONE, C32, C63] = [i64.const(0n), i64.const(1n), i64.const(32n), i64.const(63n)]
const LOW_32 = i64.const(0xffff_ffffn)
const INDICES = [0, 1, 2, 3] as const
const NO_WORD = INDICES.map(() => ZERO)
const orAll = (limbs: readonly Wasm[]): Wasm => limbs.reduce((sum, limb) => i64.or(sum, limb))
const isNotZero = (...limbs: readonly Wasm[]): Wasm => i64.ne(orAll(limbs), ZERO)
const isZero = (...limbs: readonly Wasm[]): Wasm => i64.eqz(orAll(limbs))

/** The four limbs of a word in local variables. */
const word = (first: number): Wasm[] => INDICES.map((i) => get(first + i))
const takeWord = (first: number, results: Wasm): Wasm => [results, [3, 2, 1, 0].map((i) => set(first + i))]
const storeWord = (address: number, limbs: readonly Wasm[]): Wasm =>
  limbs.map((limb, i) => i64.store(address + 8 * i, zero, limb))
const loadWord = (address: number): Wasm[] => INDICES.map((i) => i64.load(address + 8 * i, zero))

const [A, B, N] = [0, 4, 8]

/** The product of the words at A and B, digit by digit; `put` gets each column and its digit. */
function multiply(
  digits: number,
  columns: number,
  first: number,
  put: (column: number, digit: Wasm) => Wasm,
): Wasm {
  const [sum, high, product] = [first, first + 1, first + 2]
  const digit = (operand: number, i: number): Wasm => get(first + 3 + operand * digits + i)
  const code: Wasm[] = [A, B].flatMap((factor, operand) =>
    Array.from({ length: digits }, (_, i) => {
      const limb = get(factor + (i >> 1))
      return set(first + 3 + operand * digits + i, i % 2 === 0 ? i64.and(limb, LOW_32) : i64.shrU(limb, C32))
    }),
  )
  code.push(set(sum, ZERO))
  for (let column = 0; column < columns; column++) {
    code.push(set(high, ZERO))
    for (let i = Math.max(0, column - digits + 1); i <= Math.min(column, digits - 1); i++) {
      code.push(
        set(product, i64.mul(digit(0, i), digit(1, column - i))),
        set(sum, i64.add(get(sum), i64.and(get(product), LOW_32))),
        set(high, i64.add(get(high), i64.shrU(get(product), C32))),
      )
    }
    code.push(put(column, get(sum)), set(sum, i64.add(i64.shrU(get(sum), C32), get(high))))
  }
  return code
}

/** The variables of {@link multiply} for eight digits. */
const PRODUCT_VARIABLES = 19

function mul(): WasmFunction {
  const [result, first] = [8, 12]
  const put = (column: number, digit: Wasm): Wasm => {
    const at = result + (column >> 1)
    if (column % 2 === 0) return set(at, i64.and(digit, LOW_32))
    return set(at, i64.or(get(at), i64.shl(digit, C32)))
  }
  const [a, b] = [word(A), word(B)]
  return {
    type: BINARY,
    locals: [[4 + PRODUCT_VARIABLES, I64]],
    body: [
      when(
        isZero(...a.slice(1), ...b.slice(1)),
        when(isZero(i64.shrU(i64.or(a[0]!, b[0]!), C32)), end(i64.mul(a[0]!, b[0]!), ZERO, ZERO, ZERO)),
        multiply(2, 4, first, put),
        end(...word(result)),
      ),
      multiply(8, 8, first, put),
      ...word(result),
    ],
  }
}

const divide = (digits: number): Wasm => call(FUNCTIONS.divide, i32.const(digits))

function quotient(isRemainder: boolean): WasmFunction {
  const [a, b] = [word(A), word(B)]
  const short = isRemainder ? i64.remU(a[0]!, b[0]!) : i64.divU(a[0]!, b[0]!)
  return {
    type: BINARY,
    locals: [],
    body: [
      when(isZero(...b), end(...NO_WORD)),
      when(isZero(...a.slice(1), ...b.slice(1)), end(short, ZERO, ZERO, ZERO)),
      storeWord(DIVIDEND, a),
      storeWord(DIVISOR, b),
      storeWord(QUOTIENT, NO_WORD),
      divide(8),
      ...loadWord(isRemainder ? DIVIDEND : QUOTIENT),
    ],
  }
}

/** Negates the word in local variables: complements each limb, and increments it while all lower ones were zero. */
const negate = (first: number): Wasm =>
  INDICES.map((i) => {
    const carry = i === 0 ? ONE : i64.extend(isZero(...word(first).slice(0, i)))
    return set(first + i, i64.add(i64.xor(get(first + i), i64.const(-1n)), carry))
  })

function signedQuotient(isRemainder: boolean): WasmFunction {
  const [sign, result] = [8, 9]
  const isNegative = (first: number): Wasm => i64.ltS(get(first + 3), ZERO)
  return {
    type: BINARY,
    locals: [
      [1, I32],
      [4, I64],
    ],
    body: [
      set(sign, isRemainder ? isNegative(A) : i32.xor(isNegative(A), isNegative(B))),
      when(isNegative(A), negate(A)),
      when(isNegative(B), negate(B)),
      takeWord(result, call(isRemainder ? FUNCTIONS.mod : FUNCTIONS.div, ...word(A), ...word(B))),
      when(get(sign), negate(result)),
      ...word(result),
    ],
  }
}

function addmod(): WasmFunction {
  const [sum, carry, first] = [12, 13, 14]
  const code: Wasm[] = [when(isZero(...word(N)), end(...NO_WORD)), set(carry, ZERO)]
  for (const i of INDICES) {
    code.push(
      set(first, i64.add(get(A + i), get(B + i))),
      set(sum, i64.add(get(first), get(carry))),
      set(carry, i64.extend(i32.or(i64.ltU(get(first), get(A + i)), i64.ltU(get(sum), get(first))))),
      i64.store(DIVIDEND + 8 * i, zero, get(sum)),
    )
  }
  code.push(i64.store(DIVIDEND + 32, zero, get(carry)), storeWord(DIVISOR, word(N)), divide(9))
  return { type: TERNARY, locals: [[3, I64]], body: [...code, ...loadWord(DIVIDEND)] }
}

function mulmod(): WasmFunction {
  const put = (column: number, digit: Wasm): Wasm => i64.store32(DIVIDEND + 4 * column, zero, digit)
  const code = [
    when(isZero(...word(N)), end(...NO_WORD)),
    multiply(8, 16, 12, put),
    storeWord(DIVISOR, word(N)),
    divide(16),
    ...loadWord(DIVIDEND),
  ]
  return { type: TERNARY, locals: [[PRODUCT_VARIABLES, I64]], body: code }
}

/** SHL, SHR or SAR. The operands are the shift, then the word. */
function shift(isLeft: boolean, isSigned: boolean): WasmFunction {
  const [amount, rest, fill] = [0, 8, 9]
  const shifted = word(B)
  /** The limb that moves here from `by` limbs below (SHL) or above. */
  const moved = (i: number, by: number): Wasm => shifted[isLeft ? i - by : i + by] ?? get(fill)
  const order = isLeft ? [3, 2, 1, 0] : INDICES
  const moveBy = (by: number): Wasm =>
    when(
      isNotZero(i64.and(get(amount), i64.const(BigInt(64 * by)))),
      ...order.map((i) => set(B + i, moved(i, by))),
    )
  const [main, spill] = isLeft ? [i64.shl, i64.shrU] : [i64.shrU, i64.shl]
  // Shifts the spilt bits twice: if `rest` is 0, a single shift by 64 would shift nothing.
  const result = INDICES.map((i) =>
    i64.or(main(shifted[i]!, get(rest)), spill(spill(moved(i, 1), ONE), i64.sub(C63, get(rest)))),
  )
  return {
    type: BINARY,
    locals: [[2, I64]],
    body: [
      set(fill, isSigned ? i64.shrS(shifted[3]!, C63) : ZERO),
      when(
        i32.or(isNotZero(...word(0).slice(1)), i64.gtU(get(amount), i64.const(255n))),
        end(...INDICES.map(() => get(fill))),
      ),
      moveBy(2),
      moveBy(1),
      set(rest, i64.and(get(amount), C63)),
      ...result,
    ],
  }
}

/** Turns the index in local variable 0 into the shift that moves a byte to the upper or lower end of the word. */
const toBits = set(0, i64.shl(i64.sub(i64.const(31n), get(0)), i64.const(3n)))
const isIndexAbove = (last: bigint): Wasm =>
  i32.or(isNotZero(...word(A).slice(1)), i64.gtU(get(0), i64.const(last)))

function signextend(): WasmFunction {
  const code = [
    when(isIndexAbove(30n), end(...word(B))),
    toBits,
    takeWord(B, call(FUNCTIONS.shl, ...word(A), ...word(B))),
    call(FUNCTIONS.sar, ...word(A), ...word(B)),
  ]
  return { type: BINARY, locals: [], body: code }
}

function byte(): WasmFunction {
  const shifted = takeWord(B, call(FUNCTIONS.shr, ...word(A), ...word(B)))
  const low = [i64.and(get(B), i64.const(255n)), ZERO, ZERO, ZERO]
  return { type: BINARY, locals: [], body: [when(isIndexAbove(31n), end(...NO_WORD)), toBits, shifted, low] }
}

// Division of long numbers (Knuth, The Art of Computer Programming, volume 2, 4.3.1, algorithm D).

/** Local variables. `m`, the parameter, and `n` count the digits of dividend and divisor; `i` and `j` are indices. */
const [m, n, i, j] = [0, 1, 2, 3]
const [scale, v1, v2, t, q, r, carry, borrow] = [4, 5, 6, 7, 8, 9, 10, 11]
const digit = (number: number, index: Wasm): Wasm => i64.load32(number, i32.shl(index, two))
const setDigit = (number: number, index: Wasm, value: Wasm): Wasm =>
  i64.store32(number, i32.shl(index, two), value)
const before = (index: number): Wasm => i32.add(get(index), i32.const(-1))
const decrease = (index: number): Wasm => set(index, i32.sub(get(index), one))
const increase = (index: number): Wasm => set(index, i32.add(get(index), one))

const repeat = (condition: Wasm, ...body: readonly Wasm[]): Wasm =>
  block(loop(branchIf(1, i32.eqz(condition)), ...body, branch(0)))

const forDigits = (...body: readonly Wasm[]): Wasm => [
  set(i, zero),
  repeat(i32.ltS(get(i), get(n)), ...body, increase(i)),
]

function shiftLeft(number: number, digits: number): Wasm {
  const lower = i64.shrU(digit(number, i32.sub(get(i), one)), i64.sub(C32, get(scale)))
  return [
    set(i, i32.sub(get(digits), one)),
    repeat(
      i32.gtS(get(i), zero),
      setDigit(number, get(i), i64.or(i64.shl(digit(number, get(i)), get(scale)), lower)),
      decrease(i),
    ),
    setDigit(number, zero, i64.shl(digit(number, zero), get(scale))),
  ]
}

const pair = (high: Wasm, low: Wasm): Wasm => i64.or(i64.shl(high, C32), low)

const divideByDigit = [
  set(v1, digit(DIVISOR, zero)),
  set(r, ZERO),
  repeat(
    i32.gtS(get(m), zero),
    decrease(m),
    set(t, pair(get(r), digit(DIVIDEND, get(m)))),
    setDigit(QUOTIENT, get(m), i64.divU(get(t), get(v1))),
    set(r, i64.remU(get(t), get(v1))),
    setDigit(DIVIDEND, get(m), ZERO),
  ),
  setDigit(DIVIDEND, zero, get(r)),
  end(),
]

/** Steps D1 and D2: shifts so that the first digit of the divisor is at least 2^31. */
const normalize = [
  set(scale, i64.sub(i64.clz(digit(DIVISOR, i32.sub(get(n), one))), C32)),
  setDigit(DIVIDEND, get(m), i64.shrU(digit(DIVIDEND, i32.sub(get(m), one)), i64.sub(C32, get(scale)))),
  shiftLeft(DIVIDEND, m),
  shiftLeft(DIVISOR, n),
  set(v1, digit(DIVISOR, i32.sub(get(n), one))),
  set(v2, digit(DIVISOR, i32.sub(get(n), two))),
  set(j, i32.sub(get(m), get(n))),
]

const top = i32.add(get(j), get(n))
const isTooLarge = i32.or(
  i64.gtU(get(q), LOW_32),
  i64.gtU(i64.mul(get(q), get(v2)), pair(get(r), digit(DIVIDEND, i32.sub(top, two)))),
)

/** Step D3: the digit of the quotient, at most one too large. */
const estimate = [
  set(t, pair(digit(DIVIDEND, top), digit(DIVIDEND, i32.sub(top, one)))),
  set(q, i64.divU(get(t), get(v1))),
  set(r, i64.remU(get(t), get(v1))),
  block(
    loop(
      branchIf(1, i32.eqz(isTooLarge)),
      set(q, i64.sub(get(q), ONE)),
      set(r, i64.add(get(r), get(v1))),
      branchIf(0, i32.eqz(i64.gtU(get(r), LOW_32))),
    ),
  ),
]

const digitAt = i32.add(get(i), get(j))

/** Step D4; leaves in `t` whether the result is negative. */
const subtract = [
  set(carry, ZERO),
  set(borrow, ZERO),
  forDigits(
    set(carry, i64.add(i64.mul(get(q), digit(DIVISOR, get(i))), get(carry))),
    set(t, i64.sub(i64.sub(digit(DIVIDEND, digitAt), get(borrow)), i64.and(get(carry), LOW_32))),
    setDigit(DIVIDEND, digitAt, get(t)),
    set(borrow, i64.shrU(get(t), C63)),
    set(carry, i64.shrU(get(carry), C32)),
  ),
  set(t, i64.sub(i64.sub(digit(DIVIDEND, top), get(borrow)), get(carry))),
  setDigit(DIVIDEND, top, get(t)),
]

/** Step D6: the digit of the quotient was one too large. */
const addBack = [
  set(q, i64.sub(get(q), ONE)),
  set(carry, ZERO),
  forDigits(
    set(t, i64.add(i64.add(digit(DIVIDEND, digitAt), digit(DIVISOR, get(i))), get(carry))),
    setDigit(DIVIDEND, digitAt, get(t)),
    set(carry, i64.shrU(get(t), C32)),
  ),
  setDigit(DIVIDEND, top, i64.add(digit(DIVIDEND, top), get(carry))),
]

/** Step D8: shifts the remainder back. */
const upper = i64.shl(digit(DIVIDEND, i32.add(get(i), one)), i64.sub(C32, get(scale)))
const shiftBack = forDigits(
  setDigit(DIVIDEND, get(i), i64.or(i64.shrU(digit(DIVIDEND, get(i)), get(scale)), upper)),
)

/**
 * Divides the number at DIVIDEND, of this many digits, by the number at DIVISOR, of eight digits and not 0. The
 * remainder replaces the dividend; the quotient's digits go to QUOTIENT, except leading zeros.
 */
const DIVIDE: WasmFunction = {
  type: ACTION,
  locals: [
    [3, I32],
    [8, I64],
  ],
  body: [
    set(n, i32.const(8)),
    repeat(i64.eqz(digit(DIVISOR, before(n))), decrease(n)),
    block(
      loop(
        branchIf(1, i32.eqz(get(m))),
        branchIf(1, i32.eqz(i64.eqz(digit(DIVIDEND, before(m))))),
        decrease(m),
        branch(0),
      ),
    ),
    when(i32.ltS(get(m), get(n)), end()),
    when(i32.eq(get(n), one), divideByDigit),
    normalize,
    repeat(
      i32.geS(get(j), zero),
      estimate,
      subtract,
      when(i64.ltS(get(t), ZERO), addBack),
      setDigit(QUOTIENT, get(j), get(q)),
      decrease(j),
    ),
    shiftBack,
  ],
}

/** Runs traces until one leaves the module, and stores the results. */
function run(): WasmFunction {
  const [index, height, gas, size, capacity] = [0, 1, 2, 3, 4]
  return {
    type: RUN,
    locals: [],
    body: [
      global.set(GAS, i64.fromDouble(get(gas))),
      global.set(HEIGHT, get(height)),
      global.set(SIZE, i64.fromDouble(get(size))),
      global.set(READABLE, choose(I64, i64.eqz(global.get(SIZE)), ZERO, readable)),
      global.set(CAPACITY, i64.fromDouble(get(capacity))),
      loop(branchIf(0, i32.geS(tee(index, callIndirect(TRACE, get(index))), zero))),
      f64.store(RESULTS, zero, f64.fromI64(global.get(GAS))),
      f64.store(RESULTS + 8, zero, f64.fromI64(global.get(SIZE))),
      i32.store(RESULTS + 16, zero, global.get(HEIGHT)),
      get(index),
    ],
  }
}

const readable = i64.sub(global.get(SIZE), i64.const(31n))
const wordsIn = (bytes: Wasm): Wasm => i64.shrU(i64.add(bytes, i64.const(31n)), i64.const(5n))
const fail = (condition: Wasm): Wasm => when(condition, end(zero))
/** Whether less than {@link TRACE_GAS} is left: the running trace is charged for its instructions only at its end. */
const isTooLittle = (gas: Wasm): Wasm => i64.ltS(gas, i64.const(BigInt(TRACE_GAS)))

/** Extends memory. Returns 0 if offset, capacity or gas do not allow it. */
function grow(): WasmFunction {
  const [upper, offset, size, left, words] = [0, 1, 2, 3, 4]
  const gasOf = (count: Wasm): Wasm =>
    i64.add(i64.mul(count, i64.const(3n)), i64.shrU(i64.mul(count, count), i64.const(9n)))
  const newSize = i64.shl(get(words), i64.const(5n))
  const paidWords = i64.shrU(global.get(SIZE), i64.const(5n))
  return {
    type: GROW,
    locals: [[2, I64]],
    body: [
      fail(i32.or(i64.ne(get(upper), ZERO), i64.gtU(get(offset), global.get(CAPACITY)))),
      set(words, wordsIn(i64.add(get(offset), get(size)))),
      fail(i64.gtU(newSize, global.get(CAPACITY))),
      when(i64.geU(global.get(SIZE), newSize), end(one)),
      set(left, i64.sub(i64.add(global.get(GAS), gasOf(paidWords)), gasOf(get(words)))),
      fail(isTooLittle(get(left))),
      global.set(GAS, get(left)),
      fillZeros(
        i32.add(i32.wrap(global.get(SIZE)), i32.const(MEMORY)),
        i32.wrap(i64.sub(newSize, global.get(SIZE))),
      ),
      global.set(SIZE, newSize),
      global.set(READABLE, readable),
      one,
    ],
  }
}

/** Hashes a part of memory. Returns 0 if offset, size, the hashes left or gas do not allow it. */
function hash(): WasmFunction {
  const [upper, offset, size, price] = [0, 1, 2, 3]
  const left = i64.sub(i64.load32(HASHES_LEFT, zero), i64.add(i64.shrU(get(size), i64.const(7n)), ONE))
  const gas = i64.sub(global.get(GAS), get(price))
  const isGrown = call(FUNCTIONS.grow, ZERO, get(offset), get(size))
  return {
    type: GROW,
    locals: [[1, I64]],
    body: [
      fail(i32.or(i64.ne(get(upper), ZERO), i64.gtU(get(size), global.get(CAPACITY)))),
      when(i64.ltS(left, ZERO), i64.store32(HASHES_LEFT, zero, ZERO), end(zero)),
      set(price, i64.mul(wordsIn(get(size)), i64.const(6n))),
      fail(isTooLittle(gas)),
      global.set(GAS, gas),
      when(
        i64.ne(get(size), ZERO),
        when(i32.eqz(isGrown), global.set(GAS, i64.add(global.get(GAS), get(price))), end(zero)),
      ),
      i64.store32(HASHES_LEFT, zero, left),
      call(FUNCTIONS.keccak256, i32.wrap(get(offset)), i32.wrap(get(size))),
      one,
    ],
  }
}

/** The index of each trace by the offset of its first block, in ascending order. */
type Traces = readonly (readonly [pc: number, index: number])[]

/** Finds the trace that starts at a destination; -1 if there is none. */
function find(traces: Traces): WasmFunction {
  const search = (from: number, to: number): Wasm => {
    if (from >= to) return i32.const(-1)
    const middle = (from + to) >> 1
    const [pc, index] = traces[middle]!
    if (to - from === 1) {
      return choose(I32, i64.eq(get(0), i64.const(BigInt(pc))), i32.const(index), i32.const(-1))
    }
    const isBelow = i64.ltU(get(0), i64.const(BigInt(pc)))
    return choose(I32, isBelow, search(from, middle), search(middle, to))
  }
  return { type: FIND, locals: [], body: search(0, traces.length) }
}

let common: readonly WasmFunction[] | undefined

/** The functions from `FUNCTIONS.run` to {@link FIRST_TRACE}. */
export function runtimeFunctions(traces: Traces): readonly WasmFunction[] {
  common ??= Object.values<(traces: Traces) => WasmFunction>(RUNTIME)
    .map((create) => create([]))
    .map((one) => ({ ...one, body: encode(one.body) }))
  return common.with(FUNCTIONS.find - IMPORTED.length, find(traces))
}
