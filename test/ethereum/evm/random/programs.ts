/**
 * Random programs: statements, each of which leaves the stack as it was, so that most programs succeed, and in which those
 * that fail are rare.
 */
import fc from 'fast-check'
import { type Code, push } from '../programs.ts'
import { call, precompileCall, resultOf, toolCall } from './calls.ts'
import { anyInitCode, create, useOf } from './creations.ts'
import { expression, pushAddress } from './expressions.ts'
import { branch, link, loop, skip, subroutine } from './jumps.ts'
import { byteOf, isDefined, type Scope, undefinedOf } from './scope.ts'
import { memoryOffset, range, slot, source } from './words.ts'

/** Creations are nested this deep. */
const DEPTH = 2

/** The most words on the stack. */
const MAX_STACK = 1024

/** A program. */
export function program(scope: Scope, depth = DEPTH): fc.Arbitrary<Code> {
  return unlinked(scope, depth).map(link)
}

function unlinked(scope: Scope, depth: number): fc.Arbitrary<Code> {
  const inner = depth === 0 ? undefined : unlinked(scope, depth - 1)
  const simple = simpleStatement(scope)
  const any = fc.oneof(
    { weight: 36, arbitrary: simple },
    { weight: 18, arbitrary: messageStatement(scope, inner) },
    { weight: 12, arbitrary: controlStatement(scope, simple) },
    { weight: 1, arbitrary: failing(scope) },
  )
  return fc
    .tuple(
      fc.array(any, depth === DEPTH ? { minLength: 4, maxLength: 16, size: 'max' } : { maxLength: 4 }),
      ending(scope),
    )
    .map(([statements, end]) => statements.join('') + end)
}

/** A statement without messages and jumps. */
function simpleStatement(scope: Scope): fc.Arbitrary<Code> {
  const value = expression(scope)
  const one = expression(scope, 0)
  const copies: fc.WeightedArbitrary<Code>[] = [
    {
      weight: 2,
      arbitrary: fc
        .tuple(range(scope), source, fc.constantFrom('37', '39'))
        .map(([{ offset, size }, from, op]) => `${size}${from}${offset}${op}`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(range(scope), source, pushAddress(scope.targets))
        .map(([{ offset, size }, from, at]) => `${size}${from}${offset}${at}3c`),
    },
  ]
  if (isDefined(scope.fork, 'RETURNDATACOPY')) {
    copies.push({ weight: 1, arbitrary: memoryOffset(scope).map((at) => `3d${push(0)}${at}3e`) })
  }
  if (isDefined(scope.fork, 'MCOPY')) {
    const copy = fc
      .tuple(range(scope), memoryOffset(scope))
      .map(([{ offset, size }, from]) => `${size}${from}${offset}5e`)
    copies.push({ weight: 3, arbitrary: copy })
  }
  const writes: fc.WeightedArbitrary<Code>[] = [
    { weight: 6, arbitrary: fc.tuple(value, slot).map(([word, at]) => `${word}${at}55`) },
    // To and from zero, so that refunds are added and taken back.
    { weight: 2, arbitrary: fc.tuple(fc.nat(2), slot).map(([word, at]) => `${push(word)}${at}55`) },
    { weight: 4, arbitrary: fc.tuple(value, memoryOffset(scope)).map(([word, at]) => `${word}${at}52`) },
    { weight: 1, arbitrary: fc.tuple(one, memoryOffset(scope)).map(([word, at]) => `${word}${at}53`) },
    { weight: 1, arbitrary: value.map((word) => `${word}50`) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.array(one, { maxLength: 4 }), range(scope))
        .map(
          ([topics, { offset, size }]) => `${topics.join('')}${size}${offset}${byteOf(0xa0 + topics.length)}`,
        ),
    },
  ]
  if (isDefined(scope.fork, 'TSTORE')) {
    writes.push({ weight: 4, arbitrary: fc.tuple(one, slot).map(([word, at]) => `${word}${at}5d`) })
  }
  return fc.oneof(...writes, ...copies)
}

/** A call or a creation. */
function messageStatement(scope: Scope, inner: fc.Arbitrary<Code> | undefined): fc.Arbitrary<Code> {
  const result = resultOf(scope)
  const join = (parts: readonly Code[]): Code => parts.join('')
  return fc.oneof(
    { weight: 8, arbitrary: fc.tuple(call(scope), result).map(join) },
    { weight: 1, arbitrary: fc.tuple(precompileCall(scope), result).map(join) },
    { weight: 2, arbitrary: fc.tuple(toolCall(scope), result).map(join) },
    { weight: 3, arbitrary: useOf(scope, create(scope, anyInitCode(inner)), slot) },
  )
}

/** A loop, a branch, a subroutine, or bytes that are jumped over. */
function controlStatement(scope: Scope, simple: fc.Arbitrary<Code>): fc.Arbitrary<Code> {
  const bodies = fc.array(simple, { maxLength: 2 }).map((parts) => parts.join(''))
  // The counter, which is on top, is added to a word of memory, or stored.
  const counting = fc.constantFrom('8060205101602052', '808055', '8060005401600055')
  // No PUSH, which would take the JUMPDEST that follows as its data.
  const data = fc.array(fc.nat(0x5f), { maxLength: 5 }).map((bytes) => bytes.map(byteOf).join(''))
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.integer({ min: 1, max: 12 }), fc.oneof(bodies, counting), fc.boolean())
        .map(([times, body, isRelative]) => loop(push(times), body, isRelative)),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(expression(scope, 1), fc.oneof(bodies, ending(scope)))
        .map(([condition, then]) => branch(condition, then)),
    },
    { weight: 1, arbitrary: bodies.map(subroutine) },
    { weight: 1, arbitrary: data.map(skip) },
    // A jump that is not taken may go anywhere.
    { weight: 1, arbitrary: source.map((to) => `${push(0)}${to}57`) },
  )
}

/** A statement that ends its frame with an error in most cases. */
function failing(scope: Scope): fc.Arbitrary<Code> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...undefinedOf(scope.fork)) },
    { weight: 2, arbitrary: fc.constantFrom('50', '01', '56', '57', '8f', '9f', 'a4', 'f0', '55', 'f1') },
    {
      weight: scope.isLimited ? 2 : 0,
      arbitrary: fc.uint8Array({ minLength: 1, maxLength: 6 }).map((b) => [...b].map(byteOf).join('')),
    },
    { weight: 1, arbitrary: source.map((to) => `${to}56`) },
    // To a JUMPDEST that is the data of a PUSH; return data beyond its end, or exactly up to it.
    { weight: 1, arbitrary: fc.constant('600456605b') },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.nat(2), fc.nat(64))
        .map(([from, size]) => `${push(size)}${push(from)}${push(1)}3e`),
    },
    // A stack that is full but for some words, which succeeds if the statements after it need no more.
    {
      weight: 1,
      arbitrary: fc.nat(20).map((free) => `${push(1)}${'80'.repeat(MAX_STACK - 1 - free)}`),
    },
  )
}

/** The end of a program. */
function ending({ fork, targets }: Scope): fc.Arbitrary<Code> {
  const ends: fc.WeightedArbitrary<Code>[] = [
    { weight: 20, arbitrary: fc.constant('') },
    { weight: 6, arbitrary: fc.constant('00') },
    { weight: 12, arbitrary: fc.tuple(fc.nat(70), fc.nat(70)).map(([at, n]) => `${push(n)}${push(at)}f3`) },
    { weight: 4, arbitrary: pushAddress(targets).map((heir) => `${heir}ff`) },
    { weight: 2, arbitrary: fc.constant('30ff') },
    // Code that ends within the data of a PUSH, and with a JUMPDEST.
    { weight: 2, arbitrary: fc.constantFrom('60', '7f01', '61ff', '5b') },
  ]
  if (isDefined(fork, 'REVERT')) {
    const reverts = fc.tuple(fc.nat(70), fc.nat(70)).map(([at, n]) => `${push(n)}${push(at)}fd`)
    ends.push({ weight: 3, arbitrary: reverts })
  }
  return fc.oneof(...ends)
}
