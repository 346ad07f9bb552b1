/** Random calls: of accounts, and of precompiles with valid input. */
import fc from 'fast-check'
import type { Address } from '../../../../src/base/types.ts'
import { type Code, push, toMemory } from '../programs.ts'
import { pushAddress } from './expressions.ts'
import { precompileInputs } from './precompileInputs.ts'
import { isDefined, type Scope } from './scope.ts'
import { TRANSIENT, UNCHANGING, WRITERS } from './tools.ts'
import { type Range, range, slot, word } from './words.ts'

const GAS = '5a'

/** The gas that a call asks for: an eighth, a fixed amount, all, or about all but one 64th. */
function requestedGas({ fork }: Scope): fc.Arbitrary<Code> {
  const fixed = fc.constantFrom(
    0,
    6,
    7,
    100,
    2299,
    2300,
    2301,
    2306,
    2307,
    5000,
    9000,
    22_200,
    40_000,
    100_000,
  )
  const nearLimit = fc.integer({ min: -200, max: 20 }).map((n) => {
    const most = `6040${GAS}04${GAS}03`
    return n < 0 ? `${push(-n)}${most}03` : `${push(n)}${most}01`
  })
  // Before EIP-150 a call that asks for more gas than is left fails.
  const rest = fork.tangerineWhistle ? GAS : `61ea60${GAS}03`
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(`6008${GAS}04`) },
    { weight: 4, arbitrary: fixed.map(push) },
    { weight: 2, arbitrary: fc.constant(rest) },
    { weight: fork.tangerineWhistle ? 1 : 0, arbitrary: nearLimit },
    { weight: fork.tangerineWhistle ? 1 : 0, arbitrary: word.map(push) },
  )
}

/** The value of a call or a creation; seldom more than its caller has. */
export const paid: fc.Arbitrary<Code> = fc.oneof(
  { weight: 9, arbitrary: fc.constant(push(0)) },
  // One of them is half of what the caller has.
  { weight: 3, arbitrary: fc.constantFrom(push(1), push(7), '6002303104') },
  // All that it has; more than that.
  { weight: 1, arbitrary: fc.constantFrom('3031', push(2n ** 64n), push(2n ** 256n - 1n)) },
)

interface Fields {
  readonly op: Code
  readonly target: Code
  readonly value: Code
  readonly gas: Code
  readonly input: Range
  readonly output: Range
}

/** A call that leaves its result on the stack. */
function callOf({ op, target, value, gas, input, output }: Fields): Code {
  const transfers = op === 'f1' || op === 'f2'
  return `${output.size}${output.offset}${input.size}${input.offset}${transfers ? value : ''}${target}${gas}${op}`
}

function kindOf({ fork }: Scope): fc.Arbitrary<Code> {
  const kinds = ['f1', 'f1', 'f1', 'f2']
  if (isDefined(fork, 'DELEGATECALL')) kinds.push('f4', 'f4')
  if (isDefined(fork, 'STATICCALL')) kinds.push('fa')
  return fc.constantFrom(...kinds)
}

/** A call of one of the accounts, which leaves its result on the stack. */
export function call(scope: Scope): fc.Arbitrary<Code> {
  return fc
    .record({
      op: kindOf(scope),
      target: pushAddress(scope.targets),
      value: paid,
      gas: requestedGas(scope),
      input: range(scope),
      output: range(scope),
    })
    .map(callOf)
}

/** A call of a precompile whose input is in most cases valid; it leaves its result on the stack. */
export function precompileCall(scope: Scope): fc.Arbitrary<Code> {
  const address = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
  return fc
    .record({
      op: kindOf(scope),
      called: precompileInputs(scope),
      gas: requestedGas(scope),
      output: range(scope, 200),
    })
    .map(({ op, called: [at, input], gas, output }) => {
      const size = push(input.length / 2)
      const target = push(BigInt(address(at)))
      return (
        toMemory(input) +
        callOf({ op, target, value: push(0), gas, input: { offset: push(0), size }, output })
      )
    })
}

/**
 * A call of a contract that does one thing, which leaves its result on the stack: a write in a static call, an SSTORE with
 * about as much gas as it must have, and transient storage that is read after a frame that wrote it has failed.
 */
export function toolCall(scope: Scope): fc.Arbitrary<Code> {
  const none: Range = { offset: push(0), size: push(0) }
  const base = { value: push(0), input: none, output: { offset: push(0), size: push(32) } }
  const at = (address: string): Code => `73${address.slice(2)}`
  const sentry = fc
    .integer({ min: 2303, max: 2309 })
    .map((gas) => callOf({ ...base, op: 'f1', target: at(UNCHANGING), gas: push(gas) }))
  if (!isDefined(scope.fork, 'STATICCALL')) return sentry
  const writes = fc
    .constantFrom(...Object.keys(WRITERS))
    .map((writer) => callOf({ ...base, op: 'fa', target: at(writer), gas: push(100_000) }))
  if (!isDefined(scope.fork, 'TLOAD')) return fc.oneof(sentry, writes)
  const transient = fc.constantFrom('f1', 'f4').map((op) => {
    const fields = { ...base, op, target: at(TRANSIENT), gas: push(100_000) }
    const input = { offset: push(0), size: push(1) }
    return `${callOf({ ...fields, input })}50${callOf(fields)}`
  })
  return fc.oneof(sentry, writes, transient)
}

/** What is done with the result of a call: it is dropped, stored, or the returned data is looked at too. */
export function resultOf(scope: Scope): fc.Arbitrary<Code> {
  const drop = fc.constant('50')
  const store = slot.map((at) => `${at}55`)
  const first = slot.map((at) => `50${push(0)}51${at}55`)
  const kinds: fc.WeightedArbitrary<Code>[] = [
    { weight: 2, arbitrary: drop },
    { weight: 3, arbitrary: store },
    { weight: 1, arbitrary: first },
  ]
  if (isDefined(scope.fork, 'RETURNDATACOPY')) {
    // Its size; all of it, hashed.
    kinds.push({ weight: 1, arbitrary: slot.map((at) => `503d${at}55`) })
    kinds.push({ weight: 1, arbitrary: slot.map((at) => `503d${push(0)}${push(3)}3e3d${push(3)}20${at}55`) })
  }
  return fc.oneof(...kinds)
}
