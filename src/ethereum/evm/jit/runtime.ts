/** The functions that each module has besides those of the compiled code: its entry, and what is too long to repeat. */

import { arithmeticFunctions } from './arithmetic.ts'
import {
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
  CAPACITY,
  FIND,
  FUNCTIONS,
  GAS,
  GROW,
  HASHES_LEFT,
  HEIGHT,
  MEMORY,
  READABLE,
  RESULTS,
  RUN,
  SIZE,
  TRACE,
  TRACE_GAS,
} from './layout.ts'

const ZERO = i64.const(0n)

/** Runs traces until one leaves, and stores the results. */
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

/** Extends memory; 0 if the offset, the capacity or the gas do not allow it. */
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
      // The trace at work still has to pay its instructions.
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

/** Hashes a part of memory; 0 if its place or its size, the blocks left or the gas do not allow it. */
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
      // As if memory grows.
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
 * Finds the trace that starts at a destination on the stack; -1 if there is none.
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

/** The functions up to {@link FIRST_TRACE}, by index after the imported ones. */
export function runtimeFunctions(
  traces: readonly (readonly [pc: number, index: number])[],
): readonly WasmFunction[] {
  common ??= arithmeticFunctions().map((one) => ({ ...one, body: encode(one.body) }))
  return [run(), grow(), hash(), find(traces), ...common]
}
