/** Random code that puts one word on the stack. */
import fc from 'fast-check'
import type { Address } from '../../../../src/base/types.ts'
import { type Code, push } from '../programs.ts'
import { arithmeticOf, byteOf, isDefined, type Scope, sourcesOf } from './scope.ts'
import { memoryOffset, pushed, range, slot, source, word } from './words.ts'

/** An operand of an opcode is nested at most this deep. */
const DEPTH = 3

/** PUSH of an address; in some cases with bits above it, which opcodes ignore. */
export function pushAddress(addresses: readonly Address[]): fc.Arbitrary<Code> {
  return fc
    .tuple(fc.constantFrom(...addresses), fc.nat(9))
    .map(([address, kind]) =>
      kind === 0 ? `7f${'fd'.repeat(12)}${address.slice(2)}` : push(BigInt(address)),
    )
}

/** Code that puts one word on the stack. */
export function expression(scope: Scope, depth = DEPTH): fc.Arbitrary<Code> {
  const leaf = fc.oneof(
    { weight: 5, arbitrary: pushed(scope) },
    { weight: 2, arbitrary: fc.constantFrom(...sourcesOf(scope.fork)) },
    { weight: 3, arbitrary: read(scope) },
  )
  if (depth === 0) return leaf
  const operand = expression(scope, depth - 1)
  const [unary, binary, ternary] = arithmeticOf(scope.fork)
  const isOutermost = depth === DEPTH
  return fc.oneof(
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: fc.tuple(operand, fc.constantFrom(...unary)).map(join) },
    { weight: 4, arbitrary: fc.tuple(operand, operand, fc.constantFrom(...binary)).map(join) },
    { weight: 1, arbitrary: fc.tuple(operand, operand, operand, fc.constantFrom(...ternary)).map(join) },
    // A result that no other operation takes, which most results do not survive.
    { weight: isOutermost ? 6 : 0, arbitrary: single(scope) },
    { weight: isOutermost ? 2 : 0, arbitrary: shuffled(scope, binary) },
  )
}

const join = (parts: readonly Code[]): Code => parts.join('')

/** One operation on words at which it changes. */
function single(scope: Scope): fc.Arbitrary<Code> {
  const [unary, binary, ternary] = arithmeticOf(scope.fork)
  const one = pushed(scope)
  const indexed = binary.filter((op) => INDEXED.has(op))
  return fc.oneof(
    { weight: 2, arbitrary: fc.tuple(one, fc.constantFrom(...unary)).map(join) },
    { weight: 4, arbitrary: fc.tuple(one, one, fc.constantFrom(...binary)).map(join) },
    { weight: 2, arbitrary: fc.tuple(near, fc.constantFrom(...binary)).map(join) },
    { weight: 3, arbitrary: fc.tuple(one, index.map(push), fc.constantFrom(...indexed)).map(join) },
    { weight: 3, arbitrary: fc.tuple(one, one, one, fc.constantFrom(...ternary)).map(join) },
  )
}

/** SIGNEXTEND, BYTE, SHL, SHR and SAR, whose first operand counts bytes or bits. */
const INDEXED: ReadonlySet<Code> = new Set(['0b', '1a', '1b', '1c', '1d'])
const index = fc.oneof(fc.nat(33), fc.constantFrom(48, 52, 53, 54, 255, 256, 257))

/** Two words that are equal, or almost. */
const near = fc
  .tuple(word, fc.integer({ min: -2, max: 2 }))
  .map(([a, more]) => `${push(a)}${push(BigInt.asUintN(256, a + BigInt(more)))}`)

/** A word read from storage, memory, calldata, an account or the block. */
function read(scope: Scope): fc.Arbitrary<Code> {
  const { fork, targets } = scope
  const reads: fc.WeightedArbitrary<Code>[] = [
    { weight: 4, arbitrary: slot.map((at) => `${at}54`) },
    { weight: 2, arbitrary: memoryOffset(scope).map((at) => `${at}51`) },
    { weight: 2, arbitrary: source.map((at) => `${at}35`) },
    { weight: 2, arbitrary: fc.tuple(pushAddress(targets), fc.constantFrom('31', '3b')).map(join) },
    { weight: 1, arbitrary: range(scope).map(({ offset, size }) => `${size}${offset}20`) },
    { weight: 1, arbitrary: fc.oneof(blockNumber, word.map(push)).map((number) => `${number}40`) },
  ]
  if (isDefined(fork, 'EXTCODEHASH')) {
    reads.push({ weight: 1, arbitrary: pushAddress(targets).map((at) => `${at}3f`) })
  }
  if (isDefined(fork, 'TLOAD')) {
    reads.push({ weight: 3, arbitrary: slot.map((at) => `${at}5c`) })
    reads.push({ weight: 1, arbitrary: fc.oneof(fc.nat(3), word).map((n) => `${push(n)}49`) })
  }
  return fc.oneof(...reads)
}

/** The number of a block about as old as BLOCKHASH reaches, or up to three ahead. */
const blockNumber = fc
  .constantFrom(0, 1, 2, 3, 4, 5, 100, 257, 258, 259, 260)
  .map((age) => `${push(age)}6003430103`)

/** Several words, moved on the stack by DUP and SWAP, and made one. */
function shuffled(scope: Scope, binary: readonly Code[]): fc.Arbitrary<Code> {
  return fc
    .tuple(
      fc.array(pushed(scope), { minLength: 2, maxLength: 17, size: 'max' }),
      fc.array(fc.tuple(fc.boolean(), fc.nat(16)), { maxLength: 8, size: 'max' }),
      fc.constantFrom(...binary),
    )
    .map(([words, moves, operation]) => {
      let height = words.length
      let code = words.join('')
      for (const [isSwap, n] of moves) {
        if (isSwap) {
          code += byteOf(0x90 + (n % Math.min(height - 1, 16)))
        } else {
          code += byteOf(0x80 + (n % Math.min(height, 16)))
          height += 1
        }
      }
      return code + operation.repeat(height - 1)
    })
}
