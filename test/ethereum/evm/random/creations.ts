/** Random init code, and creations with it. */
import fc from 'fast-check'
import { type Code, initCode, push, toMemory } from '../programs.ts'
import { paid } from './calls.ts'
import { link } from './jumps.ts'
import { isDefined, type Scope } from './scope.ts'

/** A runtime that stores the number of its calls. */
const COUNTER: Code = `${push(0)}54${push(1)}01${push(0)}55`

/**
 * Init code whose effect does not depend on other code: the code that it deploys is empty, reserved, too large or too
 * expensive, or it fails.
 */
const FIXED: readonly Code[] = [
  '',
  '00',
  initCode(COUNTER),
  initCode(''),
  initCode('ef0100'),
  initCode('60016000fd'),
  initCode('33ff'),
  initCode('30ff'),
  initCode('00', `${push(1)}${push(0)}55`),
  `${push(24_576)}${push(0)}f3`,
  `${push(24_577)}${push(0)}f3`,
  `${push(3000)}${push(0)}f3`,
  '33ff',
  '30ff',
  'ef01',
  'fe',
  '600060fd',
  '60206000fd',
  `${push(1)}${push(0)}5560206000fd`,
]

/**
 * Init code.
 *
 * @param program - of which it consists: statements that it runs, and the code that it deploys.
 */
export function creation(program: fc.Arbitrary<Code>): fc.Arbitrary<Code> {
  return fc
    .tuple(program, program)
    .map(([before, runtime]) => withoutMagic(link(initCode(link(runtime), before))))
}

/** @ethereumjs refuses to run init code with EOF's magic bytes, on all forks; EIP-3540 is part of none. */
function withoutMagic(code: Code): Code {
  return code.startsWith('ef00') ? `ef01${code.slice(4)}` : code
}

/** Init code, nested or not. */
export function anyInitCode(program: fc.Arbitrary<Code> | undefined): fc.Arbitrary<Code> {
  const fixed = fc.constantFrom(...FIXED)
  if (program === undefined) return fixed
  return fc.oneof(fixed, { weight: 2, arbitrary: creation(program) })
}

/** A creation, which leaves the contract's address on the stack. */
export function create({ fork }: Scope, init: fc.Arbitrary<Code>): fc.Arbitrary<Code> {
  const canSalt = isDefined(fork, 'CREATE2')
  return fc
    .record({ init, salt: fc.nat(1), value: paid, isSalted: fc.boolean(), more: sizeChange })
    .map(({ init: code, salt, value, isSalted, more }) => {
      const size = push(Math.max(0, code.length / 2 + more))
      const made = `${toMemory(code)}${isSalted && canSalt ? push(salt) : ''}${size}${push(0)}${value}`
      return made + (isSalted && canSalt ? 'f5' : 'f0')
    })
}

/** By how many bytes the init code is longer, or shorter, than what was written to memory. */
const sizeChange = fc.oneof(
  { weight: 20, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: -40, max: 40 }) },
  // About the limit of EIP-3860.
  { weight: 1, arbitrary: fc.constantFrom(49_152, 49_151, 49_153) },
)

/** What is done with a new contract: it is dropped, stored or called. */
export function useOf(scope: Scope, created: fc.Arbitrary<Code>, at: fc.Arbitrary<Code>): fc.Arbitrary<Code> {
  const gas = scope.fork.tangerineWhistle ? '5a' : push(30_000)
  return fc.oneof(
    { weight: 1, arbitrary: created.map((code) => `${code}50`) },
    { weight: 2, arbitrary: fc.tuple(created, at).map(([code, where]) => `${code}${where}55`) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(created, at, fc.nat(1))
        .map(([code, where, value]) => `${push(0).repeat(4)}${push(value)}${code}${gas}f1${where}55`),
    },
    // Its balance, which it may have destroyed, its code size, and its code.
    {
      weight: 2,
      arbitrary: fc.tuple(created, at).map(([code, where]) => `${code}8031${where}553b${where}55`),
    },
    {
      weight: 1,
      arbitrary: created.map((code) => `${push(40)}${push(0)}${push(5)}${code}3c`),
    },
  )
}
