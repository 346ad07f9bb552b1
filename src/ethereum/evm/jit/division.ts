/** Division of long numbers (Knuth, The Art of Computer Programming, volume 2, 4.3.1, algorithm D). */
import {
  block,
  branch,
  branchIf,
  end,
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
import { ACTION, DIVIDEND, DIVISOR, QUOTIENT } from './layout.ts'

const ZERO = i64.const(0n)
const LOW_32 = i64.const(0xffff_ffffn)
const C32 = i64.const(32n)
const [zero, one, two] = [i32.const(0), i32.const(1), i32.const(2)]

/** The variables: numbers of digits, indices, and numbers. The parameter is the number of digits of the dividend. */
const [m, n, i, j] = [0, 1, 2, 3]
const [shift, v1, v2, t, q, r, carry, borrow] = [4, 5, 6, 7, 8, 9, 10, 11]
const get = local.get
const set = local.set
const digit = (number: number, index: Wasm): Wasm => i64.load32(number, i32.shl(index, two))
const setDigit = (number: number, index: Wasm, value: Wasm): Wasm =>
  i64.store32(number, i32.shl(index, two), value)
const add = (a: number, b: Wasm): Wasm => i32.add(get(a), b)
const decrease = (index: number): Wasm => set(index, i32.sub(get(index), one))
const increase = (index: number): Wasm => set(index, i32.add(get(index), one))

/** Repeats instructions as long as a condition is not 0. */
const repeat = (condition: Wasm, ...body: readonly Wasm[]): Wasm =>
  block(loop(branchIf(1, i32.eqz(condition)), ...body, branch(0)))

/** From the divisor's first digit to its last. */
const forDigits = (...body: readonly Wasm[]): Wasm => [
  set(i, zero),
  repeat(i32.ltS(get(i), get(n)), ...body, increase(i)),
]

/** Shifts a number of several digits left. */
function shiftLeft(number: number, digits: number): Wasm {
  const lower = i64.shrU(digit(number, i32.sub(get(i), one)), i64.sub(C32, get(shift)))
  return [
    set(i, i32.sub(get(digits), one)),
    repeat(
      i32.gtS(get(i), zero),
      setDigit(number, get(i), i64.or(i64.shl(digit(number, get(i)), get(shift)), lower)),
      decrease(i),
    ),
    setDigit(number, zero, i64.shl(digit(number, zero), get(shift))),
  ]
}

const at = (...offsets: readonly Wasm[]): Wasm => offsets.reduce((sum, offset) => i32.add(sum, offset))
const pair = (high: Wasm, low: Wasm): Wasm => i64.or(i64.shl(high, C32), low)

/** By one digit. */
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

/** Steps D1 and D2, in a form in which the first digit of the divisor is at least 2^31. */
const normalize = [
  set(shift, i64.sub(i64.clz(digit(DIVISOR, i32.sub(get(n), one))), C32)),
  setDigit(DIVIDEND, get(m), i64.shrU(digit(DIVIDEND, i32.sub(get(m), one)), i64.sub(C32, get(shift)))),
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

/** Step D4, which leaves whether the result is negative in `t`. */
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
      i64.shrU(digit(DIVIDEND, get(i)), get(shift)),
      i64.shl(digit(DIVIDEND, i32.add(get(i), one)), i64.sub(C32, get(shift))),
    ),
  ),
)

/**
 * Divides the number at DIVIDEND, of so many digits, by that at DIVISOR, of eight, which is not 0. The remainder replaces
 * the dividend; the digits of the quotient are written to QUOTIENT, except for leading zeros.
 */
export const DIVIDE: WasmFunction = {
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
