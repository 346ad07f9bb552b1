/** The runtime of each module: its entry, and functions too long to inline. */

import {
  block,
  branch,
  branchIf,
  call,
  callIndirect,
  choose,
  encode,
  end,
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
import {
  ACTION,
  BINARY,
  CAPACITY,
  DIVIDEND,
  DIVISOR,
  FIND,
  FUNCTIONS,
  GAS,
  GROW,
  HASHES_LEFT,
  HEIGHT,
  MEMORY,
  QUOTIENT,
  READABLE,
  RESULTS,
  RUN,
  SIZE,
  TERNARY,
  TRACE,
  TRACE_GAS,
} from './layout.ts'

// Instructions on words that are too long to inline.

const ZERO = i64.const(0n)
const ONE = i64.const(1n)
const LOW_32 = i64.const(0xffff_ffffn)
const INDICES = [0, 1, 2, 3] as const
const NO_WORD = INDICES.map(() => ZERO)
const isNotZero = (...limbs: readonly Wasm[]): Wasm => i64.ne(orAll(limbs), ZERO)
const isZero = (...limbs: readonly Wasm[]): Wasm => i64.eqz(orAll(limbs))

function orAll(limbs: readonly Wasm[]): Wasm {
  return limbs.reduce((sum, limb) => i64.or(sum, limb))
}

/** The four limbs of a word in local variables. */
const word = (first: number): Wasm[] => INDICES.map((i) => local.get(first + i))
/** Takes the results of a call. */
const takeWord = (first: number, results: Wasm): Wasm => [
  results,
  [3, 2, 1, 0].map((i) => local.set(first + i)),
]
const storeWord = (address: number, limbs: readonly Wasm[]): Wasm =>
  limbs.map((limb, i) => i64.store(address + 8 * i, i32.const(0), limb))
const loadWord = (address: number): Wasm[] => INDICES.map((i) => i64.load(address + 8 * i, i32.const(0)))

const [A, B, N] = [0, 4, 8]

/** The product of the words at A and B, digit by digit; `put` gets each column and its digit. */
function multiply(
  digits: number,
  columns: number,
  first: number,
  put: (column: number, digit: Wasm) => Wasm,
): Wasm {
  const [sum, high, product] = [first, first + 1, first + 2]
  const digit = (operand: number, i: number): Wasm => local.get(first + 3 + operand * digits + i)
  const code: Wasm[] = [0, 1].flatMap((operand) =>
    Array.from({ length: digits }, (_, i) => {
      const limb = local.get((operand === 0 ? A : B) + (i >> 1))
      return local.set(
        first + 3 + operand * digits + i,
        i % 2 === 0 ? i64.and(limb, LOW_32) : i64.shrU(limb, i64.const(32n)),
      )
    }),
  )
  code.push(local.set(sum, ZERO))
  for (let column = 0; column < columns; column++) {
    code.push(local.set(high, ZERO))
    for (let i = Math.max(0, column - digits + 1); i <= Math.min(column, digits - 1); i++) {
      code.push(
        local.set(product, i64.mul(digit(0, i), digit(1, column - i))),
        local.set(sum, i64.add(local.get(sum), i64.and(local.get(product), LOW_32))),
        local.set(high, i64.add(local.get(high), i64.shrU(local.get(product), i64.const(32n)))),
      )
    }
    code.push(
      put(column, local.get(sum)),
      local.set(sum, i64.add(i64.shrU(local.get(sum), i64.const(32n)), local.get(high))),
    )
  }
  return code
}

/** The variables of {@link multiply} for eight digits. */
const PRODUCT_VARIABLES = 19

function mul(): WasmFunction {
  const result = 8
  const first = result + 4
  const put = (column: number, digit: Wasm): Wasm => {
    const at = result + (column >> 1)
    if (column % 2 === 0) return local.set(at, i64.and(digit, LOW_32))
    return local.set(at, i64.or(local.get(at), i64.shl(digit, i64.const(32n))))
  }
  const [a, b] = [word(A), word(B)]
  return {
    type: BINARY,
    locals: [[4 + PRODUCT_VARIABLES, I64]],
    body: [
      when(
        isZero(...a.slice(1), ...b.slice(1)),
        when(
          isZero(i64.shrU(i64.or(a[0]!, b[0]!), i64.const(32n))),
          end(i64.mul(a[0]!, b[0]!), ZERO, ZERO, ZERO),
        ),
        multiply(2, 4, first, put),
        end(...word(result)),
      ),
      multiply(8, 8, first, put),
      ...word(result),
    ],
  }
}

const divide = (digits: number): Wasm => call(FUNCTIONS.divide, i32.const(digits))

/** DIV or MOD. */
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

/** Negates the word in local variables. */
function negate(first: number): Wasm {
  const code: Wasm[] = []
  for (const i of INDICES) {
    // Complements each limb, and increments it while all lower ones were zero.
    const lower = INDICES.slice(0, i).map((k) => local.get(first + k))
    const carry = i === 0 ? ONE : i64.extend(isZero(...lower))
    code.push(local.set(first + i, i64.add(i64.xor(local.get(first + i), i64.const(-1n)), carry)))
  }
  return code
}

/** SDIV or SMOD. */
function signedQuotient(isRemainder: boolean): WasmFunction {
  const [sign, result] = [8, 9]
  const isNegative = (first: number): Wasm => i64.ltS(local.get(first + 3), ZERO)
  return {
    type: BINARY,
    locals: [
      [1, I32],
      [4, I64],
    ],
    body: [
      local.set(sign, isRemainder ? isNegative(A) : i32.xor(isNegative(A), isNegative(B))),
      when(isNegative(A), negate(A)),
      when(isNegative(B), negate(B)),
      takeWord(result, call(isRemainder ? FUNCTIONS.mod : FUNCTIONS.div, ...word(A), ...word(B))),
      when(local.get(sign), negate(result)),
      ...word(result),
    ],
  }
}

function addmod(): WasmFunction {
  const [sum, carry, first] = [12, 13, 14]
  const code: Wasm[] = [when(isZero(...word(N)), end(...NO_WORD)), local.set(carry, ZERO)]
  for (const i of INDICES) {
    code.push(
      local.set(first, i64.add(local.get(A + i), local.get(B + i))),
      local.set(sum, i64.add(local.get(first), local.get(carry))),
      local.set(
        carry,
        i64.extend(
          i32.or(i64.ltU(local.get(first), local.get(A + i)), i64.ltU(local.get(sum), local.get(first))),
        ),
      ),
      i64.store(DIVIDEND + 8 * i, i32.const(0), local.get(sum)),
    )
  }
  code.push(i64.store(DIVIDEND + 32, i32.const(0), local.get(carry)), storeWord(DIVISOR, word(N)), divide(9))
  return { type: TERNARY, locals: [[3, I64]], body: [...code, ...loadWord(DIVIDEND)] }
}

function mulmod(): WasmFunction {
  const put = (column: number, digit: Wasm): Wasm => i64.store32(DIVIDEND + 4 * column, i32.const(0), digit)
  const code = [
    when(isZero(...word(N)), end(...NO_WORD)),
    multiply(8, 16, 12, put),
    storeWord(DIVISOR, word(N)),
    divide(16),
    ...loadWord(DIVIDEND),
  ]
  return { type: TERNARY, locals: [[PRODUCT_VARIABLES, I64]], body: code }
}

/** SHL, SHR or SAR: the shift, then the word. */
function shift(isLeft: boolean, isSigned: boolean): WasmFunction {
  const [amount, rest, fill] = [0, 8, 9]
  const shifted = word(B)
  /** The limb that moves here from `by` limbs below (SHL) or above. */
  const moved = (i: number, by: number): Wasm => shifted[isLeft ? i - by : i + by] ?? local.get(fill)
  const moveBy = (by: number): Wasm => {
    const order = isLeft ? [3, 2, 1, 0] : INDICES
    return when(
      isNotZero(i64.and(local.get(amount), i64.const(BigInt(64 * by)))),
      ...order.map((i) => local.set(B + i, moved(i, by))),
    )
  }
  const [main, spill] = isLeft ? [i64.shl, i64.shrU] : [i64.shrU, i64.shl]
  const result = INDICES.map((i) => {
    const other = moved(i, 1)
    // Two shifts: one by 64 would shift nothing.
    const spilt = spill(spill(other, ONE), i64.sub(i64.const(63n), local.get(rest)))
    return i64.or(main(shifted[i]!, local.get(rest)), spilt)
  })
  return {
    type: BINARY,
    locals: [[2, I64]],
    body: [
      local.set(fill, isSigned ? i64.shrS(shifted[3]!, i64.const(63n)) : ZERO),
      when(
        i32.or(isNotZero(...word(0).slice(1)), i64.gtU(local.get(amount), i64.const(255n))),
        end(...INDICES.map(() => local.get(fill))),
      ),
      moveBy(2),
      moveBy(1),
      local.set(rest, i64.and(local.get(amount), i64.const(63n))),
      ...result,
    ],
  }
}

/** Turns the index in local variable 0 into the shift that moves a byte to the upper or lower end of the word. */
const toBits = (last: bigint): Wasm =>
  local.set(0, i64.shl(i64.sub(i64.const(last), local.get(0)), i64.const(3n)))
const isIndexAbove = (last: bigint): Wasm =>
  i32.or(isNotZero(...word(A).slice(1)), i64.gtU(local.get(0), i64.const(last)))

function signextend(): WasmFunction {
  const code = [
    when(isIndexAbove(30n), end(...word(B))),
    toBits(31n),
    takeWord(B, call(FUNCTIONS.shl, ...word(A), ...word(B))),
    call(FUNCTIONS.sar, ...word(A), ...word(B)),
  ]
  return { type: BINARY, locals: [], body: code }
}

function byte(): WasmFunction {
  const code = [
    when(isIndexAbove(31n), end(...NO_WORD)),
    toBits(31n),
    takeWord(B, call(FUNCTIONS.shr, ...word(A), ...word(B))),
    i64.and(local.get(B), i64.const(255n)),
    ZERO,
    ZERO,
    ZERO,
  ]
  return { type: BINARY, locals: [], body: code }
}

/** By index from `FUNCTIONS.divide`. */
function arithmeticFunctions(): readonly WasmFunction[] {
  return [
    DIVIDE,
    mul(),
    quotient(false),
    quotient(true),
    signedQuotient(false),
    signedQuotient(true),
    addmod(),
    mulmod(),
    shift(true, false),
    shift(false, false),
    shift(false, true),
    signextend(),
    byte(),
  ]
}

// Division of long numbers (Knuth, The Art of Computer Programming, volume 2, 4.3.1, algorithm D).

const C32 = i64.const(32n)
const [zero, one, two] = [i32.const(0), i32.const(1), i32.const(2)]

/** Variables: numbers of digits, indices, and numbers. The parameter `m` is the number of digits of the dividend. */
const [m, n, i, j] = [0, 1, 2, 3]
const [scale, v1, v2, t, q, r, carry, borrow] = [4, 5, 6, 7, 8, 9, 10, 11]
const get = local.get
const set = local.set
const digit = (number: number, index: Wasm): Wasm => i64.load32(number, i32.shl(index, two))
const setDigit = (number: number, index: Wasm, value: Wasm): Wasm =>
  i64.store32(number, i32.shl(index, two), value)
const add = (a: number, b: Wasm): Wasm => i32.add(get(a), b)
const decrease = (index: number): Wasm => set(index, i32.sub(get(index), one))
const increase = (index: number): Wasm => set(index, i32.add(get(index), one))

/** Repeats instructions while a condition is not 0. */
const repeat = (condition: Wasm, ...body: readonly Wasm[]): Wasm =>
  block(loop(branchIf(1, i32.eqz(condition)), ...body, branch(0)))

/** From the divisor's first digit to its last. */
const forDigits = (...body: readonly Wasm[]): Wasm => [
  set(i, zero),
  repeat(i32.ltS(get(i), get(n)), ...body, increase(i)),
]

/** Shifts a number of several digits left. */
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

const at = (...offsets: readonly Wasm[]): Wasm => offsets.reduce((sum, offset) => i32.add(sum, offset))
const pair = (high: Wasm, low: Wasm): Wasm => i64.or(i64.shl(high, C32), low)

/** Divides by a single digit. */
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

const top = at(get(j), get(n))
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
      set(q, i64.sub(get(q), i64.const(1n))),
      set(r, i64.add(get(r), get(v1))),
      branchIf(0, i32.eqz(i64.gtU(get(r), LOW_32))),
    ),
  ),
]

const digitAt = at(get(i), get(j))

/** Step D4; leaves in `t` whether the result is negative. */
const subtract = [
  set(carry, ZERO),
  set(borrow, ZERO),
  forDigits(
    set(carry, i64.add(i64.mul(get(q), digit(DIVISOR, get(i))), get(carry))),
    set(t, i64.sub(i64.sub(digit(DIVIDEND, digitAt), get(borrow)), i64.and(get(carry), LOW_32))),
    setDigit(DIVIDEND, digitAt, get(t)),
    set(borrow, i64.shrU(get(t), i64.const(63n))),
    set(carry, i64.shrU(get(carry), C32)),
  ),
  set(t, i64.sub(i64.sub(digit(DIVIDEND, top), get(borrow)), get(carry))),
  setDigit(DIVIDEND, top, get(t)),
]

/** Step D6. */
const addBack = [
  set(q, i64.sub(get(q), i64.const(1n))),
  set(carry, ZERO),
  forDigits(
    set(t, i64.add(i64.add(digit(DIVIDEND, digitAt), digit(DIVISOR, get(i))), get(carry))),
    setDigit(DIVIDEND, digitAt, get(t)),
    set(carry, i64.shrU(get(t), C32)),
  ),
  setDigit(DIVIDEND, top, i64.add(digit(DIVIDEND, top), get(carry))),
]

/** Step D8. */
const shiftBack = forDigits(
  setDigit(
    DIVIDEND,
    get(i),
    i64.or(
      i64.shrU(digit(DIVIDEND, get(i)), get(scale)),
      i64.shl(digit(DIVIDEND, i32.add(get(i), one)), i64.sub(C32, get(scale))),
    ),
  ),
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
    repeat(i64.eqz(digit(DIVISOR, add(n, i32.const(-1)))), decrease(n)),
    block(
      loop(
        branchIf(1, i32.eqz(get(m))),
        branchIf(1, i32.eqz(i64.eqz(digit(DIVIDEND, add(m, i32.const(-1)))))),
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
      global.set(GAS, i64.fromDouble(local.get(gas))),
      global.set(HEIGHT, local.get(height)),
      global.set(SIZE, i64.fromDouble(local.get(size))),
      global.set(READABLE, choose(I64, i64.eqz(global.get(SIZE)), ZERO, readable)),
      global.set(CAPACITY, i64.fromDouble(local.get(capacity))),
      loop(branchIf(0, i32.geS(local.tee(index, callIndirect(TRACE, local.get(index))), i32.const(0)))),
      f64.store(RESULTS, i32.const(0), f64.fromI64(global.get(GAS))),
      f64.store(RESULTS + 8, i32.const(0), f64.fromI64(global.get(SIZE))),
      i32.store(RESULTS + 16, i32.const(0), global.get(HEIGHT)),
      local.get(index),
    ],
  }
}

const readable = i64.sub(global.get(SIZE), i64.const(31n))

/** Extends memory. Returns 0 if offset, capacity or gas do not allow it. */
function grow(): WasmFunction {
  const [upper, offset, size, left, words] = [0, 1, 2, 3, 4]
  const gasOf = (count: Wasm): Wasm =>
    i64.add(i64.mul(count, i64.const(3n)), i64.shrU(i64.mul(count, count), i64.const(9n)))
  const fail = (condition: Wasm): Wasm => when(condition, end(i32.const(0)))
  const newSize = i64.shl(local.get(words), i64.const(5n))
  return {
    type: GROW,
    locals: [[2, I64]],
    body: [
      fail(i32.or(i64.ne(local.get(upper), ZERO), i64.gtU(local.get(offset), global.get(CAPACITY)))),
      local.set(
        words,
        i64.shrU(i64.add(i64.add(local.get(offset), local.get(size)), i64.const(31n)), i64.const(5n)),
      ),
      fail(i64.gtU(newSize, global.get(CAPACITY))),
      when(i64.geU(global.get(SIZE), newSize), end(i32.const(1))),
      local.set(
        left,
        i64.sub(
          i64.add(global.get(GAS), gasOf(i64.shrU(global.get(SIZE), i64.const(5n)))),
          gasOf(local.get(words)),
        ),
      ),
      // The running trace still has to pay for its instructions.
      fail(i64.ltS(local.get(left), i64.const(BigInt(TRACE_GAS)))),
      global.set(GAS, local.get(left)),
      fillZeros(
        i32.add(i32.wrap(global.get(SIZE)), i32.const(MEMORY)),
        i32.wrap(i64.sub(newSize, global.get(SIZE))),
      ),
      global.set(SIZE, newSize),
      global.set(READABLE, readable),
      i32.const(1),
    ],
  }
}

/** Hashes a part of memory. Returns 0 if offset, size, the hashes left or gas do not allow it. */
function hash(): WasmFunction {
  const [upper, offset, size, price] = [0, 1, 2, 3]
  const fail = (condition: Wasm): Wasm => when(condition, end(i32.const(0)))
  const left = i64.sub(
    i64.load32(HASHES_LEFT, i32.const(0)),
    i64.add(i64.shrU(local.get(size), i64.const(7n)), i64.const(1n)),
  )
  const words = i64.shrU(i64.add(local.get(size), i64.const(31n)), i64.const(5n))
  const gas = i64.sub(global.get(GAS), local.get(price))
  const isGrown = call(FUNCTIONS.grow, ZERO, local.get(offset), local.get(size))
  return {
    type: GROW,
    locals: [[1, I64]],
    body: [
      fail(i32.or(i64.ne(local.get(upper), ZERO), i64.gtU(local.get(size), global.get(CAPACITY)))),
      when(i64.ltS(left, ZERO), i64.store32(HASHES_LEFT, i32.const(0), ZERO), end(i32.const(0))),
      local.set(price, i64.mul(words, i64.const(6n))),
      // The running trace still has to pay for its instructions.
      fail(i64.ltS(gas, i64.const(BigInt(TRACE_GAS)))),
      global.set(GAS, gas),
      when(
        i64.ne(local.get(size), ZERO),
        when(
          i32.eqz(isGrown),
          global.set(GAS, i64.add(global.get(GAS), local.get(price))),
          end(i32.const(0)),
        ),
      ),
      i64.store32(HASHES_LEFT, i32.const(0), left),
      call(FUNCTIONS.keccak256, i32.wrap(local.get(offset)), i32.wrap(local.get(size))),
      i32.const(1),
    ],
  }
}

/**
 * Finds the trace that starts at a destination; -1 if there is none.
 *
 * @param traces - the offsets of the traces, ascending, with their indices.
 */
function find(traces: readonly (readonly [pc: number, index: number])[]): WasmFunction {
  const search = (from: number, to: number): Wasm => {
    if (from >= to) return i32.const(-1)
    const middle = (from + to) >> 1
    const [pc, index] = traces[middle]!
    if (to - from === 1) {
      return choose(I32, i64.eq(local.get(0), i64.const(BigInt(pc))), i32.const(index), i32.const(-1))
    }
    const isBelow = i64.ltU(local.get(0), i64.const(BigInt(pc)))
    return choose(I32, isBelow, search(from, middle), search(middle, to))
  }
  return { type: FIND, locals: [], body: search(0, traces.length) }
}

let common: readonly WasmFunction[] | undefined

/** The functions up to {@link FIRST_TRACE}, indexed after the imported ones. */
export function runtimeFunctions(
  traces: readonly (readonly [pc: number, index: number])[],
): readonly WasmFunction[] {
  common ??= arithmeticFunctions().map((one) => ({ ...one, body: encode(one.body) }))
  return [run(), grow(), hash(), find(traces), ...common]
}
